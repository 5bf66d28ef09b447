import type { SendsApi } from '../../api.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Clock } from '../../primitives/clock.ts';
import type { Storage } from '../../storage/storage.ts';
import { viewOfSend } from '../read/sends.ts';
import { sendingStore } from '../store.ts';
import type { SendingTables } from '../tables.ts';

/**
 * Cancels a send of which nothing was handed over, with all of its messages in the same transaction. The conditions
 * are the statement's own, so that of a cancel and a handover that race exactly one wins.
 * Source: semantics, Cancel and handover.
 */
export const canceller =
  ({
    storage,
    tables,
    clock,
  }: {
    readonly storage: Pick<Storage, 'transaction' | 'dialect'>;
    readonly tables: SendingTables;
    readonly clock: Clock;
  }): SendsApi['cancel'] =>
  (scope, channel, id) =>
    storage.transaction(async (db) => {
      const store = sendingStore({ db, dialect: storage.dialect, tables });
      if (await store.cancel(scope, channel, id, clock.now())) await store.cancelMessages(scope, id, clock.now());
      const row = await store.send(scope, channel, id);
      if (!row) throw notFound();
      if (row.status !== 'cancelled') throw conflict('already_dispatched');
      return viewOfSend(scope, row);
    });
