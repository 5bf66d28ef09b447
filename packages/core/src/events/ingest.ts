import { overloaded } from '../errors.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import { commitPlanned } from '../storage/commit-planned.ts';
import { isOutcomeUnknown, isUnavailable } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Settled } from '../work/concurrency/batcher.ts';
import {
  type BoundReaction,
  type Entry,
  type IngestDraft,
  type Item,
  newDraft,
  orgTag,
  personTag,
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
 * Load, plan, commit. The reactions' reads are set-based, their plans pure, and one fixed list of guarded statements
 * writes them in one transaction. Where a guard failed, somebody else changed those people in between: everything is
 * loaded and planned again, as often as `commitPlanned` does it; then those people's items are refused and the rest goes on.
 * Where a reaction finds too much to change for one commit, the items take several, in their order.
 */
export const ingest = (
  storage: Storage,
  reactions: readonly BoundReaction[],
  { isJoined = false }: Partial<Pick<Round, 'isJoined'>> = {},
) => {
  const plan = async (items: readonly Item[], now: Date, round: Round): Promise<IngestDraft> => {
    let share = items.length;
    const takeOnly = (count: number): void => {
      share = Math.max(1, Math.min(share, count));
    };
    const planners = await Promise.all(reactions.map((reaction) => reaction.load(items, { ...round, takeOnly })));
    const draft = newDraft(items.slice(0, share), now);
    for (const add of planners) add(draft);
    return draft;
  };

  /** Answers for the items that it took, from the first on. */
  const attempt = async (items: readonly Item[], now: Date): Promise<Settled<Ingested>[]> => {
    let taken = items;
    const result = await commitPlanned(storage, items, {
      plan: async (_, failed) => {
        const isFirstTry = failed.size === 0;
        const hasAlong = !isJoined;
        const guessed = await plan(taken, now, { isFirstTry, isJoined, hasAlong });
        // Nobody is refused by a guess: what is there already is a duplicate, whatever there is room for.
        const isGuess = isFirstTry && guessed.refused.size > 0;
        const draft = isGuess ? await plan(taken, now, { isFirstTry: false, isJoined, hasAlong }) : guessed;
        const { entries, refused, writes, wakes, along } = draft;
        taken = taken.slice(0, entries.length + refused.size);
        const own = along.length > 0 ? { along } : {};
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
      return taken.map(({ id }) => settled.get(id) ?? { ok: false, error: overloaded(1) });
    }
    const isContended = isOf(result.failed);
    const rest = entries.filter((entry) => !isContended(entry)).map(({ item }) => item);
    if (rest.length > 0 && rest.length < taken.length) {
      const outcome = await write(rest, now);
      for (const [at, item] of rest.entries()) {
        const one = outcome[at];
        if (one) settled.set(item.id, one);
      }
    }
    return taken.map((item) => settled.get(item.id) ?? { ok: false, error: overloaded(1) });
  };

  /** As `attempt`; where what it took cannot be written, all of the items are answered for. Throws nothing. */
  const attemptOrEach = async (items: readonly Item[], now: Date): Promise<Settled<Ingested>[]> => {
    try {
      return await attempt(items, now);
    } catch (error) {
      const isHopeless = items.length === 1 || isUnavailable(error) || isOutcomeUnknown(error);
      if (isHopeless) return items.map(() => ({ ok: false, error }));
      // Something in this batch cannot be written: one by one, so that only the culprit fails.
      const settled: Settled<Ingested>[] = [];
      for (const item of items)
        settled.push(
          ...(await attempt([item], now).catch((reason: unknown) => [{ ok: false as const, error: reason }])),
        );
      return settled;
    }
  };

  /** Writes a batch; answers what became of each item, in order. Throws nothing. */
  const write = async (items: readonly Item[], now: Date): Promise<Settled<Ingested>[]> => {
    let settled = await attemptOrEach(items, now);
    while (settled.length < items.length && settled.length > 0) {
      await nextTurn();
      settled = [...settled, ...(await attemptOrEach(items.slice(settled.length), now))];
    }
    return settled;
  };
  return write;
};
