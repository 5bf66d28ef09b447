import { NO_CAUSE } from '../events/emit.ts';
import { passedOn } from '../events/run-budget.ts';
import { scopeKey } from '../primitives/scope.ts';
import type { LoadCauses } from '../sending/lifecycle.ts';
import type { Storage } from '../storage/storage.ts';
import type { RunHot } from './hot.ts';

/** What runs pass on to what they cause: one level more than they are, and their share; nothing of a run that is gone. */
export const causesOfRuns =
  ({ storage, hot }: { readonly storage: Pick<Storage, 'select'>; readonly hot: Pick<RunHot, 'causes'> }): LoadCauses =>
  async (runs) => {
    const rows = await storage.select(
      hot.causes,
      runs.map((run) => [scopeKey(run), run.runId]),
    );
    const found = new Map(
      rows.map((row) => [`${scopeKey(row)}/${row.id}`, { depth: row.depth + 1, budget: passedOn(row) }]),
    );
    return (run) => found.get(`${scopeKey(run)}/${run.runId}`) ?? NO_CAUSE;
  };
