import type { Db, Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { type ErasedPerson, type Eraser, SLICE, sliced } from '../../../platform/erasure/eraser.ts';
import { hasEnded } from '../finalize/change.ts';
import { ERASED_RECIPIENT, isRecipient, type StoredRecipients } from '../schema.ts';
import type { SendingTables } from '../tables.ts';
import { sendingErasure } from './store.ts';

/**
 * Deletes the sends of runs and all their messages, whatever the recipient, because they contain data of the run's
 * user.
 */
export type EraseOfRuns = (db: Db, scope: InScope, runIds: readonly string[]) => Promise<void>;

type Send = { readonly id: string; readonly recipients: StoredRecipients; readonly audienceId: string | null };

const isOf =
  (userId: string) =>
  (recipient: StoredRecipients[number]): boolean =>
    recipient.kind === 'user' && recipient.userId === userId;

/** Erases what was sent to users: their messages, and each send as a whole or in part. */
export const sendingErasers = ({
  storage,
  tables,
  clock,
}: {
  readonly storage: Pick<Storage, 'transaction' | 'dialect'>;
  readonly tables: SendingTables;
  readonly clock: Clock;
}): { readonly eraser: Eraser; readonly ofRuns: EraseOfRuns } => {
  const storeOf = (db: Db) => sendingErasure({ db, dialect: storage.dialect, tables });

  /** Removes the user from a send; a send without other recipients is deleted. */
  const leave = async (db: Db, scope: InScope, send: Send, userId: string): Promise<void> => {
    const { id, recipients, audienceId } = send;
    const store = storeOf(db);
    const isErased = isOf(userId);
    // If the send was expanded at acceptance, only its messages show its recipients.
    const isOthers = audienceId !== null || recipients.some((one) => isRecipient(one) && !isErased(one));
    if (!isOthers && (await store.messagesOfSends(scope, [id], 1)).length === 0) await store.removeSends(scope, [id]);
    else if (recipients.some(isErased))
      // A placeholder stays, because an expansion reads recipients by position.
      await store.putRecipients(
        scope,
        id,
        recipients.map((one) => (isErased(one) ? ERASED_RECIPIENT : one)),
      );
  };

  // Sends before their messages, as everywhere (storage/commit-order.ts).
  const eraseMessages = ({ scope, people, userId }: ErasedPerson): Promise<number> =>
    storage.transaction(async (db) => {
      const store = storeOf(db);
      const found = await store.messagesOf(scope, people, SLICE);
      if (found.length === 0) return 0;
      const sends = await store.held(scope, [...new Set(found.map(({ sendId }) => sendId))]);
      const removed = await store.removeMessages(
        scope,
        found.map(({ id }) => id),
      );
      const bySend = Map.groupBy(removed, ({ sendId }) => sendId);
      for (const send of sends) {
        await leave(db, scope, send, userId);
        const open = (bySend.get(send.id) ?? []).filter(({ status }) => !hasEnded(status));
        const deferred = open.filter(({ status }) => status === 'deferred').length;
        if (open.length > 0) await store.takeOut(scope, send.id, { open: open.length, deferred }, clock.now());
      }
      return found.length;
    });

  const eraseWaiting = ({ scope, userId }: ErasedPerson): Promise<number> =>
    storage.transaction(async (db) => {
      const store = storeOf(db);
      const found = await store.held(scope, await store.openNaming(scope, userId, SLICE));
      const naming = found.filter(({ recipients }) => recipients.some(isOf(userId)));
      for (const send of naming) await leave(db, scope, send, userId);
      return naming.length;
    });

  return {
    eraser: sliced('sends', async (person) => (await eraseMessages(person)) || (await eraseWaiting(person))),
    ofRuns: async (db, scope, runIds) => {
      const store = storeOf(db);
      const ids = await store.sendsOfRuns(scope, runIds);
      if (ids.length === 0) return;
      await store.removeSends(scope, ids);
      for (;;) {
        const found = await store.messagesOfSends(scope, ids, SLICE);
        if (found.length === 0) break;
        await store.removeMessages(scope, found);
      }
    },
  };
};
