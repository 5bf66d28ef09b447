// Steps that wait for work of other modules, as these modules need them. Only the position of the step is stored there;
// the task is built with current facts when it is sent.

import { type Write, write } from '../../database/commit/write-set.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type LoadProfiles, type ProfileView, personKey } from '../../people/profiles/view.ts';
import type { AiTask } from '../ai/task.ts';
import { type ArmsOf, type StoredStep, stepAt } from './cursor.ts';
import type { StepsOf, VersionKey } from './definition.ts';
import { versionOf } from './dispatch.ts';
import { stepRun } from './plan.ts';
import type { RunStatements, RunsContext } from './statements.ts';
import type { StepPosition } from './step-request.ts';
import { aiConfig } from './steps/ai-action.ts';
import { taskOf } from './steps/ai-prompt.ts';
import { stepScopes } from './steps/scopes.ts';
import type { StepRun } from './steps/step.ts';
import type { RunRow } from './store.ts';

/** A step that still waits. */
export type WaitingStep = {
  readonly scope: Scope;
  readonly step: StoredStep;
  readonly run: StepRun;
  readonly profile: ProfileView | undefined;
};

export type WaitingReads = {
  readonly armsOf: ArmsOf;
  loadSteps(keys: readonly VersionKey[]): Promise<StepsOf>;
  readonly loadProfiles: LoadProfiles;
};

/** Loads those of these steps that still wait; others are omitted. */
export type LoadWaiting = <Place extends StepPosition>(
  positions: readonly Place[],
) => Promise<ReadonlyMap<Place, WaitingStep>>;

/** Makes the run of a waiting step due with its result; no effect if the run is elsewhere. Its queue is `RUNS`. */
export const resumeWrite = (
  { resume }: Pick<RunStatements, 'resume'>,
  { scopeId, runId, path, attempt }: StepPosition,
  outcome: Readonly<Record<string, unknown>>,
  now: Date,
): Write => write(resume, { scopeId, id: runId, cursor: path, attempt, dueAt: now, wokenBy: outcome });

const isWaitingAt = ({ path, attempt }: StepPosition, run: RunRow): boolean =>
  run.cursor === path &&
  run.attempt === attempt &&
  run.dueAt !== null &&
  run.waitingSince !== null &&
  run.wokenBy === null;

export const waitingSteps =
  (
    { storage, statements, scopes }: Pick<RunsContext, 'storage' | 'statements' | 'scopes'>,
    { armsOf, loadSteps, loadProfiles }: WaitingReads,
  ): LoadWaiting =>
  async <Place extends StepPosition>(positions: readonly Place[]): Promise<ReadonlyMap<Place, WaitingStep>> => {
    const nameOf = (scopeId: number, runId: string): string => `${scopeId}/${runId}`;
    const keys = new Map(positions.map((one) => [nameOf(one.scopeId, one.runId), [scopeKey(one), one.runId] as const]));
    const rows = await storage.select(statements.ofIds, [...keys.values()]);
    const runs = new Map(rows.map((row) => [nameOf(row.scopeId, row.id), row]));
    const found = positions.flatMap((place) => {
      const run = runs.get(nameOf(place.scopeId, place.runId));
      return run && isWaitingAt(place, run) ? [{ place, run }] : [];
    });
    if (found.length === 0) return new Map();
    const scopeAt = await scopes.load(found.map(({ run }) => scopeKey(run)));
    const [stepsOf, profiles] = await Promise.all([
      loadSteps(found.map(({ run }) => versionOf(scopeAt, run))),
      loadProfiles(found.map(({ run }) => ({ ...scopeOf(run), person: run.person }))),
    ]);
    return new Map(
      found.flatMap(({ place, run }): [Place, WaitingStep][] => {
        const steps = stepsOf(versionOf(scopeAt, run));
        const step = steps && stepAt(steps, place.path, armsOf);
        const profile = profiles.get(personKey({ ...scopeOf(run), person: run.person }));
        return step ? [[place, { scope: scopeAt(run.scopeId), step, run: stepRun(run), profile }]] : [];
      }),
    );
  };

/** Current model tasks of those steps that still wait; a null task is too large to send. */
export const modelTasks =
  (loadWaiting: LoadWaiting) =>
  async <Place extends StepPosition>(
    positions: readonly Place[],
  ): Promise<ReadonlyMap<Place, { readonly scope: Scope; readonly task: AiTask | null }>> =>
    new Map(
      [...(await loadWaiting(positions))].flatMap(([place, { scope, step, run, profile }]) => {
        const config = aiConfig(step);
        return config ? [[place, { scope, task: taskOf(config, stepScopes({ run, profile })) }] as const] : [];
      }),
    );
