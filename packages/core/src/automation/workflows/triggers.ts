import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { withoutDeadline } from '../../foundation/deadline.ts';
import { lru } from '../../foundation/lru.ts';
import type { InProject } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { FilterMismatch } from '../../people/events/answers.generated.ts';
import { filterTextOf, fitsFilters } from '../../people/events/property-filters.ts';
import type { StartedBy } from '../runs/start.ts';
import type { Step } from '../runs/steps/list.ts';
import type { Trigger } from './schema.ts';
import { workflowStatements } from './statements.ts';
import type { WorkflowTables } from './tables.ts';

/** Age at which another process's change is visible, in milliseconds. Chosen. */
export const MAX_AGE_MS = 2_000;
/** Maximum cached first steps of versions. Chosen: two short values each. */
const MAX_FIRST_STEPS = 100_000;
/** Versions per statement. Chosen: some hundred kilobytes of steps if all are long. */
const READ_AT_ONCE = 16;
/** Work units of reading a version's steps. Measured, with a margin. */
const STEPS_UNITS = 2_000;

/** An active workflow with what starting a run needs. */
export type ActiveWorkflow = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly trigger: Trigger;
  /** Number of the trigger's filters. */
  readonly filters: number;
  /** Delay of the first step, after which a new run is due; 0 without steps. */
  readonly firstDelayMinutes: number;
  /** Null without steps. */
  readonly firstStepType: Step['type'] | null;
};
/** Active workflows of one project by event name, each list by id. */
export type TriggersByEvent = ReadonlyMap<string, readonly ActiveWorkflow[]>;
/** Throws TypeError for a project that was not loaded. */
export type TriggersOf = (scope: InProject) => TriggersByEvent;

export type TriggerCache = {
  /** Triggers of several projects: one statement for all stale ones. */
  load(scopes: readonly InProject[]): Promise<TriggersOf>;
  /** Forgets a project, so that the next call reads it again. */
  invalidate(scope: InProject): void;
};

type FirstStep = Pick<ActiveWorkflow, 'firstDelayMinutes' | 'firstStepType'>;
type Row = Omit<ActiveWorkflow, 'filters' | keyof FirstStep> & InProject;
type VersionName = Pick<Row, 'projectKey' | 'id' | 'version'>;

const keyOf = ({ projectKey }: InProject): number => projectKey;

const NOTHING: TriggersByEvent = new Map();

const NO_STEP: FirstStep = { firstDelayMinutes: 0, firstStepType: null };
const versionName = ({ projectKey, id, version }: VersionName): string => `${projectKey}/${id}/${version}`;

const grouped = (rows: readonly Row[], firstStepOf: (row: Row) => FirstStep): TriggersOf => {
  const projects = new Map<number, Map<string, ActiveWorkflow[]>>();
  for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const { id, name, version, trigger } = row;
    const filters = Object.keys(trigger.filters ?? {}).length;
    const active: ActiveWorkflow = { id, name, version, trigger, filters, ...firstStepOf(row) };
    const byEvent = projects.get(keyOf(row)) ?? new Map<string, ActiveWorkflow[]>();
    projects.set(keyOf(row), byEvent);
    const known = byEvent.get(trigger.eventType);
    if (known) known.push(active);
    else byEvent.set(trigger.eventType, [active]);
  }
  return (scope) => projects.get(keyOf(scope)) ?? NOTHING;
};

/**
 * Cache of triggers; changes by another process are visible after MAX_AGE_MS. Shared by all requests, so it is read
 * outside the host's transaction.
 */
