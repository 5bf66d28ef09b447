import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createBeckon } from '../../../src/app/create.ts';
import { runRegistration } from '../../../src/automation/runs/dispatch.ts';
import { runEffects } from '../../../src/automation/runs/effects.ts';
import { runStatements } from '../../../src/automation/runs/statements.ts';
import { catalogOf } from '../../../src/automation/runs/steps/catalog.ts';
import { updateProfile } from '../../../src/automation/runs/steps/update-profile.ts';
import { wait } from '../../../src/automation/runs/steps/wait/wait.ts';
import type { RunRow } from '../../../src/automation/runs/store.ts';
import { workflowVersions } from '../../../src/automation/workflows/versions.ts';
import type { Storage } from '../../../src/database/storage.ts';
import { type Clock, virtualClock } from '../../../src/foundation/clock.ts';
import { uuidV7Ids } from '../../../src/foundation/ids.ts';
import { userPerson } from '../../../src/foundation/person.ts';
import type { Environment, Scope } from '../../../src/foundation/scope.ts';
import { newMasterKey } from '../../../src/foundation/secrets.ts';
import { LEASE_MS, type Registration } from '../../../src/jobs/registration.ts';
import type { SendLookup } from '../../../src/messaging/sends/accept/send-lookup.ts';
import { noTests } from '../../../src/messaging/sends/deliver/variants.ts';
import { emitter } from '../../../src/people/events/emit.ts';
import { eventStatements } from '../../../src/people/events/statements.ts';
import { profilesEngine } from '../../../src/people/profiles/profiles.ts';
import { scopeDirectory } from '../../../src/platform/tenancy/scope-directory.ts';
import { tenancyStatements } from '../../../src/platform/tenancy/statements.ts';
import { openTestDatabase, type TestDatabase } from '../database.ts';
import { processContext } from '../jobs/process-context.ts';
import { unchecked } from '../unchecked.ts';

const EVENT = { module: 'm', eventType: 'asked' };
type Who = { readonly userId?: string; readonly anonymousId?: string; readonly environment?: Environment };

const refuse = (): never => {
  throw new Error('this worker does steps that change the profile or wait, and no others');
};
// Safe: no step of this worker sends.
const NOTHING_KNOWN = { addresses: refuse, missing: refuse, refusal: refuse } as unknown as SendLookup;

/** A worker of runs beside the service's own, which does one thing at a time. */
const handOf = (
  { storage, tables }: Pick<TestDatabase, 'storage' | 'tables'>,
  clock: Clock,
  beforeCommit: (tries: number) => Promise<void>,
) => {
  let tries = 0;
  const commit: Storage['commit'] = async (plan) => {
    tries += 1;
    await beforeCommit(tries);
    return storage.commit(plan);
  };
  const profiles = profilesEngine({ storage, tables });
  const hot = runStatements(tables);
  const scopes = scopeDirectory({ storage, hot: tenancyStatements(tables) });
  const context = {
    ...{ storage: { ...storage, commit }, tables, statements: hot, clock, scopes, ids: uuidV7Ids(clock) },
    log: { error: refuse },
    tracing: null,
  };
  const work = runRegistration(context, {
    steps: catalogOf([updateProfile, wait]),
    planSend: refuse,
    react: async () => ({ writes: [], wakes: [], hooks: [] }),
    publicUrl: null,
    askModel: refuse,
    postStep: refuse,
    loadProfiles: profiles.load,
    loadSettings: refuse,
    loadKnown: refuse,
    lookUpSends: async () => NOTHING_KNOWN,
    effects: runEffects({
      storage,
      hot,
      emitter: emitter({ hot: eventStatements(tables), scopes, listeners: [] }),
      scopes,
      downstream: [],
      putTraits: profiles.putTraits,
    }),
    useTemplate: async () => null,
    tests: noTests,
    allows: async () => true,
    loadSteps: workflowVersions({ storage, tables }).load,
  });
  return singly(storage, work);
};

