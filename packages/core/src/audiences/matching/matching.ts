// Whom a predicate holds for, among all users of a scope: in slices, each of which is as much work as the event loop may
// be held for, since on SQLite a statement holds it. PostgreSQL reads all of them at once, in the order in which rows lie
// on disk, which takes less than half of what slices of keys do.

import { setTimeout as sleep } from 'node:timers/promises';
import { BeckonError } from '../../errors.ts';
import type { Clock } from '../../primitives/clock.ts';
import { deadlineMs, withDeadline } from '../../primitives/deadline.ts';
import { type InScope, scopeOf } from '../../primitives/scope.ts';
import { type LoadProfiles, personKey } from '../../profiles/view.ts';
import { timeoutOf } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { semaphore } from '../../work/concurrency/semaphore.ts';
import { slicePace } from '../pace.ts';
import { holds } from '../predicate/evaluate.ts';
import { type Facts, userFacts } from '../predicate/facts.ts';
import { type Mentions, mentions } from '../predicate/mentions.ts';
import { predicateSql } from '../predicate/store.ts';
import { type EventLeaf, type Leaf, leavesOf, type Predicate } from '../predicate/types.ts';
import { matchingStores } from './store.ts';

/**
 * What one slice weighs at most: users times what they and the leaves weigh, about half a microsecond of CPU each on
 * SQLite. Measured, with room for a busy machine; source of the 25 ms that a statement may take: performance design 3.5.
 */
const SLICE_WEIGHT = 30_000;
const MAX_SLICE = 10_000;
/** How much more a slice may be that holds nobody up, since a thread counts it; ours. Asking a thread takes half a millisecond. */
const ASIDE_MORE = 8;
const USER_WEIGHT = 2;
/** Users of one slice where memory has the last word. */
const MEMORY_SLICE = 200;
/** How long a preview takes at most; ours, below the 30 s of its route. */
const PREVIEW_MS = 25_000;
/** Previews of one process that read all users at once, each on a connection of its own; ours, as threads of SQLite. */
const WHOLE_READS = 2;
/**
 * How long a preview looks whether others write, in milliseconds, and of how many commits they do. Ours: it is seen of 200 a
 * second, and of fewer a commit seldom waits.
 */
const LOOK = { ms: 25, commits: 2 };
const tooLong = (): BeckonError =>
  new BeckonError('QUERY_TIMEOUT', 'The predicate takes too long over so many users.', { retryAfterSeconds: 10 });

// Beside reading one trait, as one or less: a date and a version are taken apart character by character.
const weightOf = (leaf: Leaf): number => {
  if (leaf.op.startsWith('ver_')) return 12;
  if (DATES.has(leaf.op)) return 8;
  return LONG.has(leaf.op) ? 3 : 1;
};
const DATES: ReadonlySet<string> = new Set(['before', 'after', 'within_last', 'within_next', 'older_than']);
const LONG: ReadonlySet<string> = new Set([
  ...[
    'includes',
    'not_includes',
    'includes_any',
    'includes_all',
    'contains',
    'not_contains',
    'starts_with',
    'ends_with',
  ],
]);

export type MatchingDeps = {
  readonly storage: Pick<Storage, 'db' | 'aside' | 'commits' | 'dialect'>;
  readonly clock: Clock;
  /** Milliseconds since any moment; for tests. */
  readonly elapsedMs?: () => number;
  readonly loadProfiles: LoadProfiles;
  /** See `eventCounters`. */
  readonly isTold: (scope: InScope) => Promise<(leaf: EventLeaf) => boolean>;
  readonly talliesOf: (
    scope: InScope,
    people: readonly string[],
    asked: Mentions,
  ) => Promise<(person: InScope & { readonly person: string }) => Facts['tallyOf']>;
  /** Who of these people is in which of these audiences. */
  readonly membersOf: (
    scope: InScope,
    people: readonly string[],
    audiences: ReadonlySet<string>,
  ) => Promise<(person: string, audienceId: string) => boolean | null>;
};

/** A part of all users, in the order of their keys: those of them who match. `next` null: there are no more users. */
export type Slice = { readonly people: readonly string[]; readonly next: string | null };
export type CountedSlice = { readonly count: number; readonly next: string | null };

