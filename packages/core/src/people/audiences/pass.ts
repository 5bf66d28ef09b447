// One walk over all users for all waiting audiences of a scope: each loaded user is evaluated for all of them. If there
// are few audiences that SQL can evaluate exactly and that do not depend on time, one statement finds the differences
// to the stored rows, and no other user is loaded. Either way the version of the profile guards what was read, so both
// ways are equally exact.

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
import type { DynamicAudience } from './by-value.ts';
import type { Counting } from './counts.ts';
import { type AudienceIndex, joined } from './definitions.ts';
import { type Delta, evaluatedOf, evaluatorOf } from './evaluate.ts';
import type { FindMembershipDiff } from './matching/membership-diff.ts';
import { checkAt, rowsOf } from './membership-changes.ts';
import { factsOfProfile } from './person.ts';
import { sqlWeightOfAll } from './predicate/weight.ts';
import { type SliceSizer, sliceSizer } from './slice-sizer.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceRow } from './tables.ts';

/** Maximum audiences evaluated by SQL. Measured: with more, loading a profile costs less. */
const FEW = 12;
/** Microseconds to load a profile, and to evaluate and change it for one audience. Measured, with a margin. */
const PERSON_US = 40;
const AUDIENCE_US = 2;
/**
 * Initial duration of a slice, in microseconds. Chosen: well below 25 ms even for full profiles, which take ten times
 * as long.
 */
const SLICE_US = 3_000;
/**
 * Users per slice that SQL evaluates for one audience; fewer if its predicate is expensive. Chosen: some milliseconds.
 */
const SQL_SLICE = 5_000;
/** Maximum users times predicate weight of such a slice (predicate/weight.ts). */
const SQL_WEIGHT = 30_000;
/** Maximum changes per commit when SQL finds them. Chosen: some milliseconds. */
const MAX_CHANGES = 500;
/**
 * After a slice the walk pauses as long as the slice took, at most this, in milliseconds. Chosen: limits the slowdown.
 */
const MAX_PAUSE_MS = 50;
/** Maximum growth of slices beyond these values. */
const MAX_GROWTH = 8;

export type PassDeps = {
  readonly storage: Pick<Storage, 'select' | 'commit'>;
  readonly hot: AudienceStatements;
  readonly people: Pick<People, 'usersAfter' | 'bumpVersion'>;
  readonly clock: Clock;
  readonly counting: Pick<Counting, 'ofPeople'>;
  readonly findDiff: FindMembershipDiff;
};

/** A claimed audience and its definition. */
export type Build = { readonly row: Claimed<AudienceRow>; readonly audience: DynamicAudience };
type Slice = WriteSet & { readonly last: string | null; readonly of: readonly Build[] };
/** Changes of a slice, and the last user that it examined; null: no more users. */
type Found = { readonly writes: readonly Write[]; readonly last: string | null; readonly isWhole: boolean };

/** Guard tag of a claimed audience. Throws nothing. */
export const buildTag = (row: Claimed<AudienceRow>): string => `build:${scopeKey(row)}/${row.id}`;

// SQL evaluates references by rows: reliable for static lists, possibly out of date for other audiences.
const isSqlEnough = ({ all, own }: DynamicAudience, index: AudienceIndex): boolean =>
  !all.isTimed && [...own.audiences].every((id) => index.lists.has(id));

