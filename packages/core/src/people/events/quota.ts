// Monthly event quotas, counted in the transaction that stores the events (semantics, Quota). An org with a quota has
// one row per month. A guarded statement increments it, so that it never passes the quota however many processes write.
// Usage only grows: over-quota requests are rejected from the cache, so an org over its quota costs no query. An org
// without a quota is counted in several rows, so that its transactions do not wait for each other.

import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { BeckonError } from '../../foundation/errors.ts';
import { lru } from '../../foundation/lru.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import { monthOf, secondsToNextMonth } from '../../platform/plans/month.ts';
import type { Plans, QuotaStatements } from '../../platform/plans/plans.ts';
import { HOST_SLOTS, QUOTA_SLOT } from '../../platform/plans/slots.ts';
import { type Entry, freshEntries, type IngestDraft, type Item, orgTag, type Reaction } from './pipeline.ts';

/** Rows per month of an org without a quota. Chosen: more than parallel flushes, to avoid contention. */
const SLOTS = { sqlite: 1, postgres: 16 } as const;
/** Months cached, one per org. Chosen: bounds the memory. */
const MAX_MONTHS = 10_000;

type Month = { readonly orgId: string; readonly month: string };
/** Lower bounds of a month's usage: in the quota row, and in the other rows. */
type Used = { readonly bounded: number; readonly spread: number };
type Loaded = {
  readonly items: readonly Item[];
  readonly slotOf: (item: Item) => number;
  /** Quota of an org; null: unlimited. */
  readonly limitOf: (orgId: string) => number | null;
  readonly usedOf: (month: Month) => Used;
};

const keyOf = ({ orgId, month }: Month): string => `${month}/${orgId}`;
const isCounted = ({ kind }: Item): boolean => kind === 'event' || kind === 'identify';
const monthOfItem = ({ scope, receivedAt }: Item): Month => ({ orgId: scope.orgId, month: monthOf(receivedAt) });
/** Id of the unit that is accepted or rejected as a whole. */
const requestOf = ({ request, id }: Item): string => request ?? id;

const overQuota = ({ receivedAt }: Item, limit: number, now: Date): BeckonError =>
  new BeckonError(
    'RATE_LIMITED',
    `The monthly event quota of the organization's plan is used up: ${limit} events. It resets with the next UTC month.`,
    { details: { retryAfterSeconds: secondsToNextMonth(receivedAt, now), limit, reason: 'quota' } },
  );

/** Removes over-quota entries, their writes and their duplicates from the draft. */
const refuse = (draft: IngestDraft, entries: readonly Entry[], limit: number): void => {
  if (entries.length === 0) return;
  const ids = new Set(entries.map(({ item }) => item.id));
  const isOut = ({ item, duplicateOf }: Entry): boolean =>
    ids.has(item.id) || (duplicateOf !== null && ids.has(duplicateOf));
  for (const entry of draft.entries.filter(isOut))
    draft.refused.set(entry.item.id, overQuota(entry.item, limit, draft.now));
  const left = draft.entries.filter((entry) => !isOut(entry));
  draft.entries.splice(0, draft.entries.length, ...left);
  const writes = draft.writes.filter(({ tag }) => !ids.has(tag));
  draft.writes.splice(0, draft.writes.length, ...writes);
};

/**
 * Splits requests, in order, into those that fit the quota and those that do not. Pure.
 *
 * @param later items of the same requests that later commits write: the first commit is accepted only if all of them
 * would fit
 */
const fitting = (fresh: readonly Entry[], later: ReadonlyMap<string, readonly Item[]>, capacity: number) => {
  const byRequest = Map.groupBy(fresh, ({ item }) => requestOf(item));
  const over: Entry[] = [];
  let used = 0;
  let remaining = capacity;
  for (const [request, entries] of byRequest) {
    const needed = entries.length + (later.get(request)?.length ?? 0);
    if (needed > remaining) over.push(...entries);
    else {
      used += entries.length;
      remaining -= needed;
    }
  }
  return { accepted: used, over };
};

/** Which orgs have a quota: their requests are written as a whole and in order. */
export type BoundedOrgs = {
  /** True if this process has read that the org has a quota. Throws nothing. */
  isBounded(orgId: string): boolean;
  /** Whether the org has a quota; synchronous if known. Throws database errors. */
  findBounded(orgId: string): boolean | Promise<boolean>;
};

