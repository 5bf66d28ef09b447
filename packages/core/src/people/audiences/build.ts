// Finds the members of audiences that were made or changed: everybody is looked at, a slice at a time (pass.ts); audiences
// of one scope that wait share a walk over its users, and those that come meanwhile share the next one. Whom ingest changes
// meanwhile is right afterwards, whoever of the two comes first: both compare the version of the profile (membership.ts).
// Another process may have judged by an older definition for some seconds, so everybody is looked at once more when that is
// over, which finds nobody as a rule. A change of the audience takes it out of the hands of whoever builds it, and it begins
// anew.

import { write } from '../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../database/statements/claim.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Counting } from './counts.ts';
import type { Definitions, Live } from './definitions.ts';
import { inSequence } from './in-sequence.ts';
import { audiencePass, type Build, buildTag, type PassDeps } from './pass.ts';
import { AUDIENCES } from './records.ts';
import type { AudienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

/** Audiences that one worker has in hand; ours: those of one scope share what is read. */
const MAX_IN_HAND = 256;
/** Members that one statement takes out of an audience that is removed; ours: some milliseconds. */
const EMPTIED = 1_000;
/** When nobody judges by an older definition any longer, in milliseconds; ours: many times the age of what is remembered. */
export const COMMIT_GRACE_MS = 60_000;
/** When one comes again that could not be built, in milliseconds; ours. */
const AGAIN_MS = 600_000;

export type BuildDeps = PassDeps & {
  readonly tables: AudienceTables;
  readonly store: Pick<AudienceStore, 'empty' | 'drop'>;
  readonly definitions: Definitions;
  readonly counting: Counting;
};

type Row = Claimed<AudienceRow>;
/** A claimed audience, and when whoever has it in hand is told to stop. */
type BuildJob = { readonly row: Row; readonly signal: AbortSignal };

export const buildRegistration = (deps: BuildDeps): Registration<AudienceRow, Row> => {
  const { storage, hot, store, clock, definitions, counting } = deps;
  const own = (row: Row) => ({ ...scopeOf(row), id: row.id, fence: row.fence });

  const walk = audiencePass(deps);

  const nextStage = async (row: Row, stage: AudienceRow['stage'], dueAt: Date | null): Promise<void> => {
    await storage.commit({ writes: [write(hot.nextStage, { ...own(row), stage, dueAt }, buildTag(row))] });
    definitions.changed();
  };
  const isVisibleAt = (from: Date): Date => new Date(from.getTime() + COMMIT_GRACE_MS);

  /** Counts what lies back as far as it can be now; answers when to go on, and null once it is done. */
  const counted = async (scope: InScope, live: Live, isWaiting: boolean, signal: AbortSignal): Promise<Date | null> => {
    for (;;) {
      signal.throwIfAborted();
      const next = await counting.fill(scope, live.needed);
      if (next === null || next > clock.now() || !isWaiting) return next;
      await nextTurn();
    }
  };

  const finish = (row: Row): Promise<void> =>
    row.stage === 'build' ? nextStage(row, 'settle', isVisibleAt(clock.now())) : nextStage(row, null, null);

  /** Builds audiences of one scope that have all come as far, by one walk over its users. */
  const build = async (rows: readonly Row[], signal: AbortSignal): Promise<void> => {
    const [first] = rows;
    if (!first) return;
    const live = (await definitions.load([first], true))(first);
    const there = rows.flatMap((row): Build[] => {
      const audience = live.byId.get(row.id);
      return audience ? [{ row, audience }] : [];
    });
    // Until all that lies back is counted, the log tells; the first build does not wait for it.
    const due = await counted(
      first,
      live,
      there.every(({ row }) => row.stage === 'settle'),
      signal,
    );
    const isLate = ({ row }: Build): boolean => row.stage === 'settle' && due !== null;
    for (const { row } of there.filter(isLate)) await nextStage(row, row.stage, due);
    const open = there.filter((one) => !isLate(one));
    for (const { row } of await walk(open, live, first.cursor, signal)) await finish(row);
  };
  const buildInSequence = inSequence<BuildJob>(async (jobs) => {
    for (const alike of Map.groupBy(jobs, ({ row }) => row.cursor).values()) {
      const [first] = alike;
      if (first)
        await build(
          alike.map(({ row }) => row),
          first.signal,
        );
    }
  });

  const remove = async (row: Row, signal: AbortSignal): Promise<void> => {
    while ((await store.empty(row, row.id, EMPTIED)) > 0) {
      signal.throwIfAborted();
      await nextTurn();
    }
    const settled = isVisibleAt(row.updatedAt);
    if (clock.now() < settled) await nextStage(row, 'remove', settled);
    else {
      await store.drop(row);
      // What nobody else asks about is counted no longer.
      await counting.fill(row, (await definitions.load([row], true))(row).needed);
    }
  };

  return {
    name: AUDIENCES,
    claim: claimable(AUDIENCES, deps.tables.audiences),
    maxInHand: MAX_IN_HAND,
    // A worker that stops leaves the next slice to another one.
    process: async (rows, done, { draining: signal }) => {
      const removed = rows.filter(({ stage }) => stage === 'remove');
      const byScope = Map.groupBy(
        rows.filter(({ stage }) => stage !== 'remove'),
        scopeKey,
      );
      const all = await Promise.allSettled([
        (async () => {
          for (const row of removed) {
            await remove(row, signal);
            done(row, row);
          }
        })(),
        ...[...byScope].map(async ([scopeId, alike]) => {
          const jobs = alike.map((row) => ({ row, signal }));
          await buildInSequence(String(scopeId), jobs);
          for (const row of alike) done(row, row);
        }),
      ]);
      for (const one of all) if (one.status === 'rejected') throw one.reason;
    },
    // Each slice is written as it is found.
    commit: async () => undefined,
    deadLetter: (row) => nextStage(row, row.stage, new Date(clock.now().getTime() + AGAIN_MS)),
  };
};
