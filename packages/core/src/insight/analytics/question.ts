import type { FiguresQuery } from '../../automation/runs/figures/api.ts';
import type { Clock } from '../../foundation/clock.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { BeckonError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { QuerySlots } from './query-slots/query-slots.ts';
import { type LatestEnd, type QueryRange, queryRangeOf } from './range.ts';

/** Maximum duration of a query, in milliseconds. Source: interface, Time budgets. */
const BUDGET_MS = 20_000;
/** Seconds after which a timed-out query may be repeated. Chosen. */
const RETRY_SECONDS = 10;

/** A running query that has its slot. */
export type Question = {
  readonly scope: Scope;
  readonly range: QueryRange;
  readonly now: Date;
  /** Retention of the org in days. */
  readonly keptDays: number;
  /** Yields to the event loop between two slices. Throws QUERY_TIMEOUT after the maximum duration. */
  rest(): Promise<void>;
};

export type AskDeps = {
  readonly clock: Clock;
  readonly querySlots: QuerySlots;
  /** Retention of an org in days. */
  readonly retentionDays: (orgId: string) => Promise<number>;
};

/** Runs a query. Throws RATE_LIMITED, QUERY_TIMEOUT, errors of an invalid range, and the errors of `answer`. */
export type Ask = <T>(
  scope: Scope,
  query: FiguresQuery,
  answer: (question: Question) => Promise<T>,
  latestEnd?: LatestEnd,
) => Promise<T>;

/** Runs queries within the slots of their org and the maximum duration. */
export const asker =
  ({ clock, querySlots, retentionDays }: AskDeps): Ask =>
  async (scope, query, answer, latestEnd = 'interval') => {
    const keptDays = await retentionDays(scope.orgId);
    // Before acquiring a slot: invalid queries need none.
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
