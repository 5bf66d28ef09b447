// Grants the runs that an event may start, by its budget (events/run-budget.ts). An event's own budget is divided among
// its runs. A run's share is drawn from: one row counts what all following events took, and a guard keeps it within the
// share under any concurrency.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Item } from '../../people/events/pipeline.ts';
import type { RunBudget } from '../../people/events/run-budget.ts';
import { MAX_REFUSED, type RunStatements } from './statements.ts';
import type { RunRow } from './store.ts';

/** Budget of one started run. Null: the run fails, because nothing is left. */
export type Grant = Pick<RunRow, 'runBudget' | 'budgetRunId'> | null;

type Share = { readonly used: number; readonly refused: number };
/** Previous use of shares, by `shareKey`. */
export type Drawn = ReadonlyMap<string, Share>;

const NOTHING: Share = { used: 0, refused: 0 };
const shareKey = (scope: InScope, runId: string): string => `${scopeKey(scope)}/${runId}`;

/** Reads the use of these items' shares; items from outside need no read. */
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

/** Divides an event's own budget equally; each run counts itself and passes the rest on. */
const divided = (runs: number, count: number): readonly Grant[] => {
  const part = Math.max(1, Math.floor(runs / count));
  return Array.from({ length: count }, (_, at) => (at < runs ? { runBudget: part - 1, budgetRunId: null } : null));
};

/** Grants of a plan. */
export type Draws = {
  /**
   * Grants for `count` runs of one event, in order. Has fewer elements if the share is used up and enough failed runs
   * were written: further ones write no row.
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
