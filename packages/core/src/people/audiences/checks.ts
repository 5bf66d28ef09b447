// Re-evaluates users whose memberships may change without an event of theirs: when a time window ends, or when a list
// changes that an audience refers to.

import { commitInParts, type PartPlan } from '../../database/commit/commit-planned.ts';
import { type Write, write } from '../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Emitter } from '../events/emit.ts';
import type { People } from '../profiles/people.ts';
import { type PersonKey, personKey } from '../profiles/view.ts';
import type { Counting } from './counts.ts';
import type { Definitions } from './definitions.ts';
import { evaluatedOf, evaluatorOf } from './evaluate.ts';
import { CHECKS, raiseDelta, rowsOf } from './membership-changes.ts';
import { factsOfProfile } from './person.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceTables, CheckRow } from './tables.ts';

/** Users in process at once. Chosen: their complete profiles are read, and one commit writes them. */
const MAX_IN_HAND = 64;
/**
 * Number of writes after which a commit includes no further user. Chosen: some milliseconds; one user has at most one
 * write per audience.
 */
const MAX_WRITES = 2_000;
/** Delay after a failed check, in milliseconds. Chosen: an hour. */
const AGAIN_MS = 3_600_000;

export type CheckDeps = {
  readonly storage: Pick<Storage, 'select' | 'commit'>;
  readonly tables: AudienceTables;
  readonly hot: AudienceStatements;
  readonly people: Pick<People, 'load' | 'bumpVersion'>;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly counting: Counting;
  readonly emitter: Emitter;
};

type Row = Claimed<CheckRow>;

const NO_ROWS: ReadonlySet<string> = new Set();
/** Guard tag of the claim; the profile's guard has the profile's own tag. */
const endTag = (row: InScope & { readonly id: string }): string => `check:${scopeKey(row)}/${row.id}`;

export const checkRegistration = (deps: CheckDeps): Registration<CheckRow, Claimed<CheckRow>> => {
  const { storage, hot, people, clock, definitions, counting, emitter } = deps;

  /** Event counts of these users, by scope. */
  const countsOf = async (keys: readonly PersonKey[], indexOf: Awaited<ReturnType<Definitions['load']>>) => {
    const byScope = [...Map.groupBy(keys, scopeKey)];
    const loaded = await Promise.all(
      byScope.map(async ([scopeId, some]) => {
        const tallies = await counting.ofPeople(
          { scopeId },
          some.map(({ person }) => person),
          indexOf({ scopeId }).needed,
        );
        return [scopeId, tallies] as const;
      }),
    );
    return new Map(loaded);
  };

  /** Plans as many of the first rows as fit one commit. */
  const plan = async (rows: readonly Row[], isFirstTry: boolean): Promise<PartPlan<Row>> => {
    const keys = rows.map(({ scopeId, id }): PersonKey => ({ scopeId, person: id }));
    const [indexOf, emission] = await Promise.all([definitions.load(keys, !isFirstTry), emitter.load(keys)]);
    const keysByProfile = keys.map((key) => [scopeKey(key), key.person]);
    // Profiles first: their versions guard the reads that follow.
    const whole = await people.load(keys);
    const [memberships, counts] = await Promise.all([
      storage.select(hot.memberships, keysByProfile),
      countsOf(keys, indexOf),
    ]);
    const profileOf = new Map(whole.map((row) => [personKey(row), row]));
    const rowsByPerson = Map.groupBy(memberships, personKey);
    const into = { writes: [] as Write[], wakes: new Set<string>() };
    const now = clock.now();
    for (const [at, row] of rows.entries()) {
      if (into.writes.length > MAX_WRITES) return { ...into, wakes: [...into.wakes], rest: rows.slice(at) };
      const key = { ...scopeOf(row), person: row.id };
      const tag = personKey(key);
      const index = indexOf(row);
      const profile = profileOf.get(tag);
      const tallyOf = counts.get(scopeKey(row))?.(key) ?? (() => null);
      const there = new Set((rowsByPerson.get(tag) ?? []).map(({ audienceId }) => audienceId));
      const of = profile ? index.dynamic : [];
      const evaluator = evaluatorOf(
        index,
        profile ? factsOfProfile(profile, { now, tallyOf }) : NO_PROFILE,
        profile ? there : NO_ROWS,
      );
      const { next, ...delta } = await evaluatedOf(evaluator, of, there, { spend: spendWork, owner: scopeKey(row) });
      const own = { ...scopeOf(row), id: row.id, fence: row.fence };
      into.writes.push(
        next === null
          ? write(hot.endCheck, own, endTag(row))
          : write(hot.checkAgain, { ...own, dueAt: next }, endTag(row)),
      );
      if (!profile) continue;
      // Also without changes: the data that was read must still be valid when the check ends.
      into.writes.push(people.bumpVersion(profile, tag));
      into.writes.push(...rowsOf(hot, key, delta, now, tag));
      raiseDelta(into, emission, { ...key, version: profile.version + 1, at: now, depth: 0 }, delta);
    }
    return { writes: into.writes, wakes: [...into.wakes], rest: [] };
  };

  return {
    name: CHECKS,
    claim: claimable(CHECKS, deps.tables.audienceChecks),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done) => {
      for (const row of rows) done(row, row);
    },
    commit: async (outcomes) => {
      const isDone = await commitInParts(storage, outcomes, {
        plan: (rows, failed) => plan(rows, failed.size === 0),
        isLost: (row, failed) => failed.has(endTag(row)),
      });
      if (!isDone) throw new Error('these people change faster than they are looked at');
    },
    deadLetter: async (row) => {
      const dueAt = new Date(clock.now().getTime() + AGAIN_MS);
      const own = { ...scopeOf(row), id: row.id, fence: row.fence };
      await storage.commit({ writes: [write(hot.checkAgain, { ...own, dueAt }, endTag(row))] });
    },
  };
};

const NO_PROFILE = { now: new Date(0), user: {}, traits: {}, tallyOf: () => null };