/** Quotas and their ingest reaction. */
export type Quotas = BoundedOrgs & { readonly reaction: Reaction<Loaded> };

/** Counts stored events and rejects those over quota. */
export const quotas = ({
  storage,
  hot,
  plans,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake' | 'dialect'>;
  readonly hot: QuotaStatements;
  readonly plans: Pick<Plans, 'of' | 'load'>;
  readonly clock: Clock;
}): Quotas => {
  const bounded = lru<string, boolean>(MAX_MONTHS);
  let turn = 0;

  const read = async (months: readonly Month[]): Promise<(month: Month) => Used> => {
    const rows = await storage.select(
      hot.usage,
      months.map(({ orgId, month }) => [orgId, month]),
    );
    const sums = new Map<string, { bounded: number; spread: number }>();
    for (const row of rows) {
      const sum = sums.get(keyOf(row)) ?? { bounded: 0, spread: 0 };
      if (row.slot === QUOTA_SLOT) sum.bounded += row.events;
      else sum.spread += row.events;
      sums.set(keyOf(row), sum);
    }
    return (month) => sums.get(keyOf(month)) ?? { bounded: 0, spread: 0 };
  };
  // As old as a cached plan at most: until then another process may still count in the spread rows.
  const remembered = sharedCache<Month, Used>({ storage, clock, topic: null, nameOf: keyOf, read });
  const note = (orgId: string, isBounded: boolean): boolean => {
    bounded.set(orgId, isBounded);
    return isBounded;
  };

  const reaction: Reaction<Loaded> = {
    name: 'quota',
    load: async (items, { isFirstTry, isJoined }) => {
      const months = new Map<string, Month>();
      let last: Item | undefined;
      for (const item of items) {
        if (!isCounted(item)) continue;
        // Nearly always the same org and time as the previous item.
        if (last?.scope.orgId === item.scope.orgId && last.receivedAt.getTime() === item.receivedAt.getTime()) continue;
        const month = monthOfItem(item);
        months.set(keyOf(month), month);
        last = item;
      }
      const requested = [...months.values()];
      const planOf = await plans.load(requested.map(({ orgId }) => orgId));
      const limited = requested.filter(({ orgId }) => note(orgId, planOf(orgId).eventsPerMonth !== null));
      // Rows written in a host's transaction are visible in that transaction only.
      const inside = isJoined && !isFirstTry;
      const usedOf = inside ? await read(limited) : await remembered.load(limited, () => !isFirstTry);
      turn = (turn + 1) % SLOTS[storage.dialect.name];
      const slot = turn + 1;
      return {
        items,
        // Safe as a number: 28 random bits of the id.
        slotOf: ({ id }) => (isJoined ? HOST_SLOTS + (Number.parseInt(id.slice(-7), 16) || 0) : slot),
        limitOf: (orgId) => planOf(orgId).eventsPerMonth,
        usedOf,
      };
    },
    plan: (draft, { items, slotOf, limitOf, usedOf }) => {
      const counted = freshEntries(draft).filter(({ item }) => isCounted(item));
      const later = Map.groupBy(items.slice(draft.entries.length), requestOf);
      for (const fresh of Map.groupBy(counted, ({ item }) => keyOf(monthOfItem(item))).values()) {
        const [first] = fresh;
        if (!first) continue;
        const month = monthOfItem(first.item);
        const tag = orgTag(month.orgId);
        const limit = limitOf(month.orgId);
        if (limit === null) {
          const row = { ...month, slot: slotOf(first.item), events: fresh.length, maxEvents: Number.MAX_SAFE_INTEGER };
          draft.writes.push(write(hot.count, row, tag));
          continue;
        }
        const used = usedOf(month);
        const maxEvents = limit - used.spread;
        const { accepted, over } = fitting(fresh, later, maxEvents - used.bounded);
        refuse(draft, over, limit);
        if (accepted > 0)
          draft.writes.push(write(hot.count, { ...month, slot: QUOTA_SLOT, events: accepted, maxEvents }, tag));
      }
    },
  };

  return {
    reaction,
    isBounded: (orgId) => bounded.get(orgId) === true,
    findBounded: (orgId) =>
      bounded.get(orgId) ?? plans.of(orgId).then(({ eventsPerMonth }) => note(orgId, eventsPerMonth !== null)),
  };
};
