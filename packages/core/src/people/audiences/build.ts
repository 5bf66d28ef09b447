// Computes the members of new and changed audiences, one slice of users at a time (pass.ts). Waiting audiences of one
// scope share a walk over its users; those that arrive during it share the next one. Ingest and the build may change
// the same user in either order: both compare the version of the profile (membership.ts). Another process may use an
// older definition for some seconds, so a second walk follows later, which normally finds nothing. A change of the
// audience invalidates the build's lease and starts it anew.

import { write } from '../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../database/statements/claim.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Counting } from './counts.ts';
import type { AudienceIndex, Definitions } from './definitions.ts';
import { inSequence } from './in-sequence.ts';
import { audiencePass, type Build, buildTag, type PassDeps } from './pass.ts';
import { AUDIENCES } from './records.ts';
import type { AudienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

/** Audiences claimed by one worker. Chosen: audiences of one scope share their reads. */
const MAX_IN_HAND = 256;
/** Members deleted per statement when an audience is removed. Chosen: some milliseconds. */
const EMPTIED = 1_000;
/**
 * Time after which no process uses an older definition, in milliseconds. Chosen: many times the age of cached
 * definitions.
 */
export const COMMIT_GRACE_MS = 60_000;
/** Delay after a failed build, in milliseconds. Chosen: ten minutes. */
const AGAIN_MS = 600_000;

export type BuildDeps = PassDeps & {
  readonly tables: AudienceTables;
  readonly store: Pick<AudienceStore, 'empty' | 'drop'>;
  readonly definitions: Definitions;
  readonly counting: Counting;
};

type Row = Claimed<AudienceRow>;
/** A claimed audience, and the signal that stops its worker. */
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

  /** Backfills counters as far as possible now; returns when to continue, or null if complete. */
  const counted = async (
    scope: InScope,
    index: AudienceIndex,
    isWaiting: boolean,
    signal: AbortSignal,
  ): Promise<Date | null> => {
    for (;;) {
      signal.throwIfAborted();
      const next = await counting.fill(scope, index.needed);
      if (next === null || next > clock.now() || !isWaiting) return next;
      await nextTurn();
    }
  };

  const finish = (row: Row): Promise<void> =>
    row.stage === 'build' ? nextStage(row, 'settle', isVisibleAt(clock.now())) : nextStage(row, null, null);

  /** Builds audiences of one scope with equal progress by one walk over its users. */
  const build = async (rows: readonly Row[], signal: AbortSignal): Promise<void> => {
    const [first] = rows;
    if (!first) return;
    const index = (await definitions.load([first], true))(first);
    const there = rows.flatMap((row): Build[] => {
      const audience = index.byId.get(row.id);
      return audience ? [{ row, audience }] : [];
    });
    // The first build does not wait for the backfill: until it is complete, counts come from the log.
    const due = await counted(
      first,
      index,
      there.every(({ row }) => row.stage === 'settle'),
      signal,
    );
    const isLate = ({ row }: Build): boolean => row.stage === 'settle' && due !== null;
    for (const { row } of there.filter(isLate)) await nextStage(row, row.stage, due);
    const open = there.filter((one) => !isLate(one));
    for (const { row } of await walk(open, index, first.cursor, signal)) await finish(row);
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
      // Stops counting events that no other audience needs.
      await counting.fill(row, (await definitions.load([row], true))(row).needed);
    }
  };

  return {
    name: AUDIENCES,
    claim: claimable(AUDIENCES, deps.tables.audiences),
    maxInHand: MAX_IN_HAND,
    // A worker that stops leaves the next slice to another one.
    process: async (rows, done, { draining }) => {
      const removed = rows.filter(({ stage }) => stage === 'remove');
      const byScope = Map.groupBy(
        rows.filter(({ stage }) => stage !== 'remove'),
        scopeKey,
      );
      const all = await Promise.allSettled([
        (async () => {
          for (const row of removed) {
            await remove(row, draining);
            done(row, row);
          }
        })(),
        ...[...byScope].map(async ([scopeId, alike]) => {
          const jobs = alike.map((row) => ({ row, signal: draining }));
          await buildInSequence(String(scopeId), jobs);
          for (const row of alike) done(row, row);
        }),
      ]);
      for (const one of all) if (one.status === 'rejected') throw one.reason;
    },
    // Each slice commits its own writes.
    commit: async () => undefined,
    deadLetter: (row) => nextStage(row, row.stage, new Date(clock.now().getTime() + AGAIN_MS)),
  };
};
