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

/** Age at which another process's import is seen, in milliseconds; ours. */
export const MAX_AGE_MS = 2_000;
/** First steps of versions that one process remembers. Chosen: two short values each. */
const MAX_FIRST_STEPS = 100_000;
/** Versions that one statement reads. Chosen: some hundred kilobytes of steps where all are long. */
const READ_AT_ONCE = 16;
/** Units of work of reading the steps of a version. Measured, with room. */
const STEPS_UNITS = 2_000;

/** An active workflow, as far as starting a run needs it. */
export type ActiveWorkflow = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly trigger: Trigger;
  /** How many filters the trigger has. */
  readonly filters: number;
  /** Of the first step: a run that starts is due after it. 0 where there is no step. */
  readonly firstDelayMinutes: number;
  /** Null where there is no step. */
  readonly firstStepType: Step['type'] | null;
};
/** Active workflows of one project by event name, each list by id. */
export type TriggersByEvent = ReadonlyMap<string, readonly ActiveWorkflow[]>;
/** Throws TypeError for a project that was not asked for. */
export type TriggersOf = (scope: InProject) => TriggersByEvent;

export type TriggerCache = {
  /** The triggers of several projects: one statement for all of those that are not fresh. */
  load(scopes: readonly InProject[]): Promise<TriggersOf>;
  /** Forgets a project, so that whoever asks from now on reads it again. */
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
 * Triggers in memory, a little late where another process changed them. All requests share what was read, so it is read
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

  /** Versions never change and their steps may be large: each is read once, a few at a time. */
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

  // The deadline of one caller does not end a read that others share.
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

/** What a trigger looks at: the literal name and the top level of the properties. */
export type TriggerEvent = { readonly eventType: string; readonly properties: Readonly<Record<string, unknown>> };

/**
 * Tells whether an event starts a run: equal names, and each filter equal to that own property (a string as it is,
 * numbers and booleans as JSON text; anything else matches nothing), of somebody who is in the audience that the trigger
 * names, where it names one. Throws nothing.
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

/** Units of work of judging a trigger, and each of its filters. Measured, with room. */
const TRIGGER_UNITS = 4;
const FILTER_UNITS = 1;

/** What each workflow that listens to an event makes of it, judged as it is asked for. Throws nothing. */
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

/** Judges the triggers of several projects, as starting runs asks it. */
export const triggerVerdicts =
  (triggers: Pick<TriggerCache, 'load'>) =>
  async (projects: readonly InProject[]): Promise<StartedBy> => {
    const triggersOf = await triggers.load(projects);
    return (project, event, isMember) => verdictsOf(triggersOf(project), event, isMember);
  };

/**
 * The filters that keep an event of that name from starting a run, as `matches` judges them, by path. Throws nothing.
 */
export const mismatchesOf = ({ filters = {} }: Trigger, { properties }: TriggerEvent): readonly FilterMismatch[] =>
  Object.entries(filters)
    // The databases keep no order of keys.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, expected]) => {
      if (!Object.hasOwn(properties, path)) return [{ path, expected }];
      const actual = properties[path];
      return filterTextOf(actual) === expected ? [] : [{ path, expected, actual }];
    });

/** Tells of which items it matters in which audiences their people are. */
export type AsksAudiences = (
  projects: readonly InProject[],
) => Promise<(item: TriggerEvent & { readonly scope: InProject }) => boolean>;

export const triggerAudiences =
  (triggers: Pick<TriggerCache, 'load'>): AsksAudiences =>
  async (projects) => {
    const triggersOf = await triggers.load(projects);
    return ({ scope, eventType }) =>
      (triggersOf(scope).get(eventType) ?? []).some(({ trigger }) => trigger.audienceId !== undefined);
  };

/** What somebody may listen to, whatever the event says besides: a filter is looked at when the event is taken. */
export const triggerListener = (triggers: Pick<TriggerCache, 'load'>) => ({
  load: async (scopes: readonly InProject[]): Promise<(scope: InProject, name: string) => boolean> => {
    const triggersOf = await triggers.load(scopes);
    return (scope, name) => triggersOf(scope).has(name);
  },
});
