import type { TriggerEvent } from '../api.ts';
import { MAX_DEPTH } from '../events/catalog.ts';
import type { Emission, Emitter } from '../events/emit.ts';
import { freshEntries, type IngestDraft, type Item, type Reaction } from '../events/pipeline.ts';
import type { Ids } from '../primitives/ids.ts';
import { anonymousIdOf, userIdOf } from '../primitives/person.ts';
import { type InProject, type Scope, scopeKey, scopeOf } from '../primitives/scope.ts';
import { write } from '../storage/write-set.ts';
import type { RunHot } from './hot.ts';
import { runCompleted, runStarted } from './lifecycle.ts';
import type { Step } from './steps/list.ts';

/** The queue of runs, and the topic that wakes it. */
export const RUNS = 'runs';

/** A workflow that an event starts. */
export type Startable = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** Of the first step; 0 where there is none. */
  readonly firstDelayMinutes: number;
  /** Null where there is no step. */
  readonly firstStepType: Step['type'] | null;
};

/** `error` of a run that was stopped, and `reason` of its step. */
export const TOO_DEEP = 'depth_exceeded';
const STOPPED = { outcome: 'error', reason: TOO_DEEP } as const;

/** Which active workflows of its project an event starts; read from a cache that `load` made warm. */
export type StartedBy = (
  project: InProject,
  event: Pick<Item, 'eventType' | 'properties'>,
  isMember: (audienceId: string) => boolean,
) => readonly Startable[];

export type StartDeps = {
  readonly hot: RunHot;
  readonly ids: Ids;
  readonly emitter: Emitter;
  loadTriggers(projects: readonly InProject[]): Promise<StartedBy>;
};

const MINUTE_MS = 60_000;

/** What a run remembers of the event that started it. */
const eventOf = (item: Item, person: string): TriggerEvent => ({
  id: item.id,
  eventType: item.eventType,
  module: item.module,
  properties: item.properties,
  timestamp: item.timestamp.toISOString(),
  userId: userIdOf(person),
  anonymousId: item.anonymousId ?? anonymousIdOf(person),
});

type Start = { readonly workflow: Startable; readonly item: Item; readonly person: string };
type Loaded = { readonly startedBy: StartedBy; readonly emission: Emission };

/** Starts a run per matching workflow, and lets the waiting runs of merged people follow them. */
export const startRuns = ({ hot, ids, emitter, loadTriggers }: StartDeps): Reaction<Loaded> => {
  const rowOf = (draft: IngestDraft, { workflow, item, person }: Start) => ({
    ...scopeOf(item.scope),
    id: ids.next(),
    workflowId: workflow.id,
    workflowVersion: workflow.version,
    workflowName: workflow.name,
    person,
    triggerEventId: item.id,
    triggerEvent: eventOf(item, person),
    depth: item.depth,
    cursor: '0',
    attempt: 1,
    startedAt: draft.now,
    context: {},
    fence: 0,
  });

  /** It would set itself off for ever: the run is there to be seen, and its first step says why it was not taken. */
  const stop = (draft: IngestDraft, { isHeard, emit }: Emission, start: Start): void => {
    const { now } = draft;
    const { scope } = start.item;
    const row = rowOf(draft, start);
    const failed = { status: 'failed', outcome: 'error', error: TOO_DEEP } as const;
    draft.writes.push(write(hot.stop, { ...row, ...failed, completedAt: now }));
    const { firstStepType } = start.workflow;
    const steps = firstStepType === null ? [] : [{ path: row.cursor, type: firstStepType, ...STOPPED }];
    for (const step of steps) {
      const of = {
        ...scopeOf(scope),
        runId: row.id,
        attempt: row.attempt,
        sendId: null,
        httpStatus: null,
        output: null,
        usage: null,
      };
      draft.writes.push(write(hot.recordStep, { ...of, ...step, startedAt: now, finishedAt: now }));
    }
    // Heard by nobody who starts a run: it is too deep for that.
    if (isHeard(scope, 'workflow.run_completed'))
      draft.writes.push(...emit(runCompleted({ ...row, scope }, failed, steps, now)).writes);
  };

  const begin = (draft: IngestDraft, { isHeard, emit }: Emission, start: Start): void => {
    const { item, workflow } = start;
    const dueAt = new Date(draft.now.getTime() + workflow.firstDelayMinutes * MINUTE_MS);
    const status = dueAt > draft.now ? ('waiting' as const) : ('running' as const);
    const row = { ...rowOf(draft, start), status, dueAt };
    draft.writes.push(write(hot.start, row));
    draft.wakes.add(RUNS);
    if (!isHeard(item.scope, 'workflow.run_started')) return;
    const { writes, wakes } = emit(runStarted({ ...row, scope: item.scope }, item.id, draft.now));
    draft.writes.push(...writes);
    for (const topic of wakes) draft.wakes.add(topic);
  };

  return {
    name: 'workflow triggers',
    load: async (items) => {
      const scopes = scopesOf(items);
      const [startedBy, emission] = await Promise.all([loadTriggers(scopes), emitter.load(scopes)]);
      return { startedBy, emission };
    },
    plan: (draft, { startedBy, emission }) => {
      for (const { scope, from, to } of draft.merges)
        draft.writes.push(write(hot.follow, { ...scopeOf(scope), person: from, newPerson: to }));
      for (const { item, person } of freshEntries(draft)) {
        if (item.kind === 'changed') continue;
        const isMember = (audienceId: string): boolean => draft.isMember(item.scope, person, audienceId);
        for (const workflow of startedBy(item.scope, item, isMember)) {
          const start = { workflow, item, person };
          if (item.depth >= MAX_DEPTH) stop(draft, emission, start);
          else begin(draft, emission, start);
        }
      }
    },
  };
};

const scopesOf = (items: readonly Item[]): readonly Scope[] => [
  ...new Map(items.map(({ scope }) => [scopeKey(scope), scope])).values(),
];
