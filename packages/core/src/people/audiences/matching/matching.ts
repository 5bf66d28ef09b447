// Finds the users of a scope that match a predicate. Works in slices of limited work, because a SQLite statement blocks
// the event loop. PostgreSQL reads all users at once in disk order, which takes less than half the time of slices by
// key.

import { setTimeout as sleep } from 'node:timers/promises';
import { checkDeadline } from '../../../database/deadlines.ts';
import { timeoutOf } from '../../../database/errors.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { deadlineMs, withDeadline } from '../../../foundation/deadline.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import { semaphore } from '../../../jobs/concurrency/semaphore.ts';
import { spendWork } from '../../../jobs/concurrency/work-slices.ts';
import { type Mentions, mentions } from '../predicate/mentions.ts';
import { predicateSql } from '../predicate/store.ts';
import type { EventLeaf, Predicate } from '../predicate/types.ts';
import { isMemoryCheaper, largeFrom, type SqlWeight, sqlWeightOf } from '../predicate/weight.ts';
import { sliceSizer } from '../slice-sizer.ts';
import { type InMemoryDeps, inMemory } from './in-memory.ts';
import { type Condition, matchingStores, type Range } from './store.ts';

/**
 * Maximum weight of a slice: users times the weight of the user and leaves, about half a microsecond of CPU each on
 * SQLite. Measured, with a margin for a busy machine. A statement may take 25 ms: performance design 3.5.
 */
const SLICE_WEIGHT = 30_000;
/** Units of `spendWork` per unit of weight. */
const UNITS_PER_WEIGHT = 5;
const MAX_SLICE = 10_000;
/**
 * How much larger a slice on a reader thread may be, because it blocks nobody. Chosen: a thread round trip takes half a
 * millisecond.
 */
const READER_FACTOR = 8;
const USER_WEIGHT = 2;
/** Kilobytes of traits included in the weight of a row. */
const USUAL_KILOBYTES = 0.5;
/** Users per slice evaluated in memory. */
const MEMORY_SLICE = 200;
/** Maximum duration of a preview, in milliseconds. Chosen: below the 30 s of its route. */
const PREVIEW_MS = 25_000;
/**
 * Concurrent previews of one process that read all users at once, each on its own connection. Chosen: as many as SQLite
 * reader threads.
 */
const WHOLE_READS = 2;
/**
 * How long a preview observes other writers, in milliseconds, and from how many commits on it yields to them. Chosen:
 * detects 200 commits a second; with fewer, commits rarely wait.
 */
const OBSERVATION = { ms: 25, commits: 2 };
const NO_WEIGHT: SqlWeight = { perRow: 0, perKilobyte: 0 };
const tooLong = (): BeckonError =>
  new BeckonError(
    'QUERY_TIMEOUT',
    'The predicate takes too long for this number of users. Simplify it, or retry in 10 s.',
    { retryAfterSeconds: 10 },
  );

export type MatchingDeps = InMemoryDeps & {
  readonly storage: Pick<Storage, 'db' | 'readOnlyConnection' | 'commits' | 'dialect'>;
  readonly clock: Clock;
  /** Milliseconds since any fixed time; for tests. */
  readonly elapsedMs?: () => number;
  /** See `eventCounters`. */
  readonly coversLeaf: (scope: InScope) => Promise<(leaf: EventLeaf) => boolean>;
};

/** Matching users of one range of keys. `next` null: no more users. */
export type Slice = { readonly people: readonly string[]; readonly next: string | null };
export type CountedSlice = { readonly count: number; readonly next: string | null };

/** How to evaluate the next users. */
type MatchPlan = Condition & {
  readonly mentioned: Mentions;
  /** False: SQL finds candidates only; each is evaluated again in memory. */
  readonly isExact: boolean;
  readonly weight: SqlWeight;
  readonly users: number;
  readonly readerUsers: number;
};

