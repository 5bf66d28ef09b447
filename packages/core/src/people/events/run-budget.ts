// Limits how many runs one event from outside can cause, directly or through other workflows. The runs that it starts
// share this budget. Events caused by a run draw from that run's share and pass the same share on. The share is counted
// once, in one row (run_budgets), however many events and processes draw from it.

/** Source: contract, section 14. */
export const MAX_RUNS_OF_EVENT = 10_000;

/** How many runs an event may start. */
export type RunBudget = {
  /** Maximum runs. With `budgetRunId`, shared with everything else that draws from that share. */
  readonly runs: number;
  /** The run whose share is used; null: the event has its own budget. */
  readonly budgetRunId: string | null;
};

/** Budget of an event from outside. */
export const EXTERNAL_BUDGET: RunBudget = { runs: MAX_RUNS_OF_EVENT, budgetRunId: null };

/** Budget of the events that a run causes. Throws nothing. */
export const budgetOfRun = (run: {
  readonly id: string;
  readonly runBudget: number;
  readonly budgetRunId: string | null;
}): RunBudget => ({ runs: run.runBudget, budgetRunId: run.budgetRunId ?? run.id });

/** An equal part of a budget. A share of a run is returned whole, because it is counted in its row. Throws nothing. */
export const partOf = (budget: RunBudget, parts: number): RunBudget =>
  budget.budgetRunId === null ? { runs: Math.floor(budget.runs / parts), budgetRunId: null } : budget;