export const audiencePass = ({ storage, hot, people, clock, counting, findDiff }: PassDeps) => {
  const writesOf = (seen: SeenPerson, delta: Delta): Write[] => {
    const tag = personKey(seen);
    const rows = rowsOf(hot, seen, delta, clock.now(), tag);
    return rows.length === 0 ? [] : [people.bumpVersion(seen, tag), ...rows];
  };

  /** Evaluates users in memory, including predicates that depend on time. */
  const evaluateInMemory = async (
    scope: InScope,
    index: AudienceIndex,
    audiences: readonly DynamicAudience[],
    after: string | null,
    users: number,
  ): Promise<Found> => {
    const loaded = await people.usersAfter(scope, after ?? undefined, users);
    const keys = loaded.map(({ person }) => person);
    const mentioned = joined(audiences.map(({ all }) => all));
    const [memberships, tallies] = await Promise.all([
      storage.select(
        hot.memberships,
        keys.map((person) => [scopeKey(scope), person]),
      ),
      counting.ofPeople(scope, keys, mentioned),
    ]);
    const there = Map.groupBy(memberships, ({ person }) => person);
    const now = clock.now();
    const writes: Write[] = [];
    for (const user of loaded) {
      const rows = new Set((there.get(user.person) ?? []).map(({ audienceId }) => audienceId));
      const evaluator = evaluatorOf(index, factsOfProfile(user, { now, tallyOf: tallies(user) }), rows);
      const { next, ...delta } = await evaluatedOf(evaluator, audiences, rows, {
        spend: spendWork,
        owner: scopeKey(scope),
      });
      writes.push(...(next === null ? [] : [checkAt(hot, user, next)]), ...writesOf(user, delta));
    }
    return { writes, last: keys.length < users ? null : (keys.at(-1) ?? null), isWhole: true };
  };

  /** Finds differences by SQL; null if it cannot. */
  const findBySql = async (
    scope: InScope,
    audiences: readonly DynamicAudience[],
    after: string | null,
    { users, most }: { readonly users: number; readonly most: number },
  ): Promise<Found | null> => {
    const found = await findDiff(scope, audiences, { after, users, most });
    if (found === null) return null;
    const writes = [...Map.groupBy(found.moves, ({ person }) => person).values()].flatMap((moves) => {
      const [first] = moves;
      if (!first) return [];
      const [joins, leaves] = [true, false].map((is) => moves.flatMap((one) => (one.isIn === is ? one.audience : [])));
      return writesOf({ ...scopeOf(scope), ...first }, { joins: joins ?? [], leaves: leaves ?? [] });
    });
    return { writes, last: found.last, isWhole: found.isWhole };
  };

  const slice = async (
    builds: readonly Build[],
    index: AudienceIndex,
    after: string | null,
    sizer: SliceSizer,
  ): Promise<Slice> => {
    // Safe: a walk continues only while it has builds.
    const [{ row: scope }] = builds as [Build];
    const audiences = builds.map(({ audience }) => audience);
    const weight = sqlWeightOfAll(audiences.map(({ predicate }) => predicate));
    const isSql = audiences.length <= FEW && audiences.every((audience) => isSqlEnough(audience, index));
    // A user has at most one change per audience.
    const size = {
      users: sizer.of(Math.min(SQL_SLICE / audiences.length, SQL_WEIGHT / weight.perRow)),
      most: FEW + sizer.of(MAX_CHANGES),
    };
    const found =
      (isSql ? await findBySql(scope, audiences, after, size) : null) ??
      (await evaluateInMemory(
        scope,
        index,
        audiences,
        after,
        sizer.of(SLICE_US / (PERSON_US + AUDIENCE_US * audiences.length)),
      ));
    if (!found.isWhole) sizer.slower();
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
   * Walks over all users after `after`, for audiences of one scope.
   *
   * @returns the builds whose lease is still valid. Throws if profiles change faster than they are evaluated, storage
   * errors, and the signal's reason
   */
  return async (
    initial: readonly Build[],
    index: AudienceIndex,
    after: string | null,
    signal: AbortSignal,
  ): Promise<readonly Build[]> => {
    const reading = sliceSizer(MAX_GROWTH);
    const writing = sliceSizer(MAX_GROWTH);
    const sizer: SliceSizer = { ...reading, of: (size) => Math.min(reading.of(size), writing.of(size)) };
    const commit = { commit: (plan: WriteSet) => writing.run(() => storage.commit(plan)) };
    let builds = initial;
    for (let from = after; builds.length > 0; ) {
      signal.throwIfAborted();
      const start = from;
      const began = performance.now();
      const { ok, plan } = await commitPlanned(commit, builds, {
        plan: (open, failed) => {
          // A smaller slice is less likely to conflict. Twice, because a commit that fails is fast and doubles the
          // size.
          if (failed.size > 0) {
            writing.slower();
            writing.slower();
          }
          return reading.run(() => slice(open, index, start, sizer));
        },
        isLost: ({ row }, failed) => failed.has(buildTag(row)),
      });
      if (!ok) throw new Error('these people change faster than they are looked at');
      builds = plan?.of ?? [];
      from = plan?.last ?? null;
      if (from === null) break;
      // Lets an ingest batch that lost to this slice plan again before the next slice.
      await sleep(Math.min(performance.now() - began, MAX_PAUSE_MS));
    }
    return builds;
  };
};
