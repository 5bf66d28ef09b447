import { and, asc, count, eq, gt, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../database/context.ts';
import type { Place } from '../foundation/page.ts';
import type { InScope } from '../foundation/scope.ts';
import type { WebhookRow, WebhookTables } from './tables.ts';

/** What of a webhook may be changed. */
export type WebhookChange = Partial<
  Pick<
    WebhookRow,
    | 'url'
    | 'events'
    | 'description'
    | 'isActive'
    | 'sealed'
    | 'version'
    | 'disabledReason'
    | 'failingSince'
    | 'updatedAt'
  >
>;

/** Webhooks as they are set up and listed: cold paths only. */
export const webhookStore = ({ db, tables: { webhooks: t } }: Pick<StoreContext<WebhookTables>, 'db' | 'tables'>) => {
  const one = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id));
  return {
    insert: async (row: WebhookRow): Promise<void> => {
      await db.insert(t).values(row);
    },
    count: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(t).where(eq(t.scopeId, scopeId))).at(0)?.rows ?? 0,
    get: async (scope: InScope, id: string): Promise<WebhookRow | undefined> =>
      (await db.select().from(t).where(one(scope, id))).at(0),
    page: async ({ scopeId }: InScope, { after, limit }: Place): Promise<WebhookRow[]> =>
      db
        .select()
        .from(t)
        .where(and(eq(t.scopeId, scopeId), after === null ? undefined : gt(t.id, after)))
        .orderBy(asc(t.id))
        .limit(limit),
    /** The row as it is afterwards; undefined: there is none, or somebody sealed something else there since `version`. */
    change: async (
      scope: InScope,
      id: string,
      version: number,
      values: WebhookChange,
    ): Promise<WebhookRow | undefined> =>
      (
        await db
          .update(t)
          .set(values)
          .where(and(one(scope, id), eq(t.version, version)))
          .returning()
      ).at(0),
    remove: async (scope: InScope, id: string): Promise<WebhookRow | undefined> =>
      (await db.delete(t).where(one(scope, id)).returning()).at(0),
    /** Forgets those of all scopes that are fetched from and were made before a moment: a terminal was closed. */
    removePulledOfAll: async (before: Date): Promise<void> => {
      await db.delete(t).where(and(eq(t.isPulled, true), lt(t.createdAt, before)));
    },
    countSealed: async (): Promise<number> => (await db.select({ rows: count() }).from(t)).at(0)?.rows ?? 0,
    /** Webhooks of all scopes in the order of their keys, behind one of them. */
    sealedOfAll: async (after: WebhookRow | null, limit: number): Promise<WebhookRow[]> =>
      db
        .select()
        .from(t)
        .where(
          after === null
            ? undefined
            : or(gt(t.scopeId, after.scopeId), and(eq(t.scopeId, after.scopeId), gt(t.id, after.id))),
        )
        .orderBy(asc(t.scopeId), asc(t.id))
        .limit(limit),
    /** Puts the same value there sealed anew, unless it was changed since `was`. */
    reseal: async (row: InScope & { readonly id: string }, was: string, sealed: string): Promise<void> => {
      await db
        .update(t)
        .set({ sealed })
        .where(and(one(row, row.id), eq(t.sealed, was)));
    },
  };
};
