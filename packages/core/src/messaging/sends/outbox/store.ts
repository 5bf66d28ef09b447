import { and, desc, eq, lt, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { After } from '../store.ts';
import type { SendingTables } from '../tables.ts';

export type SandboxRow = SendingTables['sandboxMessages']['$inferSelect'];

/** What the sandbox caught, as it is read and cleared. */
export const outboxStore = ({
  db,
  tables: { sandboxMessages },
}: Pick<StoreContext<SendingTables>, 'db' | 'tables'>) => {
  const within = ({ scopeId }: InScope): SQL => eq(sandboxMessages.scopeId, scopeId);
  return {
    /** Newest first. */
    sandboxMessages: async (
      scope: InScope,
      { channel, userId, after, limit }: After & { channel: Channel | null; userId: string | null },
    ): Promise<SandboxRow[]> =>
      db
        .select()
        .from(sandboxMessages)
        .where(
          and(
            within(scope),
            channel === null ? undefined : eq(sandboxMessages.channel, channel),
            userId === null ? undefined : eq(sandboxMessages.userId, userId),
            after === null ? undefined : lt(sandboxMessages.id, after),
          ),
        )
        .orderBy(desc(sandboxMessages.id))
        .limit(limit),
    sandboxMessage: async (scope: InScope, id: string): Promise<SandboxRow | undefined> =>
      (
        await db
          .select()
          .from(sandboxMessages)
          .where(and(within(scope), eq(sandboxMessages.id, id)))
      ).at(0),
    /** Answers how many there were. */
    clearSandboxMessages: async (scope: InScope): Promise<number> =>
      (await db.delete(sandboxMessages).where(within(scope)).returning({ id: sandboxMessages.id })).length,
  };
};

export type OutboxStore = ReturnType<typeof outboxStore>;
