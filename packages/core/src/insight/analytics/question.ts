import type { FiguresQuery } from '../../automation/runs/figures/api.ts';
import type { Clock } from '../../foundation/clock.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { BeckonError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { QuerySlots } from './query-slots/query-slots.ts';
import { type LatestEnd, type QueryRange, queryRangeOf } from './range.ts';

/** How long an answer may take, in milliseconds. Source: interface, Time budgets. */
const BUDGET_MS = 20_000;
/** Seconds after which a question that took too long may be asked again; ours. */
const RETRY_SECONDS = 10;

/** A question that has its turn. */
export type Question = {
  readonly scope: Scope;
  readonly range: QueryRange;
  readonly now: Date;
  /** For how many days what happened is kept. */
  readonly keptDays: number;
  /** Lets others have their turn between two slices. Throws QUERY_TIMEOUT once the answer has taken too long. */
  rest(): Promise<void>;
};

export type AskDeps = {
  readonly clock: Clock;
  readonly querySlots: QuerySlots;
  /** For how many days what happened in an org is kept. */
  readonly retentionDays: (orgId: string) => Promise<number>;
};

/** Asks a question. Throws RATE_LIMITED, QUERY_TIMEOUT, what a wrong range throws, and what `answer` throws. */
export type Ask = <T>(
  scope: Scope,
  query: FiguresQuery,
  answer: (question: Question) => Promise<T>,
  latestEnd?: LatestEnd,
) => Promise<T>;

/** Answers within an org's turns and within its time. */
export const asker =
  ({ clock, querySlots, retentionDays }: AskDeps): Ask =>
  async (scope, query, answer, latestEnd = 'interval') => {
    const keptDays = await retentionDays(scope.orgId);
    // What is refused takes no turn.
    const range = queryRangeOf(query, { now: clock.now(), retentionDays: keptDays, latestEnd });
    const untilMs = clock.now().getTime() + BUDGET_MS;
    return querySlots(scope.orgId, () =>
      answer({
        scope,
        range,
        now: clock.now(),
        keptDays,
        rest: async () => {
          await nextTurn();
          if (clock.now().getTime() <= untilMs) return;
          throw new BeckonError('QUERY_TIMEOUT', 'The query took too long. Request a shorter time range.', {
            retryAfterSeconds: RETRY_SECONDS,
          });
        },
      }),
    );
  };
