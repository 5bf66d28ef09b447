// How long what orgs have is kept: as many days as their plans say (reliability, P12). Ids begin with their moment, so what
// is past its time is a range of each scope's ids, found by the key of the table. Upkeep walks over scopes and kinds of rows in slices;
// once it has been everywhere it rests for an hour.
//
// Runs are among these rows: the figures of workflows are counted from them, and analytics go back as far as the plan.
// Other rows have a time of their own, in their modules: deliveries of webhooks 30 days, requests with an idempotency key
// 24 hours, message ids 72 hours. Other queued work ends with its row.

import type { Clock } from '../../foundation/clock.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { firstIdOf } from '../../foundation/derived-id.ts';
import type { InScope, ScopeDirectory } from '../../foundation/scope.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import type { Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** Rows of one slice; ours: some milliseconds of a small machine, which the ingest waits for. */
export const SLICE = 250;
/** Rows of one step of upkeep, in slices between which others write; ours. */
export const STEP = 2_000;
/** Places that one step looks at where nothing is past its time; ours. */
const LOOKS = 100;
/** Between walks; ours: what is kept is told in days. */
const REST_MS = 3_600_000;

/** Rows that are kept for as long as the plan says. */
export type Expiring = {
  readonly name: string;
  /** Deletes up to `limit` rows of a scope whose ids are below one; answers how many there were. */
  expire(scope: InScope, below: string, limit: number): Promise<number>;
};

/** Order in which rows expire: sends after their messages, and before the runs that they belong to. */
export const EXPIRY_ORDER = ['events', 'messages', 'sends', 'runs'] as const;

/** What retention uses of other modules. */
export type RetentionNeeds = {
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  readonly plans: Pick<Plans, 'of'>;
  /** In the order of `EXPIRY_ORDER`: rows that others rely on come last. */
  readonly list: readonly Expiring[];
};

type RetentionParts = RetentionNeeds & { readonly clock: Clock; readonly scopes: ScopeDirectory };

/** A step of it answers whether there may be more. */
export const retention = ({ clock, scopes, scopeIdsOfAll, plans, list }: RetentionParts): Upkeep => {
  let left: { readonly scopeId: number; readonly one: Expiring }[] = [];
  let walkedAt = Number.NEGATIVE_INFINITY;

  const isResting = (now: number): boolean => now >= walkedAt && now - walkedAt < REST_MS;
  const begin = async (): Promise<void> => {
    const ids = await scopeIdsOfAll();
    // Taken from the end.
    left = ids.flatMap((scopeId) => list.map((one) => ({ scopeId, one }))).reverse();
  };

  return {
    name: 'retention',
    run: async () => {
      const now = clock.now().getTime();
      if (left.length === 0) {
        if (isResting(now)) return false;
        walkedAt = now;
        await begin();
      }
      const next = left.slice(-LOOKS).map(({ scopeId }) => scopeId);
      const scopeOf = await scopes.load(next);
      let gone = 0;
      for (let looks = 0; looks < LOOKS && gone < STEP; looks += 1) {
        const place = left.at(-1);
        if (!place) return false;
        const { orgId } = scopeOf(place.scopeId);
        const { retentionDays } = await plans.of(orgId);
        const below = firstIdOf(now - retentionDays * DAY_MS);
        const count = await place.one.expire({ scopeId: place.scopeId }, below, SLICE);
        if (count < SLICE) left.pop();
        gone += count;
        if (count > 0) await nextTurn();
      }
      return left.length > 0;
    },
  };
};
