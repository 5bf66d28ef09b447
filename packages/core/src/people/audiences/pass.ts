// One walk over all users for every audience of a scope that waits to be built: whoever is loaded is judged for all of
// them. Where SQL can judge a few audiences exactly and time changes nothing, one statement finds who differs from what is
// stored, and nobody else is loaded. Either way what was read of a person is guarded by the version of their profile, so
// it is the same for exactness which of the two read it, and where.

import { setTimeout as sleep } from 'node:timers/promises';
import { commitPlanned } from '../../database/commit/commit-planned.ts';
import { type Write, type WriteSet, write } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { People, SeenPerson } from '../profiles/people.ts';
import { personKey } from '../profiles/view.ts';
import type { LiveAudience } from './by-value.ts';
import type { Counting } from './counts.ts';
import { joined, type Live } from './definitions.ts';
import { type Delta, evaluatedOf, evaluatorOf } from './evaluate.ts';
import type { Differing } from './matching/differing.ts';
import { checkAt, rowsOf } from './moves.ts';
import { type Pace, slicePace } from './pace.ts';
import { factsOfProfile } from './person.ts';
import { sqlWeightOfAll } from './predicate/weight.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceRow } from './tables.ts';

/** Audiences that SQL judges at most: reading a person whole costs as much as judging one by SQL for so many; measured. */
const FEW = 12;
/** Microseconds that loading a person takes, and judging and changing one for an audience: measured, with room. */
const PERSON_US = 40;
const AUDIENCE_US = 2;
/**
 * What a slice is to take, in microseconds, before anything was learned of it. Chosen: well below 25 ms where profiles are
 * full, which takes ten times as long.
 */
const SLICE_US = 3_000;
/** Users of a slice that SQL judges, for one audience; ours, some milliseconds. Fewer where its predicate is dear. */
const SQL_SLICE = 5_000;
/** The same, users times what a predicate weighs (predicate/weight.ts). */
const SQL_WEIGHT = 30_000;
/** Moves of one commit where SQL says who moves; ours, some milliseconds. */
const MOVES = 500;
/** A slice is followed by a rest as long as it took, and this at most, in milliseconds; ours. */
const MOST_REST_MS = 50;
/** How much longer slices may become than these say. */
const LONGER = 8;

export type PassDeps = {
  readonly storage: Pick<Storage, 'select' | 'commit'>;
  readonly hot: AudienceStatements;
  readonly people: Pick<People, 'usersAfter' | 'hold'>;
  readonly clock: Clock;
  readonly counting: Pick<Counting, 'ofPeople'>;
  readonly differing: Differing;
};

/** An audience that somebody has claimed to build it. */
export type Build = { readonly row: Claimed<AudienceRow>; readonly audience: LiveAudience };
type Slice = WriteSet & { readonly last: string | null; readonly of: readonly Build[] };
/** Whoever moves, and the last user whom a slice looked at; null: there are no more. */
type Found = { readonly writes: readonly Write[]; readonly last: string | null; readonly isWhole: boolean };

/** What stands for the claim of an audience in a plan. Throws nothing. */
export const buildTag = (row: Claimed<AudienceRow>): string => `build:${scopeKey(row)}/${row.id}`;

// By its own predicate, and of lists by their rows: those of another audience may be behind.
const isSqlEnough = ({ all, own }: LiveAudience, live: Live): boolean =>
  !all.isTimed && [...own.audiences].every((id) => live.lists.has(id));

