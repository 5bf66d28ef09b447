// Explains which runs an event started. Nothing is stored for this: versions tell the definitions of that time, and
// runs tell what started.

import { CHANNELS } from '../../foundation/channel.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import type { InScope, Scope } from '../../foundation/scope.ts';
import type { SendsApi } from '../../messaging/sends/api.ts';
import type { WorkflowVerdict } from '../../people/events/answers.generated.ts';
import { MAX_DEPTH } from '../../people/events/catalog.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RunReads } from '../runs/runs.ts';
import { type VersionAt, workflowStore } from './store.ts';
import type { WorkflowTables } from './tables.ts';
import { MAX_AGE_MS, mismatchesOf, type TriggerEvent } from './triggers.ts';

export type ExplainNeeds = {
  readonly runs: Pick<RunReads, 'runsOf' | 'runStateOf'>;
  readonly sends: Pick<SendsApi, 'get'>;
  /** Whether the event is raised and no worker has processed it. */
  isWaiting(scope: InScope, eventId: string): Promise<boolean>;
};

/** Explains for each workflow with a matching trigger why it started or not. */
export type ExplainEvent = (scope: Scope, event: ExplainedEvent) => Promise<readonly WorkflowVerdict[]>;

/** A stored event. */
export type ExplainedEvent = TriggerEvent & {
  readonly id: string;
  readonly module: string;
  readonly receivedAt: Date;
};

type Verdict = Omit<WorkflowVerdict, 'workflowId' | 'workflowName' | 'workflowVersion'>;

const byName = (a: WorkflowVerdict, b: WorkflowVerdict): number =>
  a.workflowName < b.workflowName ? -1 : a.workflowName > b.workflowName ? 1 : a.workflowId < b.workflowId ? -1 : 1;

/** Why a version starts no run, judging by the event, in the order of the checks; null if it matches. */
const refusalOf = (version: VersionAt, event: TriggerEvent): Verdict | null => {
  if (!version.isActive) return { verdict: 'inactive' };
  const filters = mismatchesOf(version.trigger, event);
  return filters.length > 0 ? { verdict: 'filter', filters } : null;
};

export const eventExplainer = (
  { storage, tables }: Pick<Platform<WorkflowTables>, 'storage' | 'tables'>,
  { runs: { runsOf, runStateOf }, sends, isWaiting }: ExplainNeeds,
): ExplainEvent => {
  const store = workflowStore({ db: storage.db, dialect: storage.dialect, tables });

  /** The run that caused an event: the run in its properties, or the run of the send in its properties. */
  const causeOf = async (scope: Scope, { module, properties }: ExplainedEvent): Promise<string | null> => {
    const { runId, sendId } = properties;
    if (typeof runId === 'string') return runId;
    const channel = CHANNELS.find((one) => one === module);
    if (typeof sendId !== 'string' || channel === undefined) return null;
    try {
      return (await sends.get(scope, channel, sendId)).workflowRunId;
    } catch (error) {
      if (isBeckonError(error, 'NOT_FOUND')) return null;
      throw error;
    }
  };

  /** Why a matching event has no run. */
  const missing = async (
    scope: Scope,
    event: ExplainedEvent,
    { trigger: { audienceId } }: VersionAt,
    before: VersionAt | undefined,
    hasFanOut: boolean,
  ): Promise<Verdict> => {
    if (await isWaiting(scope, event.id)) return { verdict: 'waiting' };
    // Past memberships are not stored, and there is hardly another reason.
    if (audienceId !== undefined) return { verdict: 'audience', audienceId };
    if (!before || refusalOf(before, event)) return { verdict: 'not_loaded' };
    // When a budget is used up, only the first failed runs are stored.
    if (hasFanOut) return { verdict: 'fan_out' };
    const runId = await causeOf(scope, event);
    const cause = runId === null ? null : await runStateOf(scope, runId);
    if (cause === null) return { verdict: 'unknown' };
    if (cause.depth >= MAX_DEPTH) return { verdict: 'depth' };
    return { verdict: cause.isSpent ? 'fan_out' : 'unknown' };
  };

  return async (scope, event) => {
    const { eventType, receivedAt } = event;
    const moments = [receivedAt, new Date(receivedAt.getTime() - MAX_AGE_MS), null];
    const [then, before, today] = await Promise.all(moments.map((at) => store.versionsAt(scope, eventType, at)));
    // Each workflow's version of that time. Includes workflows that had the trigger shortly before or have it today.
    const versions = new Map(
      [...(today ?? []), ...(before ?? []), ...(then ?? [])].map((one) => [one.workflowId, one]),
    );
    const runs = await runsOf(scope, event.id, [...versions.keys()]);
    const hasFanOut = runs.some(({ stopped }) => stopped === 'fan_out');
    const runOf = new Map(runs.map((run) => [run.workflowId, run]));
    const isThen = new Set((then ?? []).map(({ workflowId }) => workflowId));
    const isToday = new Set((today ?? []).map(({ workflowId }) => workflowId));
    const beforeOf = new Map((before ?? []).map((one) => [one.workflowId, one]));

    const verdictOf = async (version: VersionAt): Promise<WorkflowVerdict | null> => {
      const { workflowId, name: workflowName, version: workflowVersion } = version;
      const of = { workflowId, workflowName, workflowVersion };
      const run = runOf.get(workflowId);
      if (run) {
        const { id: runId, stopped, workflowName: ranAs, workflowVersion: ranVersion } = run;
        const verdict = stopped ?? 'started';
        return { workflowId, workflowName: ranAs, workflowVersion: ranVersion, verdict, runId };
      }
      if (!isThen.has(workflowId)) return isToday.has(workflowId) ? { ...of, verdict: 'added_later' } : null;
      return {
        ...of,
        ...(refusalOf(version, event) ?? (await missing(scope, event, version, beforeOf.get(workflowId), hasFanOut))),
      };
    };
    const verdicts = await Promise.all([...versions.values()].map(verdictOf));
    return verdicts.filter((one) => one !== null).sort(byName);
  };
};
