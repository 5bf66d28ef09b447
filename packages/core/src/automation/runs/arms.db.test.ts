import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { fork, say } from '../../../test/support/runs/steps/fork.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { StoredStep } from './cursor.ts';
import { catalogOf } from './steps/catalog.ts';
import type { Step } from './steps/list.ts';
import { sendEmail } from './steps/send-email.ts';
import { updateProfile } from './steps/update-profile.ts';
import { wait } from './steps/wait/wait.ts';

const mark = (trait: string) => ({ type: 'update_profile', config: { set: { [trait]: true } } });
const mail = { type: 'send_email', config: { to: 'a@example.com', subject: 's', text: 't' } };
const way = (...steps: readonly unknown[]) => ({ name: 'a.b', steps });

describe('runs through steps with arms', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let folder: string;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    // A file: in-memory SQLite has one connection only, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-arms-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
    const steps = catalogOf([fork, say, sendEmail, updateProfile, wait]);
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock }, { steps });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async () => {
    const [one] = (await beckon.runs.list(scope)).data;
    return beckon.runs.get(scope, one?.id ?? '');
  };
  const paths = async () => (await run()).steps.map(({ path }) => path);
  /** Starts a run of steps that no import would accept, and processes it. */
  const start = async (steps: readonly StoredStep[]) => {
    await beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: [{ name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps: [] }],
    });
    const { workflowVersions } = database.tables;
    // Safe: only the catalog of this test reads them.
    await database.storage.db.update(workflowVersions).set({ steps: steps as Step[] });
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: 'ann' });
    await beckon.worker.drain();
  };

  it('a run enters the arm that the step names and continues after the step', async () => {
    const inner = { type: 'fork', config: { take: 'a.b', ways: [way(mark('inner'))] } };
    const outer = {
      type: 'fork',
      config: { take: 'none', ways: [way(mark('never'))], else: { steps: [inner, mark('second')] } },
    };
    await start([mark('before'), outer, mark('after')]);
    expect(await run()).toMatchObject({ status: 'completed', outcome: 'ok', cursor: '2' });
    expect(await paths()).toEqual(['0', '1', '1.else.0', '1.else.0.0.0', '1.else.1', '2']);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({
      before: true,
      inner: true,
      second: true,
      after: true,
    });
  });

  it('delays and waits work within an arm', async () => {
    const steps = [
      { ...mark('late'), delayMinutes: 5 },
      { type: 'wait', config: { minutes: 10 } },
    ];
    await start([{ type: 'fork', config: { take: 'a.b', ways: [way(...steps)] } }, mark('after')]);
    expect(await run()).toMatchObject({ status: 'waiting', cursor: '0.0.0' });
    clock.advance(5 * 60_000);
    await beckon.worker.drain();
    expect(await run()).toMatchObject({
      status: 'waiting',
      cursor: '0.0.1',
      next_step_at: new Date(+clock.now() + 600_000),
    });
    clock.advance(10 * 60_000);
    await beckon.worker.drain();
    expect(await run()).toMatchObject({ status: 'completed' });
    expect(await paths()).toEqual(['0', '0.0.0', '0.0.1', '1']);
  });

  it('an empty arm continues after the step, and ends the run if nothing follows', async () => {
    await start([{ type: 'fork', config: { take: 'a.b', ways: [way()] } }]);
    expect(await run()).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: null, cursor: '0' });
    expect(await paths()).toEqual(['0']);
  });

  it('a step may end the run with a reason', async () => {
    await start([{ type: 'fork', config: { take: 'out', ways: [] } }, mark('never')]);
    expect(await run()).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: 'left', next_step_at: null });
    expect(await paths()).toEqual(['0']);
  });

  it('a failed step within an arm stops the run with onError stop only', async () => {
    const failing = { type: 'send_email', config: { ...mail.config, to: '{{trait.missing}}' } };
    const stopping = { ...failing, config: { ...failing.config, onError: 'stop' } };
    await start([{ type: 'fork', config: { take: 'a.b', ways: [way(failing, stopping, mark('never'))] } }]);
    expect(await run()).toMatchObject({ status: 'completed', outcome: 'error', exitReason: 'on_error_stop' });
    expect(await paths()).toEqual(['0', '0.0.0', '0.0.1']);
  });

  it('a run fails if a step names an unknown arm', async () => {
    await start([{ type: 'fork', config: { take: 'none', ways: [] } }]);
    expect(await run()).toMatchObject({ status: 'failed', error: 'step_threw' });
  });

  it('sends of an arm have the path of their step', async () => {
    await start([{ type: 'fork', config: { take: 'a.b', ways: [way(mail, mail)] } }]);
    const { id, steps } = await run();
    const sends = await database.storage.db.select().from(database.tables.sends);
    expect(sends.map(({ workflowRunId, stepPath, id: sendId }) => [workflowRunId, stepPath, sendId]).sort()).toEqual(
      steps.filter(({ sendId }) => sendId !== null).map(({ path, sendId }) => [id, path, sendId]),
    );
    expect(steps.map(({ path, sendId }) => [path, sendId !== null])).toEqual([
      ['0', false],
      ['0.0.0', true],
      ['0.0.1', true],
    ]);
  });

  it('steps of one millisecond are listed in the order of the definition', async () => {
    await start(Array.from({ length: 12 }, () => ({ type: 'say', config: { text: 'x' } })));
    expect(await paths()).toEqual(Array.from({ length: 12 }, (_, at) => String(at)));
  });
});
