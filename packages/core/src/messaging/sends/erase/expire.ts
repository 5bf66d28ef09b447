import type { Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';
import { sendingErasure } from './store.ts';

/** Deletes up to `limit` rows of a scope with ids below `below`; resolves to the number deleted. */
type Expire = (scope: InScope, below: string, limit: number) => Promise<number>;

/** Expires ended messages, and finished sends without messages. */
export const sendingExpiry = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'transaction' | 'dialect'>;
  readonly tables: SendingTables;
}): { readonly messages: Expire; readonly sends: Expire } => {
  const { dialect } = storage;
  const outside = sendingErasure({ db: storage.db, dialect, tables });
  return {
    messages: async (scope, below, limit) => {
      const ids = await outside.endedMessages(scope, below, limit);
      // Usually there is none, and a transaction would block other writers.
      if (ids.length > 0)
        await storage.transaction((db) => sendingErasure({ db, dialect, tables }).removeMessages(scope, ids));
      return ids.length;
    },
    sends: async (scope, below, limit) => {
      const ids = await outside.emptySends(scope, below, limit);
      if (ids.length > 0) await outside.removeSends(scope, ids);
      return ids.length;
    },
  };
};
