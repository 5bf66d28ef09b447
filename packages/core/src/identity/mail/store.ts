import { and, eq, inArray, lt, lte, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { MailBudgetTables } from './tables.ts';

/** Counts of sign-in emails as they expire and are erased; cold paths only. */
export const mailBudgetStore = ({
  db,
  tables: { authMailBudget, authMailCounts },
}: Pick<StoreContext<MailBudgetTables>, 'db' | 'tables'>) => ({
  /** Deletes counts whose emails are all older than a day, in any environment and of the deployment. Returns their number. */
  removeExpiredOfAll: async (now: Date, limit: number): Promise<number> => {
    const rows = await db
      .select({ scopeId: authMailBudget.scopeId, mailbox: authMailBudget.mailbox })
      .from(authMailBudget)
      .where(lt(authMailBudget.expiresAt, now))
      .limit(limit);
    if (rows.length === 0) return 0;
    const found = rows.map(({ scopeId, mailbox }) =>
      and(eq(authMailBudget.scopeId, scopeId), eq(authMailBudget.mailbox, mailbox)),
    );
    // An email of this moment may have renewed a count.
    const removed = await db
      .delete(authMailBudget)
      .where(and(lt(authMailBudget.expiresAt, now), or(...found)))
      .returning({ mailbox: authMailBudget.mailbox });
    return removed.length;
  },
  /** Deletes the counts of environments that began before a moment. Returns their number. */
  removeCountsOfAll: async (before: Date, limit: number): Promise<number> => {
    const rows = await db
      .select({ startsAt: authMailCounts.startsAt })
      .from(authMailCounts)
      .where(lt(authMailCounts.startsAt, before))
      .orderBy(authMailCounts.startsAt)
      .limit(limit);
    const last = rows.at(-1)?.startsAt;
    if (last === undefined) return 0;
    await db.delete(authMailCounts).where(and(lt(authMailCounts.startsAt, before), lte(authMailCounts.startsAt, last)));
    return rows.length;
  },
  /** Deletes the counts of mailboxes in one environment. Returns their number. That of the deployment expires within a day. */
  erase: async ({ scopeId }: InScope, mailboxes: readonly string[]): Promise<number> => {
    if (mailboxes.length === 0) return 0;
    const rows = await db
      .delete(authMailBudget)
      .where(and(eq(authMailBudget.scopeId, scopeId), inArray(authMailBudget.mailbox, [...mailboxes])))
      .returning({ mailbox: authMailBudget.mailbox });
    return rows.length;
  },
});

export type MailBudgetStore = ReturnType<typeof mailBudgetStore>;