export const triggerCache = ({
  storage,
  tables,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly tables: WorkflowTables;
  readonly clock: Clock;
}): TriggerCache => {
  const { activeTriggers, versionSteps } = workflowStatements(tables);
  const firstSteps = lru<string, FirstStep>(MAX_FIRST_STEPS);

  /** Versions are immutable and their steps may be large: each is read once, a few at a time. */
  const loadFirstSteps = async (rows: readonly Row[]): Promise<(row: Row) => FirstStep> => {
    const found = new Map<string, FirstStep>();
    const missing: Row[] = [];
    for (const row of rows) {
      const known = firstSteps.get(versionName(row));
      if (known) found.set(versionName(row), known);
      else missing.push(row);
    }
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      const keys = missing.slice(from, from + READ_AT_ONCE).map((row) => [keyOf(row), row.id, row.version]);
      for (const { projectKey, workflowId: id, version, steps } of await storage.select(versionSteps, keys)) {
        const [first] = steps;
        const step = { firstDelayMinutes: first?.delayMinutes ?? 0, firstStepType: first?.type ?? null };
        const name = versionName({ projectKey, id, version });
        firstSteps.set(name, step);
        found.set(name, step);
        const rest = spendWork(STEPS_UNITS, keyOf({ projectKey }));
        if (rest !== undefined) await rest;
      }
    }
    return (row) => found.get(versionName(row)) ?? NO_STEP;
  };

  // The deadline of one caller must not end a read that others share.
  const read = (scopes: readonly InProject[]): Promise<TriggersOf> =>
    withoutDeadline(async () => {
      const rows = await storage.select(
        activeTriggers,
        scopes.map((scope) => [keyOf(scope)]),
      );
      return grouped(rows, await loadFirstSteps(rows));
    });
  const cache = sharedCache({ storage, clock, topic: null, nameOf: keyOf, read, maxAgeMs: MAX_AGE_MS });
  return { load: (scopes) => cache.load(scopes), invalidate: cache.forget };
};

/** What a trigger tests: the literal name and the top-level properties. */
export type TriggerEvent = { readonly eventType: string; readonly properties: Readonly<Record<string, unknown>> };

/**
 * Whether an event starts a run: equal names, each filter equal to the own property of that name (strings as they are,
 * numbers and booleans as JSON text; other values never match), and a user in the trigger's audience, if it has one.
 * Throws nothing.
 */
export const matches = (
  { eventType, filters, audienceId }: Trigger,
  event: TriggerEvent,
  isMember: (audienceId: string) => boolean = () => false,
): boolean => {
  if (eventType !== event.eventType) return false;
  if (filters !== undefined && !fitsFilters(filters, event.properties)) return false;
  return audienceId === undefined || isMember(audienceId);
};

/** Work units of evaluating a trigger, and each of its filters. Measured, with a margin. */
const TRIGGER_UNITS = 4;
const FILTER_UNITS = 1;

/** Evaluates each workflow with this trigger event lazily. Throws nothing. */
export function* verdictsOf(
  triggers: TriggersByEvent,
  event: TriggerEvent,
  isMember: (audienceId: string) => boolean,
): Generator<{ readonly starts: ActiveWorkflow | null; readonly units: number }> {
  for (const workflow of triggers.get(event.eventType) ?? []) {
    const units = TRIGGER_UNITS + workflow.filters * FILTER_UNITS;
    yield { starts: matches(workflow.trigger, event, isMember) ? workflow : null, units };
  }
}

/** Evaluates the triggers of several projects, in the form that starting runs uses. */
export const triggerVerdicts =
  (triggers: Pick<TriggerCache, 'load'>) =>
  async (projects: readonly InProject[]): Promise<StartedBy> => {
    const triggersOf = await triggers.load(projects);
    return (project, event, isMember) => verdictsOf(triggersOf(project), event, isMember);
  };

/** Filters that an event of that name does not match, by path, evaluated like `matches`. Throws nothing. */
export const mismatchesOf = ({ filters = {} }: Trigger, { properties }: TriggerEvent): readonly FilterMismatch[] =>
  Object.entries(filters)
    // Databases do not keep the order of keys.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, expected]) => {
      if (!Object.hasOwn(properties, path)) return [{ path, expected }];
      const actual = properties[path];
      return filterTextOf(actual) === expected ? [] : [{ path, expected, actual }];
    });

/** Decides for which items triggers need the memberships. */
export type NeedsMemberships = (
  projects: readonly InProject[],
) => Promise<(item: TriggerEvent & { readonly scope: InProject }) => boolean>;

export const triggerAudiences =
  (triggers: Pick<TriggerCache, 'load'>): NeedsMemberships =>
  async (projects) => {
    const triggersOf = await triggers.load(projects);
    return ({ scope, eventType }) =>
      (triggersOf(scope).get(eventType) ?? []).some(({ trigger }) => trigger.audienceId !== undefined);
  };

/** Subscribes triggers to events by name; filters are evaluated when the event is processed. */
export const triggerListener = (triggers: Pick<TriggerCache, 'load'>) => ({
  load: async (scopes: readonly InProject[]): Promise<(scope: InProject, name: string) => boolean> => {
    const triggersOf = await triggers.load(scopes);
    return (scope, name) => triggersOf(scope).has(name);
  },
});
