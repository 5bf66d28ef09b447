import type { Storage } from '../../database/storage.ts';
import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import { callbackStore } from './store.ts';
import type { CallbackTables } from './tables.ts';

/** Deletes the callbacks about a user: whole requests, even if they are about others too. */
export const callbackEraser = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly tables: CallbackTables;
}): Eraser =>
  sliced('callbacks', ({ scope, people, addresses }) =>
    storage.transaction(async (db) => {
      const store = callbackStore({ db, tables });
      const marks = await store.marksOf(scope, { people, addresses }, SLICE);
      if (marks.length > 0) await store.forget(scope, marks);
      return marks.length;
    }),
  );
