// Simulates a run with the same step functions as real runs, on a clock that jumps to the time when each step is due.
// Writes nothing, calls no service and sends nothing.

import { nextTurn } from '../../../foundation/contained.ts';
import { derivedId } from '../../../foundation/derived-id.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { anonymousPerson, userPerson } from '../../../foundation/person.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { ProfileView } from '../../../people/profiles/view.ts';
import { advance, begin, type RunRow } from '../../runs/advance.ts';
import { FIRST_PATH, type StoredStep, stepAt } from '../../runs/cursor.ts';
import { stepRun } from '../../runs/plan.ts';
import type { StepCatalog } from '../../runs/steps/catalog.ts';
import type { PlanContext, RunContext, StepDone } from '../../runs/steps/step.ts';
import type { Workflow } from '../schema.ts';
import { mismatchesOf } from '../triggers.ts';
import { definitionWarnings } from '../warnings.ts';
import type { SimulatedStep, Simulation } from './answers.generated.ts';
import type { SimulateBody } from './schema.ts';
import { type Captured, captureSend, renderedSend, type SimulatedSends } from './sends.ts';
import { laterEvents, standInFor, wakingEvent, withStandIn } from './stand-ins.ts';

const MINUTE_MS = 60_000;
/** Maximum executed steps including attempts and waits. Chosen: above 100 steps with 100 attempts. */
const MAX_STEPS = 20_000;

/** Data and functions that a simulation needs. */
export type SimulatePorts = SimulatedSends & {
  readonly catalog: Pick<StepCatalog, 'find' | 'armsOf'>;
  readonly scope: InScope;
  /** The profile before the run; undefined if there is none. */
  readonly profile: ProfileView | undefined;
  readonly publicUrl: string | null;
  readonly template: RunContext['template'];
  readonly mayUse?: RunContext['mayUse'];
  readonly orgTimezone: RunContext['orgTimezone'];
  readonly mailTracking?: RunContext['mailTracking'];
  /** Absent: memberships and event counts are unknown. */
  readonly known?: RunContext['known'];
  /** Whether the user is in an audience; null or absent: the input decides. */
  isMember?(audienceId: string): Promise<boolean | null>;
};

export type SimulatedDefinition = Workflow & { readonly id: string; readonly version: number | null };

const personOf = ({ event, user = {} }: SimulateBody): string => {
  const userId = user.userId ?? event.userId;
  return userId === undefined ? anonymousPerson(user.anonymousId ?? event.anonymousId ?? '') : userPerson(userId);
};

/** Ids that are equal in equal simulations. */
const countedIds = (at: Date): Ids => {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return derivedId(at, `simulation/${count}`);
    },
  };
};

/** Why no run would start, in the order of the checks; null if one would. */
const refusalOf = async (
  { trigger, isActive }: Workflow,
  { event, user = {} }: SimulateBody,
  isMember: SimulatePorts['isMember'],
): Promise<Pick<Simulation, 'verdict' | 'filters' | 'audienceId'> | null> => {
  const { eventType = trigger.eventType, properties = {} } = event;
  if (eventType !== trigger.eventType) return { verdict: 'event' };
  const filters = mismatchesOf(trigger, { eventType, properties });
  if (filters.length > 0) return { verdict: 'filter', filters };
  const { audienceId } = trigger;
  if (audienceId !== undefined) {
    const isIn = (await isMember?.(audienceId)) ?? user.audiences?.includes(audienceId) ?? false;
    if (!isIn) return { verdict: 'audience', audienceId };
  }
  return isActive ? null : { verdict: 'inactive' };
};

const firstRow = (ids: Ids, scope: InScope, workflow: SimulatedDefinition, body: SimulateBody, now: Date): RunRow => {
  const person = personOf(body);
  const { event, user = {} } = body;
  const { eventType = workflow.trigger.eventType, module = 'simulation', properties = {} } = event;
  const triggerEventId = ids.next();
  const delayMinutes = workflow.steps[0]?.delayMinutes ?? 0;
  return {
    ...scopeOf(scope),
    id: ids.next(),
    workflowId: workflow.id,
    workflowVersion: workflow.version ?? 1,
    workflowName: workflow.name,
    person,
    triggerEventId,
    triggerEvent: {
      id: triggerEventId,
      eventType,
      module,
      properties,
      timestamp: now.toISOString(),
      userId: user.userId ?? event.userId ?? null,
      anonymousId: user.anonymousId ?? event.anonymousId ?? null,
    },
    status: delayMinutes > 0 ? 'waiting' : 'running',
    outcome: null,
    depth: 0,
    runBudget: 0,
    budgetRunId: null,
    exitReason: null,
    cursor: FIRST_PATH,
    attempt: 1,
    startedAt: now,
    completedAt: null,
    error: null,
    context: {},
    dueAt: new Date(now.getTime() + delayMinutes * MINUTE_MS),
    waitingSince: null,
    wokenBy: null,
    awaitsEvent: null,
    awaitsFilters: null,
    leaseUntil: null,
    fence: 1,
  };
};

