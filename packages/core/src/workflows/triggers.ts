import { LRUCache } from 'lru-cache';
import type { Clock } from '../primitives/clock.ts';
import type { InProject } from '../primitives/scope.ts';
import type { Step } from '../runs/steps/list.ts';
import type { Storage } from '../storage/storage.ts';
import { workflowHot } from './hot.ts';
import type { Trigger } from './schema.ts';
import type { WorkflowTables } from './tables.ts';

/** Age at which another process's import is seen, in milliseconds; ours. */
export const TRIGGERS_MAX_AGE_MS = 2_000;
/** Projects whose triggers one process remembers; ours. */
const MAX_PROJECTS = 10_000;

/** An active workflow, as far as starting a run needs it. */
export type ActiveWorkflow = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly trigger: Trigger;
  /** Of the first step: a run that starts is due after it. 0 where there is no step. */
  readonly firstDelayMinutes: number;
  /** Null where there is no step. */
  readonly firstStepType: string | null;
};
/** Active workflows of one project by event name, each list by id. */
export type TriggersByEvent = ReadonlyMap<string, readonly ActiveWorkflow[]>;
/** Throws TypeError for a project that was not asked for. */
export type TriggersOf = (scope: InProject) => TriggersByEvent;

export type TriggerCache = {
  /** The triggers of several projects: one statement for all of those that are not fresh. */
  load(scopes: readonly InProject[]): Promise<TriggersOf>;
  forProject(scope: InProject): Promise<TriggersByEvent>;
  /** Forgets a project, so that whoever asks from now on reads it again. */
  invalidate(scope: InProject): void;
};

type Loaded = ReadonlyMap<number, TriggersByEvent>;
type Row = Omit<ActiveWorkflow, 'firstDelayMinutes' | 'firstStepType'> &
  InProject & { readonly steps: readonly Step[] };

const keyOf = ({ projectKey }: InProject): number => projectKey;

const grouped = (scopes: readonly InProject[], rows: readonly Row[]): Loaded => {
  const projects = new Map(scopes.map((scope) => [keyOf(scope), new Map<string, ActiveWorkflow[]>()]));
  for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const { id, name, version, trigger, steps } = row;
    const [first] = steps;
    const firstStep = { firstDelayMinutes: first?.delayMinutes ?? 0, firstStepType: first?.type ?? null };
    const active: ActiveWorkflow = { id, name, version, trigger, ...firstStep };
    const byEvent = projects.get(keyOf(row));
    const known = byEvent?.get(trigger.eventType);
    if (known) known.push(active);
    else byEvent?.set(trigger.eventType, [active]);
  }
  return projects;
};

/**
 * Triggers in memory, at most `maxAgeMs` old by the clock. Reads that run already are shared, except those that an
 * invalidation overtook: what they bring is given to those who waited, and remembered by nobody.
 */
export const triggerCache = ({
  storage,
  tables,
  clock,
  maxAgeMs = TRIGGERS_MAX_AGE_MS,
}: {
  readonly storage: Storage;
  readonly tables: WorkflowTables;
  readonly clock: Clock;
  readonly maxAgeMs?: number;
}): TriggerCache => {
  const { activeTriggers } = workflowHot(tables);
  const cached = new LRUCache<number, { readonly readAt: number; readonly byEvent: TriggersByEvent }>({
    max: MAX_PROJECTS,
  });
  const reading = new Map<number, Promise<Loaded>>();

  const fresh = (key: number, now: number): TriggersByEvent | undefined => {
    const known = cached.get(key);
    if (!known) return undefined;
    const ageMs = now - known.readAt;
    // A clock that was set back would otherwise keep what is old for as long as it went back.
    return ageMs >= 0 && ageMs < maxAgeMs ? known.byEvent : undefined;
  };

  const read = (scopes: readonly InProject[], readAt: number): Promise<Loaded> => {
    const fetched = storage.select(
      activeTriggers,
      scopes.map((scope) => [keyOf(scope)]),
    );
    const loaded: Promise<Loaded> = fetched.then((rows) => grouped(scopes, rows));
    const settle = (projects: Loaded): void => {
      for (const scope of scopes) {
        const key = keyOf(scope);
        if (reading.get(key) !== loaded) continue;
        reading.delete(key);
        const byEvent = projects.get(key);
        if (byEvent) cached.set(key, { readAt, byEvent });
      }
    };
    for (const scope of scopes) reading.set(keyOf(scope), loaded);
    // Those who wait for `loaded` see its failure; here it only ends the reading.
    loaded.then(settle, () => settle(new Map()));
    return loaded;
  };

  const load = async (scopes: readonly InProject[]): Promise<TriggersOf> => {
    const now = clock.now().getTime();
    const found = new Map<number, TriggersByEvent>();
    const stale = new Map<number, InProject>();
    const awaited = new Set<Promise<Loaded>>();
    for (const scope of scopes) {
      const key = keyOf(scope);
      const known = fresh(key, now);
      const running = reading.get(key);
      if (known) found.set(key, known);
      else if (running) awaited.add(running);
      else stale.set(key, scope);
    }
    if (stale.size > 0) awaited.add(read([...stale.values()], now));
    for (const projects of await Promise.all(awaited))
      for (const [key, byEvent] of projects) if (!found.has(key)) found.set(key, byEvent);
    return (scope) => {
      const byEvent = found.get(keyOf(scope));
      if (!byEvent) throw new TypeError('the triggers of this project were not loaded');
      return byEvent;
    };
  };

  return {
    load,
    forProject: async (scope) => (await load([scope]))(scope),
    invalidate: (scope) => {
      cached.delete(keyOf(scope));
      reading.delete(keyOf(scope));
    },
  };
};

/** What a trigger looks at: the literal name and the top level of the properties. */
export type TriggerEvent = { readonly eventType: string; readonly properties: Readonly<Record<string, unknown>> };

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? JSON.stringify(value)
    : undefined;
};

/**
 * Tells whether an event starts a run: equal names, and each filter equal to that own property (a string as it is,
 * numbers and booleans as JSON text; anything else matches nothing). A trigger with an audience matches nobody in
 * this version. Throws nothing.
 */
export const matches = ({ eventType, filters, audienceId }: Trigger, event: TriggerEvent): boolean => {
  if (eventType !== event.eventType || audienceId !== undefined) return false;
  if (filters === undefined) return true;
  for (const key of Object.keys(filters))
    if (!Object.hasOwn(event.properties, key) || textOf(event.properties[key]) !== filters[key]) return false;
  return true;
};

/** What somebody may listen to, whatever the event says besides: a filter is looked at when the event is taken. */
export const triggerListener = (triggers: Pick<TriggerCache, 'load'>) => ({
  load: async (scopes: readonly InProject[]): Promise<(scope: InProject, name: string) => boolean> => {
    const triggersOf = await triggers.load(scopes);
    return (scope, name) => triggersOf(scope).has(name);
  },
});
