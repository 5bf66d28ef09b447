import { freshEntries, type IngestDraft, type Item, type Reaction } from '../events/pipeline.ts';
import type { Ids } from '../primitives/ids.ts';
import { anonymousIdOf, userIdOf } from '../primitives/person.ts';
import { type InProject, scopeOf } from '../primitives/scope.ts';
import { write } from '../storage/write-set.ts';
import type { RunHot } from './hot.ts';

/** The queue of runs, and the topic that wakes it. */
export const RUNS = 'runs';

/** A workflow that an event starts. */
export type Startable = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** Of the first step; 0 where there is none. */
  readonly firstDelayMinutes: number;
};

/** Which active workflows of its project an event starts; read from a cache that `load` made warm. */
export type StartedBy = (project: InProject, event: Pick<Item, 'eventType' | 'properties'>) => readonly Startable[];

export type StartDeps = {
  readonly hot: RunHot;
  readonly ids: Ids;
  loadTriggers(projects: readonly InProject[]): Promise<StartedBy>;
};

const MINUTE_MS = 60_000;

/** What a run remembers of the event that started it. */
const eventOf = (item: Item, person: string): Record<string, unknown> => ({
  id: item.id,
  eventType: item.eventType,
  module: item.module,
  properties: item.properties,
  timestamp: item.timestamp.toISOString(),
  userId: userIdOf(person),
  anonymousId: item.anonymousId ?? anonymousIdOf(person),
});

/** Starts a run per matching workflow, and lets the waiting runs of merged people follow them. */
export const startRuns = ({ hot, ids, loadTriggers }: StartDeps): Reaction<StartedBy> => {
  const start = (draft: IngestDraft, workflow: Startable, item: Item, person: string): void => {
    const dueAt = new Date(draft.now.getTime() + workflow.firstDelayMinutes * MINUTE_MS);
    const row = {
      ...scopeOf(item.scope),
      id: ids.next(),
      workflowId: workflow.id,
      workflowVersion: workflow.version,
      workflowName: workflow.name,
      person,
      triggerEventId: item.id,
      triggerEvent: eventOf(item, person),
      status: dueAt > draft.now ? 'waiting' : 'running',
      depth: 0,
      cursor: '0',
      attempt: 1,
      startedAt: draft.now,
      context: {},
      dueAt,
      fence: 0,
    };
    draft.writes.push(write(hot.start, row));
    draft.wakes.add(RUNS);
  };

  return {
    name: 'workflow triggers',
    load: (items) => {
      const projects = new Map(items.map(({ scope }) => [scope.projectKey, scope]));
      return loadTriggers([...projects.values()]);
    },
    plan: (draft, startedBy) => {
      for (const { scope, from, to } of draft.merges)
        draft.writes.push(write(hot.follow, { ...scopeOf(scope), person: from, newPerson: to }));
      for (const { item, person } of freshEntries(draft)) {
        for (const workflow of startedBy(item.scope, item)) start(draft, workflow, item, person);
      }
    },
  };
};
