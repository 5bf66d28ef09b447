import { and, desc, eq, lt, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { After } from '../store.ts';
import type { SendingTables } from '../tables.ts';

export type SandboxRow = SendingTables['outboxMessages']['$inferSelect'];

/** Reads and clears the outbox. */
export const outboxStore = ({ db, tables: { outboxMessages } }: Pick<StoreContext<SendingTables>, 'db' | 'tables'>) => {
  const within = ({ scopeId }: InScope): SQL => eq(outboxMessages.scopeId, scopeId);
  return {
    /** Newest first. */
    outboxMessages: async (
      scope: InScope,
      { channel, userId, after, limit }: After & { channel: Channel | null; userId: string | null },
    ): Promise<SandboxRow[]> =>
      db
        .select()
        .from(outboxMessages)
        .where(
          and(
            within(scope),
            channel === null ? undefined : eq(outboxMessages.channel, channel),
            userId === null ? undefined : eq(outboxMessages.userId, userId),
            after === null ? undefined : lt(outboxMessages.id, after),
          ),
        )
        .orderBy(desc(outboxMessages.id))
        .limit(limit),
    sandboxMessage: async (scope: InScope, id: string): Promise<SandboxRow | undefined> =>
      (
        await db
          .select()
          .from(outboxMessages)
          .where(and(within(scope), eq(outboxMessages.id, id)))
      ).at(0),
    /** Resolves to the number of deleted rows. */
    clearOutbox: async (scope: InScope): Promise<number> =>
      (await db.delete(outboxMessages).where(within(scope)).returning({ id: outboxMessages.id })).length,
  };
};

export type OutboxStore = ReturnType<typeof outboxStore>;