const singly = <Outcome>(storage: Storage, work: Registration<RunRow, Outcome>) => {
  const claim = () => storage.claim(work.claim, 10, LEASE_MS);
  return {
    /** Claims and processes due runs without committing the results. */
    claimAndHandle: async (): Promise<Outcome[]> => {
      const outcomes: Outcome[] = [];
      await work.process(await claim(), (_, outcome) => outcomes.push(outcome), processContext());
      return outcomes;
    },
    commit: (outcomes: readonly Outcome[]): Promise<void> => work.commit(outcomes),
    /** Claims due runs and dead-letters them. */
    deadLetter: async (reason: string): Promise<void> => {
      for (const row of await claim()) await work.deadLetter(row, reason);
    },
  };
};

export type RunsWorld = Awaited<ReturnType<typeof openRuns>>;

/** A service over its own database, with one workflow that the event `asked` starts. */
export const openRuns = async () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  // A file: in-memory SQLite has one connection only, and the service opens its own.
  const folder = await mkdtemp(join(tmpdir(), 'beckon-runs-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
  const logged: string[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (_: unknown, message: string) => void logged.push(message),
  };
  const masterKey = newMasterKey();
  const beckon = await createBeckon({ db: database.url, masterKey, clock, log });
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  const names = { orgId: org.id, projectId: project.id };
  const scopes = {
    test: await beckon.tenancy.scope({ ...names, environment: 'test' }),
    prod: await beckon.tenancy.scope({ ...names, environment: 'prod' }),
  };
  const scope = scopes.test;

  const define = (steps: readonly unknown[]) =>
    beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: [
        {
          name: 'W',
          description: null,
          isActive: true,
          trigger: { eventType: EVENT.eventType },
          steps: unchecked(steps),
        },
      ],
    });
  const trigger = ({ environment = 'test', ...who }: Who = { userId: 'ann' }) =>
    beckon.events.track(scopes[environment], { ...EVENT, ...who, properties: { what: 'news' } });

  return {
    clock,
    database,
    beckon,
    scope,
    /** Another process of the service, with the same scope. */
    another: async () => {
      const other = await createBeckon({ db: database.url, masterKey, clock, log });
      return { ...other, scope: await other.tenancy.scope({ ...names, environment: 'test' }) };
    },
    /** Errors in the log. */
    logged,
    define,
    trigger,
    /** Replaces the workflow's steps and starts a run. */
    start: async (steps: readonly unknown[], who?: Who) => {
      await define(steps);
      return trigger(who);
    },
    /** Changes the stored steps of every version, as another program version might. */
    spoil: async (change: (steps: readonly unknown[]) => readonly unknown[]): Promise<void> => {
      const { workflowVersions } = database.tables;
      const [row] = await database.storage.db.select().from(workflowVersions);
      // Safe: the steps of another program version have no known type; these tests are about reading them.
      const steps = change(row?.steps ?? []) as NonNullable<typeof row>['steps'];
      await database.storage.db.update(workflowVersions).set({ steps });
    },
    /** A worker. `beforeCommit` is called with the number of the commit, from 1. */
    hand: ({ beforeCommit = async () => undefined }: { beforeCommit?: (tries: number) => Promise<void> } = {}) =>
      handOf(database, clock, beforeCommit),
    /** Claims the runs of a user for another worker. */
    claimedAnew: async (userId: string): Promise<void> => {
      const { runs } = database.tables;
      await database.storage.db
        .update(runs)
        .set({ fence: 1_000 })
        .where(eq(runs.person, userPerson(userId)));
    },
    /** The newest run of a user, with its steps. */
    run: async (userId = 'ann', own: Scope = scope) => {
      const [newest] = (await beckon.runs.list(own, { userId })).data;
      return beckon.runs.get(own, newest?.id ?? '');
    },
    close: async (): Promise<void> => {
      await beckon.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
