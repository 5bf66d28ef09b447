import { commitPlanned } from '../../database/commit/commit-planned.ts';
import { isOutcomeUnknown, isUnavailable } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { overloaded } from '../../foundation/errors.ts';
import { lru } from '../../foundation/lru.ts';
import type { Settled } from '../../jobs/concurrency/batcher.ts';
import { type SpendWork, spendWork, UNITS_PER_TURN } from '../../jobs/concurrency/work-slices.ts';
import {
  type BoundReaction,
  type Entry,
  fittingOf,
  type IngestDraft,
  type Item,
  MAX_WEIGHT,
  newDraft,
  orgTag,
  personTag,
  planInOrder,
  type Round,
} from './pipeline.ts';

/**
 * How long a batch waits for profiles that a host's transaction has locked, in milliseconds; then the batch is
 * rejected. Without this limit, a host that awaits an event of a profile changed by its own open transaction would
 * deadlock. Chosen: well above the time of a commit.
 */
const LOCK_MS = 5_000;

/** Result of an accepted item. */
export type Ingested = { readonly id: string; readonly isDuplicate: boolean };

const isAffected =
  (failed: ReadonlySet<string>) =>
  (entry: Entry): boolean =>
    failed.has(entry.item.id) ||
    failed.has(personTag(entry.item.scope, entry.person)) ||
    failed.has(orgTag(entry.item.scope.orgId));

/** Work units that one org's items may use in a flush shared with other orgs. Chosen: five turns of the event loop. */
const MAX_SHARED_UNITS = 5 * UNITS_PER_TURN;

/** Aborts a try because the items of this org take too long for the other orgs of the flush. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
  readonly orgId: unknown;
  constructor(orgId: unknown) {
    super('the items of one org take longer than others should wait for');
    this.orgId = orgId;
  }
}

/** Counts work for `spendWork` and aborts the try when one org exceeds its share. */
const spendShared = (): SpendWork => {
  const spent = new Map<unknown, number>();
  return (units, orgId) => {
    const own = (spent.get(orgId) ?? 0) + units;
    if (own > MAX_SHARED_UNITS) throw new TooMuchWork(orgId);
    spent.set(orgId, own);
    return spendWork(units, orgId);
  };
};

/** Orgs whose item weights are cached. Chosen: bounds the memory. */
const MAX_ORGS = 10_000;
/** Share of a commit's weight to fill by estimate. Chosen: leaves a margin for items heavier than the previous ones. */
const FILL_RATIO = 0.85;

/** Estimates the write weight of each org's items, so that a plan rarely exceeds one commit. */
const itemWeights = () => {
  const known = lru<string, number>(MAX_ORGS);
  return {
    /**
     * The first items that fit one commit. Includes all items of the last one's request, because a quota accepts or
     * rejects a request as a whole.
     */
    firstOf: (items: readonly Item[]): readonly Item[] => {
      let weight = 0;
      let end = items.findIndex(({ scope }) => {
        weight += known.peek(scope.orgId) ?? 0;
        return weight > MAX_WEIGHT * FILL_RATIO;
      });
      if (end === -1) return items;
      end = Math.max(1, end);
      const request = items[end - 1]?.request;
      while (request !== undefined && items[end]?.request === request) end += 1;
      return items.slice(0, end);
    },
    /** Records the weight of a plan for these items. */
    record: (items: readonly Item[], weight: number): void => {
      const each = weight / items.length;
      let before: string | undefined;
      for (const { scope } of items) {
        if (scope.orgId === before) continue;
        before = scope.orgId;
        known.set(scope.orgId, each);
      }
    },
  };
};

/**
 * Load, plan, commit. Reactions read in bulk, their plans are pure, and one transaction executes the guarded statements
 * in a fixed order. A failed guard means that another process changed those profiles: everything is loaded and planned
 * again, up to the limit of `commitPlanned`. After that the items of those profiles are rejected and the others
 * proceed.
 * If a reaction finds too much work for one commit, or there are too many writes, the items are split over several
 * commits, in order. If the items of one org take long, those of other orgs proceed without them.
 */
