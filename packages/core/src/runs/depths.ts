import { scopeKey } from '../primitives/scope.ts';
import type { LoadDepths } from '../sending/lifecycle.ts';
import type { Storage } from '../storage/storage.ts';
import type { RunHot } from './hot.ts';

/** How deep is what runs cause: one more than they are; 0 for a run that is gone. */
export const causedDepths =
  ({ storage, hot }: { readonly storage: Pick<Storage, 'select'>; readonly hot: Pick<RunHot, 'depths'> }): LoadDepths =>
  async (runs) => {
    const rows = await storage.select(
      hot.depths,
      runs.map((run) => [scopeKey(run), run.runId]),
    );
    const found = new Map(rows.map((row) => [`${scopeKey(row)}/${row.id}`, row.depth + 1]));
    return (run) => found.get(`${scopeKey(run)}/${run.runId}`) ?? 0;
  };