/** Changed traits with their new values. */
const changesOf = (before: ProfileView['traits'], { traits: after }: NonNullable<StepDone['nextTraits']>) => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const isSame = (name: string): boolean => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  return Object.fromEntries([...names].filter((name) => !isSame(name)).map((name) => [name, after[name] ?? null]));
};

const blankProfile = (run: RunRow): ProfileView => ({
  ...scopeOf(run),
  person: run.person,
  traits: {},
  version: 0,
  isTruncated: false,
  email: null,
  phone: null,
  locale: null,
  timezone: null,
  createdAt: run.startedAt,
  lastSeenAt: run.startedAt,
});

/** Simulates a workflow from an event to its end. Throws only on a defect of a step. */
export const simulateWorkflow = async (
  ports: SimulatePorts,
  workflow: SimulatedDefinition,
  body: SimulateBody,
  startsAt: Date,
): Promise<Simulation> => {
  const { catalog } = ports;
  const { armsOf } = catalog;
  const about = {
    workflow: { name: workflow.name, version: workflow.version },
    warnings: definitionWarnings(workflow),
  };
  const refusal = await refusalOf(workflow, body, ports.isMember);
  if (refusal && refusal.verdict !== 'inactive') return { ...about, ...refusal, run: null, steps: [] };

  const definition: readonly StoredStep[] = workflow.steps;
  const ids = countedIds(startsAt);
  let run = firstRow(ids, ports.scope, workflow, body, startsAt);
  let { profile } = ports;
  let now = startsAt;
  let events = laterEvents(body.answers, startsAt);
  const steps: SimulatedStep[] = [];
  const { signal } = new AbortController();

  for (let stepCount = 0; run.dueAt !== null && stepCount < MAX_STEPS; stepCount += 1) {
    // A hundred steps may take long to render.
    await nextTurn();
    if (run.dueAt > now) now = run.dueAt;
    const facts = { run: stepRun(run), path: run.cursor, now };
    const current = profile;
    const standIn = standInFor(definition, run.cursor, armsOf, body.answers);
    const begun = await begin(standIn ? withStandIn(catalog, standIn) : catalog, definition, {
      ...facts,
      signal,
      profile: async () => current,
      template: ports.template,
      ...(ports.mayUse ? { mayUse: ports.mayUse } : {}),
      variantTexts: async (channel, abTestId) => (await ports.loadTest?.(channel, abTestId))?.texts ?? [],
      orgTimezone: ports.orgTimezone,
      ...(ports.mailTracking && { mailTracking: ports.mailTracking }),
      ...(ports.known && { known: ports.known }),
    });
    let captured: Captured | null = null;
    const planned = { ...facts, profile: current, publicUrl: ports.publicUrl };
    const context: PlanContext = {
      ...planned,
      send: (stepSend) => {
        const sent = captureSend(ports, ids, planned, stepSend);
        captured = sent.captured;
        return sent.done;
      },
      // As in the outbox: the step uses its sandbox result.
      askModel: () => null,
      post: () => null,
    };
    if (begun.kind === 'ran') await begun.plan.prepare?.(context);
    const { state, step } = advance(armsOf, run, begun, context);
    if (step) {
      const { result } = step;
      const { nextTraits } = result;
      const { config = {} } = stepAt(definition, step.path, armsOf) ?? {};
      steps.push({
        path: step.path,
        type: step.type,
        name: typeof config['name'] === 'string' ? config['name'] : null,
        attempt: run.attempt,
        startedAt: step.startedAt,
        finishedAt: now,
        outcome: result.outcome,
        reason: result.reason ?? null,
        output: result.output ?? null,
        httpStatus: result.httpStatus ?? null,
        isMocked: result.reason === 'sandbox' || (standIn !== null && result.outcome === standIn.outcome),
        send: await sendOf(ports, captured, planned),
        changes: nextTraits ? changesOf(current?.traits ?? {}, nextTraits) : {},
      });
      if (nextTraits) profile = { ...(current ?? blankProfile(run)), ...nextTraits };
    }
    run = { ...run, ...state };
    const woken = wakingEvent(run, events);
    if (!woken) continue;
    events = events.filter((one) => one !== woken);
    const { eventType, properties, at } = woken;
    run = { ...run, dueAt: at, wokenBy: { id: ids.next(), eventType, properties }, awaitsEvent: null };
  }

  const { status, outcome, exitReason, error, startedAt, completedAt, context } = run;
  const traits = profile?.traits ?? {};
  const ended = { status, outcome, exitReason, error, startedAt, completedAt, context, traits };
  return { ...about, ...(refusal ?? { verdict: 'started' }), run: ended, steps };
};

const sendOf = async (
  ports: SimulatedSends,
  captured: Captured | null,
  facts: Pick<PlanContext, 'profile' | 'now'>,
): Promise<SimulatedStep['send']> => {
  if (!captured) return null;
  const { channel, class: kind, category = null, abTestId = null } = captured.request;
  return { channel, class: kind, category, abTestId, ...(await renderedSend(ports, captured, facts)) };
};
