import { compact } from '../../../foundation/compact.ts';
// Substitutes for what a simulation does not execute: results of external services, and later events.

import { fitsFilters } from '../../../people/events/property-filters.ts';
import type { RunRow } from '../../runs/advance.ts';
import { type ArmsOf, type StoredStep, stepAt } from '../../runs/cursor.ts';
import type { StepCatalog } from '../../runs/steps/catalog.ts';
import type { StepDone } from '../../runs/steps/step.ts';
import type { SimulateBody } from './schema.ts';

type Answers = NonNullable<SimulateBody['answers']>;
type StepAnswer = NonNullable<Answers['steps']>[string];

const MINUTE_MS = 60_000;

/** Assumed results of steps that call external services, if the input has none. */
const ASSUMED: Readonly<Record<string, StepDone>> = {
  webhook: { outcome: 'ok', httpStatus: 200, output: { status: 200, body: null } },
};

const answerFor = (path: string, { config }: StoredStep, answers: Answers['steps'] = {}): StepAnswer | undefined => {
  for (const key of [path, config['saveAs'], config['name']])
    if (typeof key === 'string' && Object.hasOwn(answers, key)) return answers[key];
  return undefined;
};

const doneOf = ({ outcome = 'ok', reason, output, httpStatus }: StepAnswer): StepDone => ({
  outcome,
  ...compact({ reason, output, httpStatus }),
});

/** Result of a step that is not executed; null: execute it. Throws nothing. */
export const standInFor = (
  steps: readonly StoredStep[],
  path: string,
  armsOf: ArmsOf,
  answers: SimulateBody['answers'],
): StepDone | null => {
  const step = stepAt(steps, path, armsOf);
  if (!step) return null;
  const answer = answerFor(path, step, answers?.steps);
  if (answer) return doneOf(answer);
  return Object.hasOwn(ASSUMED, step.type) ? (ASSUMED[step.type] ?? null) : null;
};

/** A catalog in which the next step has the given result. The step's conditions still apply. */
export const withStandIn = (catalog: Pick<StepCatalog, 'find' | 'armsOf'>, done: StepDone): typeof catalog => ({
  armsOf: catalog.armsOf,
  find: (type) => {
    const definition = catalog.find(type);
    return definition && { ...definition, run: () => () => done };
  },
});

/** A later event. */
export type LaterEvent = {
  readonly eventType: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
};

/** The later events of the input, by time. Throws nothing. */
export const laterEvents = (answers: SimulateBody['answers'], startedAt: Date): LaterEvent[] =>
  (answers?.events ?? [])
    .map(({ eventType, properties = {}, afterMinutes }) => ({
      eventType,
      properties,
      at: new Date(startedAt.getTime() + afterMinutes * MINUTE_MS),
    }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());

/** The first event that would resume a run that starts to wait; undefined: none in time. Throws nothing. */
export const wakingEvent = (
  run: Pick<RunRow, 'awaitsEvent' | 'awaitsFilters' | 'waitingSince' | 'dueAt'>,
  events: readonly LaterEvent[],
): LaterEvent | undefined => {
  const { awaitsEvent, awaitsFilters, waitingSince, dueAt } = run;
  if (awaitsEvent === null || waitingSince === null || dueAt === null) return undefined;
  return events.find(
    ({ eventType, properties, at }) =>
      eventType === awaitsEvent && at >= waitingSince && at < dueAt && fitsFilters(awaitsFilters ?? {}, properties),
  );
};
