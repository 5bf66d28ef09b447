// What an event may start of the workflows that it fits, by its budget (events/run-budget.ts). A budget of its own is
// divided among its runs. A run's share is drawn from: one row counts what all the events that follow from the run took,
// and a guard keeps it below the share, however many processes take at the same moment.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Item } from '../../people/events/pipeline.ts';
import type { RunBudget } from '../../people/events/run-budget.ts';
import { MAX_REFUSED, type RunStatements } from './statements.ts';
import type { RunRow } from './store.ts';

/** What one run gets. Null: it fails, as nothing is left. */
export type Grant = Pick<RunRow, 'runBudget' | 'budgetRunId'> | null;

type Share = { readonly used: number; readonly refused: number };
/** What was drawn from shares before, by `shareKey`. */
export type Drawn = ReadonlyMap<string, Share>;

const NOTHING: Share = { used: 0, refused: 0 };
const shareKey = (scope: InScope, runId: string): string => `${scopeKey(scope)}/${runId}`;

/** Reads what was drawn from the shares of these items; of items from outside nothing is read. */
export const loadDrawn = async (
  { storage, hot }: { readonly storage: Pick<Storage, 'select'>; readonly hot: Pick<RunStatements, 'drawn'> },
  items: readonly Item[],
): Promise<Drawn> => {
  const keys = new Map<string, SelectKey>();
  for (const { scope, budget } of items) {
    const runId = budget?.budgetRunId ?? null;
    if (runId !== null) keys.set(shareKey(scope, runId), [scopeKey(scope), runId]);
  }
  if (keys.size === 0) return new Map();
  const rows = await storage.select(hot.drawn, [...keys.values()]);
  return new Map(rows.map((row) => [shareKey(row, row.runId), row]));
};

/** Equal parts of an event's own budget; each run has itself of its part, and the rest to pass on. */
const divided = (runs: number, count: number): readonly Grant[] => {
  const part = Math.max(1, Math.floor(runs / count));
  return Array.from({ length: count }, (_, at) => (at < runs ? { runBudget: part - 1, budgetRunId: null } : null));
};

/** What a plan draws. */
export type Draws = {
  /**
   * What so many runs of one event get, in their order. Fewer than there are workflows where the share is used up and
   * enough runs say so: no row is written of the others.
   */
  grant(scope: InScope, budget: RunBudget, count: number): readonly Grant[];
  writes(): readonly Write[];
};

export const drawsFrom = (hot: Pick<RunStatements, 'draw'>, drawn: Drawn): Draws => {
  type Draw = InScope & { readonly runId: string; readonly maxRuns: number; used: number; refused: number };
  const draws = new Map<string, Draw>();
  return {
    grant: (scope, { runs, budgetRunId }, count) => {
      if (budgetRunId === null) return divided(runs, count);
      const key = shareKey(scope, budgetRunId);
      const draw = draws.get(key) ?? { ...scopeOf(scope), runId: budgetRunId, maxRuns: runs, ...NOTHING };
      draws.set(key, draw);
      const before = drawn.get(key) ?? NOTHING;
      const used = Math.max(0, Math.min(count, runs - before.used - draw.used));
      const refused = Math.max(0, Math.min(count - used, MAX_REFUSED - before.refused - draw.refused));
      draw.used += used;
      draw.refused += refused;
      return Array.from({ length: used + refused }, (_, at) => (at < used ? { runBudget: runs, budgetRunId } : null));
    },
    writes: () =>
      [...draws]
        .filter(([, { used, refused }]) => used + refused > 0)
        .map(([key, draw]) => write(hot.draw, draw, `runBudget:${key}`)),
  };
};
