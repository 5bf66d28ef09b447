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
  MOST_WEIGHT,
  newDraft,
  orgTag,
  personTag,
  planInOrder,
  type Round,
} from './pipeline.ts';

/**
 * How long a batch waits for people whom a host's own transaction holds, in milliseconds; then all of it is refused. A
 * host that waits for an event of somebody whom its open transaction has changed would otherwise wait for itself. Ours.
 */
const LOCK_MS = 5_000;

/** What became of an accepted item. */
export type Ingested = { readonly id: string; readonly isDuplicate: boolean };

const isOf =
  (failed: ReadonlySet<string>) =>
  (entry: Entry): boolean =>
    failed.has(entry.item.id) ||
    failed.has(personTag(entry.item.scope, entry.person)) ||
    failed.has(orgTag(entry.item.scope.orgId));

/**
 * Units of work that one org's items may take in a flush that other orgs' items may be in or wait for. Chosen: five turns of the event loop.
 */
const MOST_BESIDE_OTHERS = 5 * UNITS_PER_TURN;

/** Ends a try: the items of this org take longer than others should wait for. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
  readonly orgId: unknown;
  constructor(orgId: unknown) {
    super('the items of one org take longer than others should wait for');
    this.orgId = orgId;
  }
}

/** Counts work for `spendWork`, and ends the try once that of one org is too much for others to wait for. */
const spendingBesideOthers = (): SpendWork => {
  const spent = new Map<unknown, number>();
  return (units, orgId) => {
    const own = (spent.get(orgId) ?? 0) + units;
    if (own > MOST_BESIDE_OTHERS) throw new TooMuchWork(orgId);
    spent.set(orgId, own);
    return spendWork(units, orgId);
  };
};

/** Orgs of which it is remembered what their items weigh. Chosen. */
const MAX_ORGS = 10_000;
/** Part of the weight of a commit that is filled by what items weighed before, since the next ones may weigh more. Chosen. */
const FILLED = 0.85;

/** Remembers what the writes of each org's items weigh, so that few plans are made of more than one commit takes. */
const itemWeights = () => {
  const known = lru<string, number>(MAX_ORGS);
  return {
    /** The first items that fit into one commit, and those of the last one's request: a quota takes a request as a whole. */
    firstOf: (items: readonly Item[]): readonly Item[] => {
      let weight = 0;
      let end = items.findIndex(({ scope }) => {
        weight += known.peek(scope.orgId) ?? 0;
        return weight > MOST_WEIGHT * FILLED;
      });
      if (end === -1) return items;
      end = Math.max(1, end);
      const request = items[end - 1]?.request;
      while (request !== undefined && items[end]?.request === request) end += 1;
      return items.slice(0, end);
    },
    /** These items were planned together, and their writes weigh so much. */
    learn: (items: readonly Item[], weight: number): void => {
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
 * Load, plan, commit. The reactions' reads are set-based, their plans pure, and one fixed list of guarded statements
 * writes them in one transaction. Where a guard failed, somebody else changed those people in between: everything is
 * loaded and planned again, as often as `commitPlanned` does it; then those people's items are refused and the rest goes on.
 * Where a reaction finds too much to change for one commit, or their writes are too many, the items take several, in their
 * order. Where the items of one org take long, those of others go on without them.
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
    if (share > 0) weights.learn(items.slice(0, share), draft.writes.length + draft.extraWeight);
    const fitting = fittingOf(share, draft);
    return fitting < share ? plan(items, fitting, now, round) : draft;
  };

  /** Answers for the items that it took, from the first on. */
  const attempt = async (items: readonly Item[], now: Date, spend: SpendWork): Promise<Settled<Ingested>[]> => {
    let planned = items;
    const result = await commitPlanned(storage, items, {
      plan: async (_, failed) => {
        const isFirstTry = failed.size === 0;
        const hasHooks = !isJoined;
        const round = { isJoined, hasHooks, spend };
        const guessed = await plan(planned, planned.length, now, { ...round, isFirstTry });
        // Nobody is refused by a guess: what is there already is a duplicate, whatever there is room for.
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
    const isContended = isOf(result.failed);
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

  /** As `attempt`; where what it took cannot be written, all of the items are answered for. Throws TooMuchWork alone. */
  const attemptOrEach = async (items: readonly Item[], now: Date, spend: SpendWork): Promise<Settled<Ingested>[]> => {
    try {
      return await attempt(items, now, spend);
    } catch (error) {
      if (error instanceof TooMuchWork) throw error;
      const isHopeless = items.length === 1 || isUnavailable(error) || isOutcomeUnknown(error);
      if (isHopeless) return items.map(() => ({ ok: false, error }));
      // Something in this batch cannot be written: one by one, so that only the culprit fails.
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
   * Writes a batch; answers what became of each item, in order, and null for those of orgs that have to be written alone.
   *
   * @param isAlone no other org waits for it: however long it takes, all of it is written
   */
  const write = async (items: readonly Item[], now: Date, isAlone = false): Promise<(Settled<Ingested> | null)[]> => {
    const outcomes = new Map<Item, Settled<Ingested>>();
    let open = items;
    while (open.length > 0) {
      const part = weights.firstOf(open);
      try {
        const settled = await attemptOrEach(part, now, isAlone ? spendWork : spendingBesideOthers());
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