/** Finds and counts matching users. */
export const matching = ({
  storage,
  clock,
  elapsedMs = () => performance.now(),
  coversLeaf,
  spend = spendWork,
  ...deps
}: MatchingDeps) => {
  const stores = matchingStores(storage);
  const isSqlite = storage.dialect.name === 'sqlite';
  const sizer = sliceSizer(1, elapsedMs);
  const readerSizer = sliceSizer(storage.readOnlyConnection === storage.db ? 1 : READER_FACTOR, elapsedMs);
  const wholeReads = semaphore(WHOLE_READS);
  const evaluateInMemory = inMemory({ ...deps, spend });

  const compiled = async (scope: InScope, predicate: Predicate, now: Date): Promise<MatchPlan> => {
    const mentioned = mentions(predicate);
    const isCounted = mentioned.events.size > 0 ? await coversLeaf(scope) : () => true;
    const weight = sqlWeightOf(predicate);
    if (isSqlite && isMemoryCheaper(weight)) {
      const users = sizer.of(MEMORY_SLICE);
      const none = { condition: null, isExact: false, largeFrom: null, weight: NO_WEIGHT };
      return { mentioned, ...none, users, readerUsers: users };
    }
    const { condition, isExact } = predicateSql(storage.dialect.name, scope, predicate, now, isCounted);
    const most = Math.floor(SLICE_WEIGHT / (weight.perRow + USER_WEIGHT));
    const users = Math.min(isExact ? MAX_SLICE : MEMORY_SLICE, most);
    const sizes = { users: sizer.of(users), readerUsers: readerSizer.of(users) };
    return { mentioned, condition, isExact, largeFrom: isSqlite ? largeFrom(weight) : null, weight, ...sizes };
  };

  /** Key of the last user of the next slice; null: it is the last slice. */
  const edgeOf = async (
    scope: InScope,
    after: string | null,
    { users, ...plan }: MatchPlan,
  ): Promise<string | null> => {
    if (!isSqlite) return stores.edge(scope, after, users);
    for (let most = users; ; ) {
      const { count, bytes, last } = await stores.sizes(scope, after, most, plan.largeFrom);
      const kilobytes = Math.max(0, bytes / 1_024 - count * USUAL_KILOBYTES);
      const weight = count * (plan.weight.perRow + USER_WEIGHT) + kilobytes * plan.weight.perKilobyte;
      if (count <= 1 || weight <= SLICE_WEIGHT) {
        const rest = spend(weight * UNITS_PER_WEIGHT, scopeKey(scope));
        if (rest !== undefined) await rest;
        return count < most ? null : last;
      }
      most = Math.max(1, Math.floor((Math.min(most, count) * SLICE_WEIGHT) / weight));
    }
  };

  const slice = async (
    scope: InScope,
    predicate: Predicate,
    after: string | null,
    now = clock.now(),
  ): Promise<Slice> => {
    const plan = await compiled(scope, predicate, now);
    const next = await edgeOf(scope, after, plan);
    const range = { after, until: next };
    const found = await sizer.run(() => stores.of(range).people(scope, range, plan));
    const open = found.filter(({ isLarge }) => isLarge || !plan.isExact).map(({ person }) => person);
    if (open.length === 0) return { people: found.map(({ person }) => person), next };
    const holding = new Set(await evaluateInMemory(scope, predicate, open, plan.mentioned, now));
    const isIn = ({ person, isLarge }: (typeof found)[number]): boolean =>
      isLarge || !plan.isExact ? holding.has(person) : true;
    return { people: found.filter(isIn).map(({ person }) => person), next };
  };

  const countSlice = async (
    scope: InScope,
    predicate: Predicate,
    after: string | null,
    now = clock.now(),
  ): Promise<CountedSlice> => {
    const plan = await compiled(scope, predicate, now);
    if (!plan.isExact) {
      const { people, next } = await slice(scope, predicate, after, now);
      return { count: people.length, next };
    }
    const countLarge = async (range: Range): Promise<number> => {
      const large = await stores.of(range).large(scope, range, plan);
      return (await evaluateInMemory(scope, predicate, large, plan.mentioned, now)).length;
    };
    if (after !== null && isSqlite) {
      const { count, large, next } = await readerSizer.run(() =>
        stores.countNext(scope, after, plan.readerUsers, plan),
      );
      return { count: count + (large > 0 ? await countLarge({ after, until: next }) : 0), next };
    }
    const next = await edgeOf(scope, after, plan);
    const range = { after, until: next };
    const count = await sizer.run(() => stores.of(range).count(scope, range, plan));
    return { count: count + (plan.largeFrom === null ? 0 : await countLarge(range)), next };
  };

  const doOthersWrite = async (): Promise<boolean> => {
    const before = storage.commits();
    await sleep(OBSERVATION.ms);
    return storage.commits() - before >= OBSERVATION.commits;
  };

  /** All users by one statement. Throws QUERY_TIMEOUT. */
  const whole = async (
    scope: InScope,
    { mentioned, condition, users }: MatchPlan & { readonly condition: NonNullable<Condition['condition']> },
    sample: number,
  ) => {
    const isOfRow = mentioned.events.size + mentioned.audiences.size === 0;
    const isBeside = doOthersWrite();
    try {
      return await withDeadline(PREVIEW_MS, async () => {
        if ((await stores.edge(scope, null, users)) === null) {
          const people = await stores.all(scope, condition);
          return { count: people.length, people: people.slice(0, sample) };
        }
        const leftMs = Math.max(0, Math.ceil(deadlineMs() - performance.now()));
        if (!(await wholeReads.acquire(AbortSignal.timeout(leftMs)))) throw tooLong();
        try {
          return await stores.whole(scope, condition, { most: sample, isOfRow, isBeside: await isBeside });
        } finally {
          wholeReads.release();
        }
      });
    } catch (error) {
      throw timeoutOf(error) === null ? error : tooLong();
    }
  };

  /** Slice by slice, each bounded to the work of one event loop turn. Throws QUERY_TIMEOUT. */
  const inSlices = async (scope: InScope, predicate: Predicate, sample: number, now: Date) => {
    const start = elapsedMs();
    const people: string[] = [];
    let count = 0;
    let after: string | null = null;
    do {
      if (elapsedMs() - start > PREVIEW_MS) throw tooLong();
      checkDeadline(deadlineMs());
      if (people.length < sample) {
        const { people: found, next }: Slice = await slice(scope, predicate, after, now);
        people.push(...found.slice(0, sample - people.length));
        count += found.length;
        after = next;
      } else {
        const part: CountedSlice = await countSlice(scope, predicate, after, now);
        count += part.count;
        after = part.next;
      }
    } while (after !== null);
    return { count, people };
  };

  return {
    /**
     * Matching users among the next slice after a key (null: from the start).
     *
     * @param now time of the evaluation; must be the same for all slices of one pass
     */
    slice,
    /** Number of matching users in the next slice. As `slice`. */
    countSlice,
    /** Number of matching users, and the first of them. Throws QUERY_TIMEOUT. */
    preview: async (
      scope: InScope,
      predicate: Predicate,
      sample: number,
    ): Promise<{ readonly count: number; readonly people: readonly string[] }> => {
      const now = clock.now();
      const plan = await compiled(scope, predicate, now);
      const { condition } = plan;
      if (plan.isExact && condition !== null && !isSqlite) return whole(scope, { ...plan, condition }, sample);
      try {
        return await withDeadline(PREVIEW_MS, () => inSlices(scope, predicate, sample, now));
      } catch (error) {
        throw timeoutOf(error) === null ? error : tooLong();
      }
    },
  };
};
