// Effects of a step in the same commit: changed traits, which the downstream reactions process like those of an
// identify call, and events of the run for subscribers.

import type { Write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type InScope, type ScopeDirectory, type ScopeLookup, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { CatalogEvent, Emitter, LoadedEmitter } from '../../people/events/emit.ts';
import {
  type BoundReaction,
  type IngestDraft,
  type Item,
  newDraft,
  planInOrder,
  type Round,
} from '../../people/events/pipeline.ts';
import { budgetOfRun } from '../../people/events/run-budget.ts';
import type { TraitsChange } from '../../people/profiles/change.ts';
import type { RunState } from './advance.ts';
import { type RunFacts, runCompleted, type StepFacts, stepExecuted } from './lifecycle.ts';
import type { RunStatements } from './statements.ts';
import type { RunRow } from './store.ts';

export type EffectsDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: Pick<RunStatements, 'stepsOf'>;
  readonly emitter: Emitter;
  readonly scopes: ScopeDirectory;
  /** The downstream reactions. */
  readonly downstream: readonly BoundReaction[];
  /** Replaces the traits of a profile, guarded by the version that was read, with this tag. */
  putTraits(draft: IngestDraft, change: TraitsChange, tag: string): void;
};

/** Collects the writes of a plan. */
export type Gathered = { readonly now: Date; readonly writes: Write[]; readonly wakes: Set<string> };

/** A step that ended and is not committed yet. */
export type EndedStep = StepFacts & { readonly attempt: number; readonly sendId: string | null };

/** Effects of a loaded batch of runs. */
export type Effects = {
  /** Raises the events of a run's new state: a step ended, the run ended. */
  raise(
    gathered: Gathered,
    run: RunRow,
    state: Pick<RunState, 'status' | 'outcome' | 'error'>,
    step: EndedStep | null,
  ): void;
  /** Changes profiles and runs the downstream reactions. `runs`: the runs whose steps made the changes. */
  change(gathered: Gathered, runs: readonly RunRow[], changes: readonly TraitsChange[], tag: string): Promise<void>;
};

export type RunEffects = {
  load(runs: readonly RunRow[], round: Round): Promise<Effects>;
};

/** The item that reactions see when a step of this run changes traits. */
const itemOf = (scopeAt: ScopeLookup, run: RunRow, at: Date): Item => ({
  scope: scopeAt(run.scopeId),
  kind: 'changed',
  id: run.id,
  userId: userIdOf(run.person),
  anonymousId: anonymousIdOf(run.person),
  module: '',
  eventType: '',
  properties: {},
  traits: null,
  context: null,
  sessionId: null,
  messageId: null,
  timestamp: at,
  receivedAt: at,
  depth: run.depth + 1,
  budget: budgetOfRun(run),
});

const runKey = (scope: InScope, runId: string): string => `${scopeKey(scope)}/${runId}`;
const ENDED = new Set(['completed', 'failed', 'cancelled']);

export const runEffects = (deps: EffectsDeps): RunEffects => {
  const { storage, hot, emitter, downstream, putTraits } = deps;

  /** Previous steps of the runs whose end has subscribers. */
  const stepsOf = async (
    runs: readonly RunRow[],
    { hasSubscribers }: LoadedEmitter,
  ): Promise<ReadonlyMap<string, StepFacts[]>> => {
    const reported = runs.filter((run) => hasSubscribers(run, 'workflow.run_completed'));
    if (reported.length === 0) return new Map();
    const rows = await storage.select(
      hot.stepsOf,
      reported.map((run) => [scopeKey(run), run.id]),
    );
    rows.sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime() || (a.path < b.path ? -1 : 1));
    return Map.groupBy(rows, (row) => runKey(row, row.runId));
  };

  return {
    load: async (runs, round) => {
      const [scopeAt, emission] = await Promise.all([
        deps.scopes.load(new Set(runs.map(({ scopeId }) => scopeId))),
        emitter.load(runs),
      ]);
      const stepFacts = new Map(await stepsOf(runs, emission));

      const put = ({ writes, wakes }: Gathered, event: CatalogEvent): void => {
        const emitted = emission.emit(event);
        writes.push(...emitted.writes);
        for (const topic of emitted.wakes) wakes.add(topic);
      };

      return {
        raise: (gathered, run, state, step) => {
          const scope = scopeOf(run);
          const reported = (): RunFacts => ({ ...run, scope });
          if (step && emission.hasSubscribers(scope, 'workflow.step_executed'))
            put(gathered, stepExecuted(reported(), step, gathered.now));
          if (!emission.hasSubscribers(scope, 'workflow.run_completed')) return;
          const key = runKey(scope, run.id);
          const steps = [...(stepFacts.get(key) ?? []), ...(step ? [step] : [])];
          stepFacts.set(key, steps);
          if (ENDED.has(state.status)) put(gathered, runCompleted(reported(), state, steps, gathered.now));
        },
        change: async ({ now, writes, wakes }, changed, changes, tag) => {
          // Few steps change profiles, and the reactions read a lot.
          if (changes.length === 0) return;
          const entries = changed.map((run) => ({
            item: itemOf(scopeAt, run, now),
            duplicateOf: null,
            person: run.person,
            changedTraits: [],
          }));
          const items = entries.map(({ item }) => item);
          const reactions = await Promise.all(downstream.map((reaction) => reaction.load(items, round)));
          const draft: IngestDraft = { ...newDraft([], now), entries, writes, wakes };
          for (const one of changes) putTraits(draft, one, tag);
          await planInOrder(reactions, draft);
        },
      };
    },
  };
};
