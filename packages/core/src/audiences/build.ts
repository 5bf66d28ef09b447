// Finds the members of an audience that was made or changed: everybody is looked at, a slice at a time, judged by the same
// function as in ingest. Whom ingest changes meanwhile is right afterwards, whoever of the two comes first: both compare the
// version of the profile (membership.ts). Another process may have judged by an older definition for some seconds, so
// everybody is looked at once more when that is over, which finds nobody as a rule. A change of the audience takes it out of
// the hands of whoever builds it, and it begins anew.

import type { Clock } from '../primitives/clock.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import { scopeKey, scopeOf } from '../primitives/scope.ts';
import { personKey } from '../profiles/view.ts';
import { type Claimed, claimable } from '../storage/claim.ts';
import { commitPlanned } from '../storage/commit-planned.ts';
import type { Storage } from '../storage/storage.ts';
import { type Write, type WriteSet, write } from '../storage/write-set.ts';
import type { Registration } from '../work/registration.ts';
import type { Counting } from './counts.ts';
import type { Definitions, Live, LiveAudience } from './definitions.ts';
import type { AudienceHot } from './hot.ts';
import { deltaOf, judgeOf } from './judge.ts';
import { checkAt, rowsOf } from './moves.ts';
import type { People } from './people.ts';
import { factsOfProfile } from './person.ts';
import { AUDIENCES } from './records.ts';
import type { AudienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

/** Audiences that one worker builds side by side; ours. */
const MAX_IN_HAND = 2;
/** People of one commit; ours: some milliseconds on SQLite, where nobody else writes meanwhile. */
const SLICE = 200;
/** Members that one statement takes out of an audience that is removed; ours: some milliseconds. */
const EMPTIED = 1_000;
/** When nobody judges by an older definition any longer, in milliseconds; ours: many times the age of what is remembered. */
export const SETTLE_MS = 60_000;
/** When one comes again that could not be built, in milliseconds; ours. */
const AGAIN_MS = 600_000;

export type BuildDeps = {
  readonly storage: Pick<Storage, 'select' | 'commit'>;
  readonly tables: AudienceTables;
  readonly hot: AudienceHot;
  readonly store: Pick<AudienceStore, 'empty' | 'drop'>;
  readonly people: Pick<People, 'usersAfter' | 'hold'>;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly counting: Counting;
};

type Row = Claimed<AudienceRow>;
type Slice = WriteSet & { readonly last: string | null };

const ownTag = (row: Row): string => `build:${scopeKey(row)}/${row.id}`;

export const buildRegistration = (deps: BuildDeps): Registration<AudienceRow, Row> => {
  const { storage, hot, store, clock, definitions, counting } = deps;
  const own = (row: Row) => ({ ...scopeOf(row), id: row.id, fence: row.fence });

  const planSlice = async (row: Row, live: Live, audience: LiveAudience, after: string | undefined): Promise<Slice> => {
    const users = await deps.people.usersAfter(row, after, SLICE);
    const people = users.map(({ person }) => person);
    const [memberships, tallies] = await Promise.all([
      storage.select(
        hot.memberships,
        people.map((person) => [scopeKey(row), person]),
      ),
      counting.ofPeople(row, people, audience.all),
    ]);
    const there = Map.groupBy(memberships, ({ person }) => person);
    const now = clock.now();
    const last = people.at(-1) ?? null;
    const writes: Write[] = last === null ? [] : [write(hot.advance, { ...own(row), cursor: last }, ownTag(row))];
    for (const user of users) {
      const rows = new Set((there.get(user.person) ?? []).map(({ audienceId }) => audienceId));
      const judge = judgeOf(live, factsOfProfile(user, { now, tallyOf: tallies(user) }), rows);
      const delta = deltaOf(judge, [audience], rows);
      const next = judge.next([audience]);
      if (next !== null) writes.push(checkAt(hot, user, next));
      const moves = rowsOf(hot, user, delta, now, personKey(user));
      if (moves.length === 0) continue;
      writes.push(deps.people.hold(user, personKey(user)), ...moves);
    }
    return { writes, last: people.length < SLICE ? null : last };
  };

  const nextStage = async (row: Row, stage: AudienceRow['stage'], dueAt: Date | null): Promise<void> => {
    await storage.commit({ writes: [write(hot.nextStage, { ...own(row), stage, dueAt }, ownTag(row))] });
    definitions.changed(row);
  };
  const settledAt = (from: Date): Date => new Date(from.getTime() + SETTLE_MS);

  /** Counts what lies back as far as it can be now; answers when to go on, and null once it is done. */
  const counted = async (row: Row, live: Live, signal: AbortSignal): Promise<Date | null> => {
    for (;;) {
      signal.throwIfAborted();
      const next = await counting.fill(row, live.asked);
      if (next === null || next > clock.now()) return next;
      if (row.stage === 'build') return next;
      await nextTurn();
    }
  };

  const build = async (row: Row, signal: AbortSignal): Promise<void> => {
    const live = (await definitions.load([row], true))(row);
    const audience = live.byId.get(row.id);
    if (!audience) return;
    // Until all that lies back is counted, the log tells; the first build does not wait for it.
    const due = await counted(row, live, signal);
    if (row.stage === 'settle' && due !== null) return nextStage(row, row.stage, due);
    for (let after = row.cursor ?? undefined; ; ) {
      signal.throwIfAborted();
      const from = after;
      const { ok, plan } = await commitPlanned(storage, [row], {
        plan: () => planSlice(row, live, audience, from),
        isLost: (_, failed) => failed.has(ownTag(row)),
      });
      if (!ok) throw new Error('these people change faster than they are looked at');
      if (plan === null) return;
      if (plan.last === null) break;
      after = plan.last;
      await nextTurn();
    }
    if (row.stage === 'build') await nextStage(row, 'settle', settledAt(clock.now()));
    else await nextStage(row, null, null);
  };

  const remove = async (row: Row, signal: AbortSignal): Promise<void> => {
    while ((await store.empty(row, row.id, EMPTIED)) > 0) {
      signal.throwIfAborted();
      await nextTurn();
    }
    const settled = settledAt(row.updatedAt);
    if (clock.now() < settled) await nextStage(row, 'remove', settled);
    else {
      await store.drop(row);
      // What nobody else asks about is counted no longer.
      await counting.fill(row, (await definitions.load([row], true))(row).asked);
    }
  };

  return {
    name: AUDIENCES,
    claim: claimable(AUDIENCES, deps.tables.audiences),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done, { signal }) => {
      for (const row of rows) {
        await (row.stage === 'remove' ? remove(row, signal) : build(row, signal));
        done(row, row);
      }
    },
    // Each slice is written as it is found.
    commit: async () => undefined,
    giveUp: (row) => nextStage(row, row.stage, new Date(clock.now().getTime() + AGAIN_MS)),
  };
};
