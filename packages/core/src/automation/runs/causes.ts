import type { Storage } from '../../database/storage.ts';
import { scopeKey } from '../../foundation/scope.ts';
import type { LoadCauses } from '../../messaging/sends/lifecycle.ts';
import { NO_CAUSE } from '../../people/events/emit.ts';
import { budgetOfRun } from '../../people/events/run-budget.ts';
import type { RunStatements } from './statements.ts';

/** Causes of the events of runs: one level deeper than the run, with its budget. A deleted run passes nothing on. */
export const causesOfRuns =
  ({
    storage,
    hot,
  }: {
    readonly storage: Pick<Storage, 'select'>;
    readonly hot: Pick<RunStatements, 'causes'>;
  }): LoadCauses =>
  async (runs) => {
    const rows = await storage.select(
      hot.causes,
      runs.map((run) => [scopeKey(run), run.runId]),
    );
    const found = new Map(
      rows.map((row) => [`${scopeKey(row)}/${row.id}`, { depth: row.depth + 1, budget: budgetOfRun(row) }]),
    );
    return (run) => found.get(`${scopeKey(run)}/${run.runId}`) ?? NO_CAUSE;
  };
