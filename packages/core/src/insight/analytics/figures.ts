import type { FiguresRange } from '../../automation/runs/figures/answers.generated.ts';
import type { FiguresQuery } from '../../automation/runs/figures/api.ts';
import type { Scope } from '../../foundation/scope.ts';
import { QUARTER_MS } from './quarters.ts';
import type { Ask } from './question.ts';

/** Computes statistics of a named object. */
type Count<Answer> = (scope: Scope, id: string, query?: FiguresQuery) => Promise<Answer>;

/**
 * The same statistics within the query slots of the org and its retention. Throws as `ask`, and the errors of `count`.
 */
export const keptFigures =
  <Answer extends { readonly range: FiguresRange }>(ask: Ask, count: Count<Answer>): Count<Answer> =>
  (scope, id, query = {}) =>
    ask(scope, query, async ({ range: queryRange }) => {
      if (!queryRange.isClamped) return count(scope, id, query);
      const from = new Date(Math.min(queryRange.from * QUARTER_MS, query.to?.getTime() ?? Number.POSITIVE_INFINITY));
      const { range, ...answer } = await count(scope, id, { ...query, from });
      // Safe: the answer with another range.
      return { ...answer, range: { ...range, clamped: true } } as unknown as Answer;
    });