export const audiencePass = ({ storage, hot, people, clock, counting, differing }: PassDeps) => {
  const moved = (seen: SeenPerson, delta: Delta): Write[] => {
    const tag = personKey(seen);
    const rows = rowsOf(hot, seen, delta, clock.now(), tag);
    return rows.length === 0 ? [] : [people.hold(seen, tag), ...rows];
  };

  /** Judges users in memory; time may change what is said of them. */
  const judged = async (
    scope: InScope,
    live: Live,
    audiences: readonly LiveAudience[],
    after: string | null,
    users: number,
  ): Promise<Found> => {
    const loaded = await people.usersAfter(scope, after ?? undefined, users);
    const keys = loaded.map(({ person }) => person);
    const asked = joined(audiences.map(({ all }) => all));
    const [memberships, tallies] = await Promise.all([
      storage.select(
        hot.memberships,
        keys.map((person) => [scopeKey(scope), person]),
      ),
      counting.ofPeople(scope, keys, asked),
    ]);
    const there = Map.groupBy(memberships, ({ person }) => person);
    const now = clock.now();
    const writes: Write[] = [];
    for (const user of loaded) {
      const rows = new Set((there.get(user.person) ?? []).map(({ audienceId }) => audienceId));
      const judge = evaluatorOf(live, factsOfProfile(user, { now, tallyOf: tallies(user) }), rows);
      const { next, ...delta } = await evaluatedOf(judge, audiences, rows, {
        spend: spendWork,
        owner: scopeKey(scope),
      });
      writes.push(...(next === null ? [] : [checkAt(hot, user, next)]), ...moved(user, delta));
    }
    return { writes, last: keys.length < users ? null : (keys.at(-1) ?? null), isWhole: true };
  };

  /** Asks the database who differs; null: it cannot tell. */
  const told = async (
    scope: InScope,
    audiences: readonly LiveAudience[],
    after: string | null,
    { users, most }: { readonly users: number; readonly most: number },
  ): Promise<Found | null> => {
    const found = await differing(scope, audiences, { after, users, most });
    if (found === null) return null;
    const writes = [...Map.groupBy(found.moves, ({ person }) => person).values()].flatMap((moves) => {
      const [first] = moves;
      if (!first) return [];
      const [joins, leaves] = [true, false].map((is) => moves.flatMap((one) => (one.isIn === is ? one.audience : [])));
      return moved({ ...scopeOf(scope), ...first }, { joins: joins ?? [], leaves: leaves ?? [] });
    });
    return { writes, last: found.last, isWhole: found.isWhole };
  };

  const slice = async (builds: readonly Build[], live: Live, after: string | null, pace: Pace): Promise<Slice> => {
    // Safe: a walk goes on while there is one.
    const [{ row: scope }] = builds as [Build];
    const audiences = builds.map(({ audience }) => audience);
    const weight = sqlWeightOfAll(audiences.map(({ predicate }) => predicate));
    const isSql = audiences.length <= FEW && audiences.every((audience) => isSqlEnough(audience, live));
    // One person's moves are at most as many as there are audiences.
    const size = {
      users: pace.of(Math.min(SQL_SLICE / audiences.length, SQL_WEIGHT / weight.perRow)),
      most: FEW + pace.of(MOVES),
    };
    const found =
      (isSql ? await told(scope, audiences, after, size) : null) ??
      (await judged(scope, live, audiences, after, pace.of(SLICE_US / (PERSON_US + AUDIENCE_US * audiences.length))));
    if (!found.isWhole) pace.slower();
    const { last } = found;
    const advances =
      last === null
        ? []
        : builds.map(({ row }) =>
            write(hot.advance, { ...scopeOf(row), id: row.id, fence: row.fence, cursor: last }, buildTag(row)),
          );
    return { writes: [...found.writes, ...advances], last, of: builds };
  };

  /**
   * Walks over all users behind one of them, for audiences of one scope.
   *
   * @returns those of them that are still in these hands. Throws where people change faster than they are looked at, what
   * the storage throws, and where the signal says so
   */
  return async (
    given: readonly Build[],
    live: Live,
    after: string | null,
    signal: AbortSignal,
  ): Promise<readonly Build[]> => {
    const reading = slicePace(LONGER);
    const writing = slicePace(LONGER);
    const pace: Pace = { ...reading, of: (size) => Math.min(reading.of(size), writing.of(size)) };
    const commit = { commit: (plan: WriteSet) => writing.run(() => storage.commit(plan)) };
    let builds = given;
    for (let from = after; builds.length > 0; ) {
      signal.throwIfAborted();
      const start = from;
      const began = performance.now();
      const { ok, plan } = await commitPlanned(commit, builds, {
        plan: (open, failed) => {
          // The fewer people a slice has, the less often one of them changes before it is written. Twice, since a commit
          // that fails is a quick one.
          if (failed.size > 0) {
            writing.slower();
            writing.slower();
          }
          return reading.run(() => slice(open, live, start, pace));
        },
        isLost: ({ row }, failed) => failed.has(buildTag(row)),
      });
      if (!ok) throw new Error('these people change faster than they are looked at');
      builds = plan?.of ?? [];
      from = plan?.last ?? null;
      if (from === null) break;
      // An ingest that lost to this slice is planned again meanwhile, and does not lose to the next one.
      await sleep(Math.min(performance.now() - began, MOST_REST_MS));
    }
    return builds;
  };
};
