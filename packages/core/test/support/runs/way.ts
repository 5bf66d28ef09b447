import { advance, begin } from '../../../src/automation/runs/advance.ts';
import type { StoredStep } from '../../../src/automation/runs/cursor.ts';
import type { StepCatalog } from '../../../src/automation/runs/steps/catalog.ts';
import type { PlanContext, StepDone } from '../../../src/automation/runs/steps/step.ts';
import type { RunRow } from '../../../src/automation/runs/store.ts';
import { userPerson } from '../../../src/foundation/person.ts';
import { scopeOf } from '../../../src/foundation/scope.ts';
import type { ProfileView } from '../../../src/people/profiles/view.ts';
import { testScope } from '../scopes.ts';
import { profileOf } from '../sends/world.ts';

const SCOPE = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
/** Maximum steps, to detect endless loops. */
const MAX_STEPS = 1_000;

/** Options of a run. */
export type WayOptions = {
  readonly userId?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  /** The user's profile; null: none. */
  readonly profile?: Partial<ProfileView> | null;
  readonly orgTimezone?: string | null;
  readonly startsAt?: string;
  readonly run?: Partial<RunRow>;
};

/** A step that ended. */
export type Passed = Pick<StepDone, 'outcome' | 'reason' | 'output' | 'sendId'> & {
  readonly path: string;
  readonly at: string;
};

const firstRow = ({ userId = 'ann', properties = {}, run }: WayOptions, now: Date): RunRow => ({
  ...scopeOf(SCOPE),
  id: 'run',
  workflowId: 'workflow',
  workflowVersion: 1,
  workflowName: 'W',
  person: userPerson(userId),
  triggerEventId: 'e',
  triggerEvent: { id: 'e', eventType: 'asked', module: 'm', properties },
  status: 'running',
  outcome: null,
  depth: 0,
  runBudget: 0,
  budgetRunId: null,
  exitReason: null,
  cursor: '0',
  attempt: 1,
  startedAt: now,
  completedAt: null,
  error: null,
  context: {},
  dueAt: now,
  waitingSince: null,
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
  leaseUntil: null,
  fence: 1,
  ...run,
});

/**
 * Executes a run's steps without a database: each step when it is due, on its own clock. Sends reach their user, and
 * have their number as id.
 */
export const wayThrough = async (
  catalog: Pick<StepCatalog, 'find' | 'armsOf'>,
  steps: readonly StoredStep[],
  options: WayOptions = {},
) => {
  const { userId = 'ann', orgTimezone = null, startsAt = '2026-03-01T10:00:00.000Z' } = options;
  let now = new Date(startsAt);
  let profile: ProfileView | undefined =
    options.profile === null ? undefined : { ...profileOf(SCOPE, userId), ...options.profile };
  let run = firstRow(options, now);
  let sends = 0;
  const passed: Passed[] = [];
  for (let taken = 0; run.dueAt !== null; taken += 1) {
    if (taken === MAX_STEPS) throw new Error('this way does not end');
    if (run.dueAt > now) now = run.dueAt;
    const facts = { run: { ...run, scope: SCOPE, saved: run.context }, path: run.cursor, now };
    const begun = await begin(catalog, steps, {
      ...facts,
      signal: new AbortController().signal,
      profile: async () => profile,
      template: async () => null,
      orgTimezone: async () => orgTimezone,
    });
    const context: PlanContext = {
      ...facts,
      profile,
      publicUrl: null,
      askModel: () => null,
      post: () => null,
      send: () => {
        sends += 1;
        return { outcome: 'ok', sendId: `send-${sends}` };
      },
    };
    if (begun.kind === 'ran') await begun.plan.prepare?.(context);
    const { state, step } = advance(catalog.armsOf, run, begun, context);
    if (step) {
      const { outcome, reason, output, sendId, nextTraits } = step.result;
      passed.push({
        path: step.path,
        at: now.toISOString(),
        outcome,
        ...(reason === undefined ? {} : { reason }),
        ...(output === undefined ? {} : { output }),
        ...(sendId === undefined ? {} : { sendId }),
      });
      if (nextTraits) profile = { ...profileOf(SCOPE, userId), ...profile, ...nextTraits };
    }
    run = { ...run, ...state };
  }
  return { run, passed, profile, paths: passed.map(({ path }) => path) };
};
