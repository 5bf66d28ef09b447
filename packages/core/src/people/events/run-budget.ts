// One event from outside may lead to so many runs and no more, whatever the workflows of its project set off in turn. The
// runs that it starts share this budget. What a run causes starts further runs out of that run's share: they pass the
// same share on, so that it is counted once, in one row (run_budgets), however many events and processes draw from it.

/** Source: contract, section 14. */
export const MAX_RUNS_OF_EVENT = 10_000;

/** What an event may spend on runs. */
export type RunBudget = {
  /** Runs at most; with `budgetRunId` together with whatever else draws from that share. */
  readonly runs: number;
  /** The run whose share it is; null: the event has this budget for itself. */
  readonly budgetRunId: string | null;
};

/** The budget of an event that nothing in this service caused. */
export const FROM_OUTSIDE: RunBudget = { runs: MAX_RUNS_OF_EVENT, budgetRunId: null };

/** What a run passes on to whatever it causes. Throws nothing. */
export const passedOn = (run: {
  readonly id: string;
  readonly runBudget: number;
  readonly budgetRunId: string | null;
}): RunBudget => ({ runs: run.runBudget, budgetRunId: run.budgetRunId ?? run.id });

/** An equal part of a budget; a share that is drawn from needs no parts. Throws nothing. */
export const partOf = (budget: RunBudget, parts: number): RunBudget =>
  budget.budgetRunId === null ? { runs: Math.floor(budget.runs / parts), budgetRunId: null } : budget;
