import { overloaded } from '../errors.ts';
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
    failed.has(entry.item.id) || failed.has(personTag(entry.item.scope, entry.person));

/**
 * Load, plan, commit. The reactions' reads are set-based, their plans pure, and one fixed list of guarded statements
 * writes them in one transaction. Where a guard failed, somebody else changed those people in between: everything is
 * loaded and planned again, as often as `commitPlanned` does it; then those people's items are refused and the rest goes on.
 */
export const ingest = (
  storage: Storage,
  reactions: readonly BoundReaction[],
  { isJoined = false }: Partial<Pick<Round, 'isJoined'>> = {},
) => {
  const plan = async (items: readonly Item[], now: Date, round: Round): Promise<IngestDraft> => {
    const planners = await Promise.all(reactions.map((reaction) => reaction.load(items, round)));
    const draft = newDraft(items, now);
    for (const add of planners) add(draft);
    return draft;
  };

  const attempt = async (items: readonly Item[], now: Date): Promise<Settled<Ingested>[]> => {
    const result = await commitPlanned(storage, items, {
      plan: async (_, failed) => {
        const { entries, writes, wakes, along } = await plan(items, now, { isFirstTry: failed.size === 0, isJoined });
        const own = along.length > 0 ? { along } : {};
        return { entries, writes, wakes: [...wakes], lockMs: LOCK_MS, isGathered: true, ...own };
      },
    });
    const entries = result.plan?.entries ?? [];
    if (result.ok)
      return entries.map(({ item, duplicateOf }) => ({
        ok: true,
        value: { id: duplicateOf ?? item.id, isDuplicate: duplicateOf !== null },
      }));
    const isContended = isOf(result.failed);
    const rest = entries.filter((entry) => !isContended(entry)).map(({ item }) => item);
    const settled = new Map<Item, Settled<Ingested>>();
    if (rest.length > 0 && rest.length < items.length) {
      const outcome = await attempt(rest, now);
      for (const [at, item] of rest.entries()) {
        const one = outcome[at];
        if (one) settled.set(item, one);
      }
    }
    return items.map((item) => settled.get(item) ?? { ok: false, error: overloaded(1) });
  };

  /** Writes a batch; answers what became of each item, in order. Throws nothing. */
  return async (items: readonly Item[], now: Date): Promise<Settled<Ingested>[]> => {
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
};
