import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  TEST,
  users,
  type World,
} from '../../../test/support/sends/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { write } from '../../database/commit/write-set.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { bindMessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import type { SendRequest } from '../../messaging/sends/schema.ts';
import { runStatements } from './statements.ts';
import { stepOutcomes } from './step-outcomes.ts';

const mail = (text: string, to = 'ann@example.com') => ({ type: 'send_email', config: { to, subject: 's', text } });
const push = { type: 'send_push', config: { title: 't' } };

describe('outcomes of steps by their messages', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const statements: string[] = [];
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    const observer = { statement: (id: string) => statements.push(id) };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock }, { observer });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const start = async (...steps: readonly unknown[]): Promise<void> => {
    const workflow = { name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps };
    const bundle = { version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] };
    await beckon.workflows.importBundle(scope, unchecked(bundle));
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: 'ann' });
  };
  const steps = async () => {
    const [run] = (await beckon.runs.list(scope)).data;
    const { steps: rows } = await beckon.runs.get(scope, run?.id ?? '');
    return rows.map(({ outcome, reason }) => [outcome, reason]);
  };
  const shown = async (...list: readonly unknown[]) => {
    await start(...list);
    await beckon.worker.drain();
    return steps();
  };
  const devices = async (...tokens: readonly string[]): Promise<void> => {
    for (const token of tokens) await beckon.tokens.register(scope, { token, platform: 'android', userId: 'ann' });
  };

  it('a step is suppressed with the reason if its message rendered to nothing', async () => {
    expect(await shown(mail('{{trait.nothing}}'), mail('Hello'))).toEqual([
      ['suppressed', 'empty_body'],
      ['ok', null],
    ]);
  });

  it("a step is an error with the provider's code if its message failed or bounced", async () => {
    expect(
      await shown(mail('a', 'sandbox-reject@example.com'), mail('b', 'sandbox-dead@example.com'), mail('c')),
    ).toEqual([
      ['error', 'sandbox_reject'],
      ['error', 'sandbox_dead'],
      ['ok', null],
    ]);
  });

  it('a step stays ok while its message is retried and becomes an error after the last try', async () => {
    expect(await shown(mail('a', 'sandbox-retry@example.com'))).toEqual([['ok', null]]);
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      expect(await steps()).toEqual([['ok', null]]);
      clock.advance(60_000);
      await beckon.worker.drain();
    }
    expect(await steps()).toEqual([['error', 'sandbox_retry']]);
  });

  it('a step is ok if one of several devices was reached', async () => {
    await devices('sandbox-dead-1', 'fcm:1', 'sandbox-reject-2');
    expect(await shown(push)).toEqual([['ok', null]]);
    const [send] = (await beckon.sends.list(scope, 'push')).data;
    expect(send).toMatchObject({ status: 'sent', counts: { sent: 1, failed: 2 } });
  });

  it('a step becomes an error when the last of several devices fails', async () => {
    await devices('sandbox-dead-1', 'sandbox-retry-2');
    expect(await shown(push)).toEqual([['ok', null]]);
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      clock.advance(60_000);
      await beckon.worker.drain();
    }
    expect(await steps()).toEqual([['error', 'sandbox_retry']]);
  });

  it('sent messages and sends without a run cost no statement', async () => {
    await devices('fcm:1');
    statements.length = 0;
    expect(await shown(push)).toEqual([['ok', null]]);
    await beckon.email.send(scope, { to: 'sandbox-reject@example.com', subject: 's', text: 't' });
    await beckon.worker.drain();
    expect(statements).toContain('sending.finish_failed');
    expect(statements.filter((id) => id.startsWith('runs.step_'))).toEqual([]);
  });
});

describe('steps whose send ends otherwise', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  /** Stores a step's send and then its row with `ok`, in the order of a run. */
  const sendOfStep = async (request: SendRequest) => {
    const hot = runStatements(world.tables);
    const engine = world.engine({ reactions: [bindMessageReaction(stepOutcomes(hot))] });
    const step = { runId: rowId('run'), path: '0' };
    const send = await engine.submit(TEST, {
      ...request,
      source: 'workflow',
      workflowRunId: step.runId,
      stepPath: step.path,
    });
    if ('dryRun' in send) throw new Error('this was a dry run');
    const at = world.clock.now();
    const row = { ...scopeOf(TEST), ...step, attempt: 1, type: 'send_email', outcome: 'ok', reason: null } as const;
    await world.storage.commit({
      writes: [write(hot.recordStep, { ...row, startedAt: at, finishedAt: at, sendId: send.id })],
    });
    const shown = async () =>
      (await world.storage.db.select().from(world.tables.runSteps)).map(({ outcome, reason }) => [outcome, reason]);
    return { engine, send, shown };
  };

  it('a step is suppressed if its send was cancelled', async () => {
    const { engine, send, shown } = await sendOfStep(draftTo(addresses('ann@example.com', 'bob@example.com')));
    await engine.sends.cancel(TEST, 'email', send.id);
    expect(await shown()).toEqual([['suppressed', 'cancelled']]);
    await engine.close();
  });

  it('a step is suppressed if its send expands to suppressed messages only', async () => {
    const { engine, send, shown } = await sendOfStep(draftTo(users(...numbered(101))));
    expect(send.status).toBe('queued');
    await hand(world.database, engine.registrations.sends).turn();
    expect(await engine.sends.get(TEST, 'email', send.id)).toMatchObject({ status: 'suppressed' });
    expect(await shown()).toEqual([['suppressed', 'no_address']]);
    await engine.close();
  });

  it('a step is an error if its message is dead-lettered', async () => {
    const { engine, shown } = await sendOfStep(draftTo(addresses('ann@example.com')));
    const [row] = await world.messages.claim();
    if (row) await engine.registrations.messages.deadLetter(row, 'threw');
    expect(await shown()).toEqual([['error', 'threw']]);
    await engine.close();
  });
});