export const ingest = (
  storage: Storage,
  reactions: readonly BoundReaction[],
  { isJoined = false }: Partial<Pick<Round, 'isJoined'>> = {},
) => {
  const weights = itemWeights();

  const plan = async (items: readonly Item[], most: number, now: Date, round: Round): Promise<IngestDraft> => {
    let share = Math.min(items.length, most);
    const takeOnly = (count: number): void => {
      share = Math.max(1, Math.min(share, count));
    };
    const planners = await Promise.all(reactions.map((reaction) => reaction.load(items, { ...round, takeOnly })));
    const draft = newDraft(items.slice(0, share), now);
    await planInOrder(planners, draft);
    if (share > 0) weights.record(items.slice(0, share), draft.writes.length + draft.extraWeight);
    const fitting = fittingOf(share, draft);
    return fitting < share ? plan(items, fitting, now, round) : draft;
  };

  /** Results of the items that the commit included, from the first on. */
  const attempt = async (items: readonly Item[], now: Date, spend: SpendWork): Promise<Settled<Ingested>[]> => {
    let planned = items;
    const result = await commitPlanned(storage, items, {
      plan: async (_, failed) => {
        const isFirstTry = failed.size === 0;
        const hasHooks = !isJoined;
        const round = { isJoined, hasHooks, spend };
        const guessed = await plan(planned, planned.length, now, { ...round, isFirstTry });
        // A guess must not reject an item: it may be a duplicate, which is accepted even over quota. Plan again with
        // reads.
        const isGuess = isFirstTry && guessed.refused.size > 0;
        const draft = isGuess ? await plan(planned, planned.length, now, { ...round, isFirstTry: false }) : guessed;
        const { entries, refused, writes, wakes, hooks } = draft;
        planned = planned.slice(0, entries.length + refused.size);
        const own = hooks.length > 0 ? { hooks } : {};
        return { entries, refused, writes, wakes: [...wakes], lockMs: LOCK_MS, isGathered: true, ...own };
      },
    });
    const entries = result.plan?.entries ?? [];
    const settled = new Map<string, Settled<Ingested>>();
    for (const [id, error] of result.plan?.refused ?? []) settled.set(id, { ok: false, error });
    if (result.ok) {
      for (const { item, duplicateOf } of entries) {
        const value = { id: duplicateOf ?? item.id, isDuplicate: duplicateOf !== null };
        settled.set(item.id, { ok: true, value });
      }
      return planned.map(({ id }) => settled.get(id) ?? { ok: false, error: overloaded(1) });
    }
    const isContended = isAffected(result.failed);
    const rest = entries.filter((entry) => !isContended(entry)).map(({ item }) => item);
    if (rest.length > 0 && rest.length < planned.length) {
      const outcome = await write(rest, now, true);
      for (const [at, item] of rest.entries()) {
        const one = outcome[at];
        if (one) settled.set(item.id, one);
      }
    }
    return planned.map((item) => settled.get(item.id) ?? { ok: false, error: overloaded(1) });
  };

  /** As `attempt`, but a database error becomes the result of the items. Throws TooMuchWork only. */
  const attemptOrEach = async (items: readonly Item[], now: Date, spend: SpendWork): Promise<Settled<Ingested>[]> => {
    try {
      return await attempt(items, now, spend);
    } catch (error) {
      if (error instanceof TooMuchWork) throw error;
      const isHopeless = items.length === 1 || isUnavailable(error) || isOutcomeUnknown(error);
      if (isHopeless) return items.map(() => ({ ok: false, error }));
      // The database rejected some item of the batch. Write each alone, so that only the faulty one fails.
      const settled: Settled<Ingested>[] = [];
      for (const item of items)
        settled.push(
          ...(await attempt([item], now, spendWork).catch((reason: unknown) => [
            { ok: false as const, error: reason },
          ])),
        );
      return settled;
    }
  };

  /**
   * Writes a batch. Returns the result of each item in order, or null for orgs that must be written alone.
   *
   * @param isAlone no other org waits: the batch is written however long it takes
   */
  const write = async (items: readonly Item[], now: Date, isAlone = false): Promise<(Settled<Ingested> | null)[]> => {
    const outcomes = new Map<Item, Settled<Ingested>>();
    let open = items;
    while (open.length > 0) {
      const part = weights.firstOf(open);
      try {
        const settled = await attemptOrEach(part, now, isAlone ? spendWork : spendShared());
        for (const [at, one] of settled.entries()) {
          const item = part[at];
          if (item) outcomes.set(item, one);
        }
        open = open.slice(Math.max(1, settled.length));
      } catch (error) {
        if (!(error instanceof TooMuchWork)) throw error;
        open = open.filter(({ scope }) => scope.orgId !== error.orgId);
      }
      if (open.length > 0) await nextTurn();
    }
    return items.map((item) => outcomes.get(item) ?? null);
  };
  return write;
};
