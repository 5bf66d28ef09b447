import { vi } from 'vitest';
import { z } from 'zod';
import { tablesOf } from '../../../src/app/tables.ts';
import type { StoredStep } from '../../../src/automation/runs/cursor.ts';
import { type RunEngine, runRegistration } from '../../../src/automation/runs/dispatch.ts';
import type { Effects } from '../../../src/automation/runs/effects.ts';
import { runStatements } from '../../../src/automation/runs/statements.ts';
import { catalogOf } from '../../../src/automation/runs/steps/catalog.ts';
import { common } from '../../../src/automation/runs/steps/fields.ts';
import { defineStep } from '../../../src/automation/runs/steps/step.ts';
import type { RunRow } from '../../../src/automation/runs/store.ts';
import type { Committed, WriteSet } from '../../../src/database/commit/write-set.ts';
import type { Storage } from '../../../src/database/storage.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { uuidV7Ids } from '../../../src/foundation/ids.ts';
import { userPerson } from '../../../src/foundation/person.ts';
import { scopeOf } from '../../../src/foundation/scope.ts';
import { noTests } from '../../../src/messaging/sends/deliver/variants.ts';
import { viewOf } from '../../../src/messaging/settings/view.ts';
import { personKey } from '../../../src/people/profiles/view.ts';
import { listeningTo } from '../events/listening.ts';
import { processContext } from '../jobs/process-context.ts';
import { testScope, testScopes } from '../scopes.ts';
import { profileOf } from '../sends/world.ts';

/** Scope of the runs, and their clock. */
export const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
export const clock = virtualClock('2026-03-01T10:00:00.000Z');
export const hot = runStatements(tablesOf('sqlite'));

/** A step that waits for five minutes until ten have passed. */
const poll = defineStep({
  type: 'poll',
  config: z.strictObject({ ...common }),
  run:
    (_, { run: { waitingSince } }) =>
    ({ now }) =>
      waitingSince !== null && now.getTime() - waitingSince.getTime() >= 600_000
        ? { outcome: 'ok' }
        : { waitUntil: new Date(now.getTime() + 300_000) },
});

/** A run that is due at its first step. */
export const runOf = (userId: string, over: Partial<RunRow> = {}): RunRow => ({
  ...scopeOf(scope),
  id: `run-of-${userId}`,
  workflowId: 'w',
  workflowVersion: 1,
  workflowName: 'W',
  person: userPerson(userId),
  triggerEventId: 'e',
  triggerEvent: {},
  status: 'running',
  outcome: null,
  depth: 0,
  runBudget: 0,
  budgetRunId: null,
  exitReason: null,
  cursor: '0',
  attempt: 1,
  startedAt: clock.now(),
  completedAt: null,
  error: null,
  context: {},
  dueAt: clock.now(),
  waitingSince: null,
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
  leaseUntil: clock.now(),
  fence: 1,
  ...over,
});

/** The queue of runs over a scripted database, with one version of steps. */
export const queueOf = ({
  definition,
  steps = [{ type: 'call', config: {} }],
  answers = [],
}: {
  definition: Parameters<typeof catalogOf>[0][number];
  steps?: readonly StoredStep[];
  answers?: readonly (Committed | Error)[];
}) => {
  const plans: WriteSet[] = [];
  let reads = 0;
  const loadProfiles = vi.fn<RunEngine['loadProfiles']>(async (keys) => {
    // Profiles change with every read.
    reads += 1;
    const traits = { read: reads };
    return new Map(keys.map((key) => [personKey(key), { ...profileOf(scope, '', traits), ...key }]));
  });
  const changes = vi.fn<Effects['change']>(async () => undefined);
  const storage = {
    commit: async (plan: WriteSet): Promise<Committed> => {
      plans.push(plan);
      const answer = answers[plans.length - 1] ?? { ok: true };
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const react = vi.fn<RunEngine['react']>(async () => ({ writes: [], wakes: [], hooks: [] }));
  const logged: unknown[] = [];
  const context = {
    // Safe: the queue writes through `commit` only.
    storage: storage as unknown as Storage,
    tables: tablesOf('sqlite'),
    statements: hot,
    clock,
    scopes: testScopes,
    ids: uuidV7Ids(clock),
    log: { error: (...line: unknown[]) => logged.push(line) },
    tracing: null,
  };
  const work = runRegistration(context, {
    steps: catalogOf([definition, poll]),
    loadProfiles,
    lookUpSends: async () => ({
      addresses: () => null,
      missing: () => null,
      refusal: () => null,
      emission: await listeningTo(tablesOf('sqlite')).load([]),
    }),
    loadKnown: async () => ({ isMember: () => null, tallyOf: () => null }),
    loadSettings: async () => () => viewOf([]),
    react,
    planSend: () => {
      throw new Error('nothing is sent here');
    },
    publicUrl: null,
    askModel: () => null,
    postStep: () => null,
    effects: { load: async () => ({ raise: () => undefined, change: changes }) },
    useTemplate: async () => null,
    tests: noTests,
    allows: async () => true,
    loadSteps: async () => () => steps,
  });
  const stopping = new AbortController();
  type Outcome = Parameters<typeof work.commit>[0][number];
  const outcomes: Outcome[] = [];
  const process = (rows: readonly RunRow[], context: Parameters<typeof processContext>[0] = {}) =>
    work.process(rows, (_, outcome) => outcomes.push(outcome), processContext({ signal: stopping.signal, ...context }));
  return { work, plans, loadProfiles, changes, react, logged, outcomes, process, stop: () => stopping.abort() };
};
