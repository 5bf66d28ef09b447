import { and, asc, eq, inArray, isNotNull, isNull, lt, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import { containsText } from '../../../database/statements/contains-text.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { StoredRecipients } from '../schema.ts';
import type { MessageRow, SendRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';

/** Queries of sends and messages for erasure, within one transaction. */
export const sendingErasure = ({
  db,
  dialect,
  tables: { sends, messages, outboxMessages },
}: StoreContext<SendingTables>) => {
  const byId = ({ scopeId }: InScope, ids: readonly string[]): SQL | undefined =>
    and(eq(sends.scopeId, scopeId), inArray(sends.id, [...ids]));
  return {
    messagesOf: (
      { scopeId }: InScope,
      people: readonly string[],
      limit: number,
    ): Promise<Pick<MessageRow, 'id' | 'sendId'>[]> =>
      db
        .select({ id: messages.id, sendId: messages.sendId })
        .from(messages)
        .where(and(eq(messages.scopeId, scopeId), inArray(messages.person, [...people])))
        .limit(limit),
    messagesOfSends: async ({ scopeId }: InScope, ids: readonly string[], limit: number): Promise<string[]> =>
      (
        await db
          .select({ id: messages.id })
          .from(messages)
          .where(and(eq(messages.scopeId, scopeId), inArray(messages.sendId, [...ids])))
          .limit(limit)
      ).map(({ id }) => id),
    sendsOfRuns: async ({ scopeId }: InScope, runIds: readonly string[]): Promise<string[]> =>
      (
        await db
          .select({ id: sends.id })
          .from(sends)
          .where(and(eq(sends.scopeId, scopeId), inArray(sends.workflowRunId, [...runIds])))
      ).map(({ id }) => id),
    /** Locks these sends until the transaction ends: concurrent writers of their counts or recipients wait. */
    held: async (
      scope: InScope,
      ids: readonly string[],
    ): Promise<Pick<SendRow, 'id' | 'recipients' | 'audienceId'>[]> => {
      const rows = db
        .select({ id: sends.id, recipients: sends.recipients, audienceId: sends.audienceId })
        .from(sends)
        .where(byId(scope, ids))
        .orderBy(asc(sends.id));
      // SQLite has no such clause and needs none: it has one writer at a time.
      return dialect.name === 'postgres' ? rows.for('update') : rows;
    },
    /** Ids of sends still being expanded whose recipients may name this user. */
    openNaming: async ({ scopeId }: InScope, userId: string, limit: number): Promise<string[]> =>
      (
        await db
          .select({ id: sends.id })
          .from(sends)
          .where(
            and(
              eq(sends.scopeId, scopeId),
              // The literal of the index of open sends.
              sql`${sends.status} in ('queued', 'sending')`,
              isNotNull(sends.dueAt),
              containsText(sql`cast(${sends.recipients} as text)`, JSON.stringify(userId)),
            ),
          )
          .limit(limit)
      ).map(({ id }) => id),
    /** Returns their current status: workers may have changed them since they were read. */
    removeMessages: async (
      { scopeId }: InScope,
      ids: readonly string[],
    ): Promise<Pick<MessageRow, 'sendId' | 'status'>[]> => {
      await db
        .delete(outboxMessages)
        .where(and(eq(outboxMessages.scopeId, scopeId), inArray(outboxMessages.messageId, [...ids])));
      return db
        .delete(messages)
        .where(and(eq(messages.scopeId, scopeId), inArray(messages.id, [...ids])))
        .returning({ sendId: messages.sendId, status: messages.status });
    },
    /** Ids of ended messages below `below`. */
    endedMessages: async ({ scopeId }: InScope, below: string, limit: number): Promise<string[]> =>
      (
        await db
          .select({ id: messages.id })
          .from(messages)
          .where(and(eq(messages.scopeId, scopeId), lt(messages.id, below), isNotNull(messages.finishedAt)))
          .orderBy(asc(messages.id))
          .limit(limit)
      ).map(({ id }) => id),
    /** Ids below `below` of finished sends without messages. */
    emptySends: async ({ scopeId }: InScope, below: string, limit: number): Promise<string[]> => {
      const left = db
        .select({ id: messages.id })
        .from(messages)
        .where(and(eq(messages.scopeId, sends.scopeId), eq(messages.sendId, sends.id)));
      const isOver = or(isNotNull(sends.finishedAt), isNotNull(sends.cancelledAt));
      const rows = await db
        .select({ id: sends.id })
        .from(sends)
        .where(and(eq(sends.scopeId, scopeId), lt(sends.id, below), isOver, notExists(left)))
        .orderBy(asc(sends.id))
        .limit(limit);
      return rows.map(({ id }) => id);
    },
    removeSends: async (scope: InScope, ids: readonly string[]): Promise<void> => {
      await db.delete(sends).where(byId(scope, ids));
    },
    /**
     * A worker that expands the send holds the old recipients and must restart; the changed fencing token forces it to.
     */
    putRecipients: async (scope: InScope, id: string, recipients: StoredRecipients): Promise<void> => {
      await db
        .update(sends)
        .set({ recipients, fence: sql`${sends.fence} + 1`, leaseUntil: null })
        .where(byId(scope, [id]));
    },
    /** Subtracts messages that will never end; a send that waited for nothing else ends. */
    takeOut: async (
      scope: InScope,
      id: string,
      { open, deferred }: { readonly open: number; readonly deferred: number },
      now: Date,
    ): Promise<void> => {
      await db
        .update(sends)
        .set({
          targeted: sql`${sends.targeted} - ${open}`,
          deferred: sql`${sends.deferred} - ${deferred}`,
          reportedAt: null,
        })
        .where(byId(scope, [id]));
      const ended = sql`${sends.sent} + ${sends.failed} + ${sends.suppressed}`;
      await db
        .update(sends)
        .set({
          status: sql`case when ${sends.sent} > 0 then 'sent' when ${sends.failed} > 0 then 'failed' else 'suppressed' end`,
          finishedAt: now,
        })
        .where(
          and(
            byId(scope, [id]),
            or(eq(sends.status, 'queued'), eq(sends.status, 'sending')),
            isNull(sends.dueAt),
            sql`${ended} >= ${sends.targeted}`,
          ),
        );
    },
  };
};