/** Finds and counts users. */
export const matching = ({
  storage,
  clock,
  elapsedMs = () => performance.now(),
  loadProfiles,
  isTold,
  talliesOf,
  membersOf,
}: MatchingDeps) => {
  const stores = matchingStores(storage);
  const pace = slicePace(1, elapsedMs);
  const asidePace = slicePace(storage.aside === storage.db ? 1 : ASIDE_MORE, elapsedMs);
  const wholeReads = semaphore(WHOLE_READS);

  const factsOf = async (scope: InScope, people: readonly string[], asked: Mentions, now: Date) => {
    const keys = people.map((person) => ({ ...scopeOf(scope), person }));
    const [profiles, tallies, members] = await Promise.all([
      loadProfiles(keys),
      talliesOf(scope, people, asked),
      membersOf(scope, people, asked.audiences),
    ]);
    return new Map(
      keys.flatMap((key): [string, Facts][] => {
        const profile = profiles.get(personKey(key));
        if (!profile) return [];
        const { person } = key;
        const user = userFacts(profile);
        const isMember = (id: string): boolean | null => members(person, id);
        return [[person, { now, user, traits: profile.traits, tallyOf: tallies(key), isMember }]];
      }),
    );
  };

  const compiled = async (scope: InScope, predicate: Predicate, now: Date) => {
    const asked = mentions(predicate);
    const told = asked.events.size > 0 ? await isTold(scope) : () => true;
    const { condition, isExact } = predicateSql(storage.dialect.name, scope, predicate, now, told);
    const weight = leavesOf(predicate).reduce((sum, leaf) => sum + weightOf(leaf), USER_WEIGHT);
    const users = isExact ? Math.min(MAX_SLICE, Math.floor(SLICE_WEIGHT / weight)) : MEMORY_SLICE;
    return { asked, condition, isExact, users: pace.of(users), usersAside: asidePace.of(users) };
  };

  const judged = async (
    scope: InScope,
    predicate: Predicate,
    people: readonly string[],
    asked: Mentions,
    now: Date,
  ) => {
    if (people.length === 0) return [];
    const facts = await factsOf(scope, people, asked, now);
    return people.filter((person) => {
      const known = facts.get(person);
      return known !== undefined && holds(predicate, known);
    });
  };

  const slice = async (
    scope: InScope,
    predicate: Predicate,
    after: string | null,
    now = clock.now(),
  ): Promise<Slice> => {
    const { asked, condition, isExact, users } = await compiled(scope, predicate, now);
    const next = await stores.edge(scope, after, users);
    const range = { after, until: next };
    const people = await pace.run(() => stores.of(range).people(scope, range, condition));
    return { people: isExact ? people : await judged(scope, predicate, people, asked, now), next };
  };

  const countSlice = async (
    scope: InScope,
    predicate: Predicate,
    after: string | null,
    now = clock.now(),
  ): Promise<CountedSlice> => {
    const { asked, condition, isExact, users, usersAside } = await compiled(scope, predicate, now);
    if (isExact && after !== null && storage.dialect.name === 'sqlite')
      return asidePace.run(() => stores.countNext(scope, after, usersAside, condition));
    const next = await stores.edge(scope, after, users);
    const range = { after, until: next };
    const store = stores.of(range);
    if (isExact) return { count: await pace.run(() => store.count(scope, range, condition)), next };
    const people = await pace.run(() => store.people(scope, range, condition));
    return { count: (await judged(scope, predicate, people, asked, now)).length, next };
  };

  const doOthersWrite = async (): Promise<boolean> => {
    const before = storage.commits();
    await sleep(LOOK.ms);
    return storage.commits() - before >= LOOK.commits;
  };

  /** Among all users by one statement. Throws QUERY_TIMEOUT. */
  const whole = async (
    scope: InScope,
    { asked, condition, users }: Awaited<ReturnType<typeof compiled>>,
    sample: number,
  ) => {
    const isOfRow = asked.events.size + asked.audiences.size === 0;
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

  return {
    /** What is known of these people as far as a predicate or a condition asks for it; who has no profile is missing. */
    factsOf,
    /**
     * Those of the next users whom a predicate holds for, after a key (null: from the first on).
     *
     * @param now the moment that it is judged at: the same for all slices of one pass
     */
    slice,
    /** How many of the next users a predicate holds for. As `slice`. */
    countSlice,
    /** How many users a predicate holds for, and the first of them. Throws QUERY_TIMEOUT. */
    preview: async (
      scope: InScope,
      predicate: Predicate,
      sample: number,
    ): Promise<{ readonly count: number; readonly people: readonly string[] }> => {
      const now = clock.now();
      const start = elapsedMs();
      const people: string[] = [];
      const asked = await compiled(scope, predicate, now);
      if (asked.isExact && storage.dialect.name === 'postgres') return whole(scope, asked, sample);
      let count = 0;
      let after: string | null = null;
      do {
        if (elapsedMs() - start > PREVIEW_MS) throw tooLong();
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
    },
  };
};
