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

describe('what a run shows of the messages of its steps', () => {
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

  it('is a suppressed step with the reason, where the message rendered to nothing', async () => {
    expect(await shown(mail('{{trait.nothing}}'), mail('Hello'))).toEqual([
      ['suppressed', 'empty_body'],
      ['ok', null],
    ]);
  });

  it('is an error with the code of the provider, where it failed or bounced', async () => {
    expect(
      await shown(mail('a', 'sandbox-reject@example.com'), mail('b', 'sandbox-dead@example.com'), mail('c')),
    ).toEqual([
      ['error', 'sandbox_reject'],
      ['error', 'sandbox_dead'],
      ['ok', null],
    ]);
  });

  it('is nothing while a message is still tried, and an error once it was tried for the last time', async () => {
    expect(await shown(mail('a', 'sandbox-retry@example.com'))).toEqual([['ok', null]]);
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      expect(await steps()).toEqual([['ok', null]]);
      clock.advance(60_000);
      await beckon.worker.drain();
    }
    expect(await steps()).toEqual([['error', 'sandbox_retry']]);
  });

  it('is ok where one of several devices was reached', async () => {
    await devices('sandbox-dead-1', 'fcm:1', 'sandbox-reject-2');
    expect(await shown(push)).toEqual([['ok', null]]);
    const [send] = (await beckon.sends.list(scope, 'push')).data;
    expect(send).toMatchObject({ status: 'sent', counts: { sent: 1, failed: 2 } });
  });

  it('is an error once the last of several devices was not reached, though others were only retried before', async () => {
    await devices('sandbox-dead-1', 'sandbox-retry-2');
    expect(await shown(push)).toEqual([['ok', null]]);
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      clock.advance(60_000);
      await beckon.worker.drain();
    }
    expect(await steps()).toEqual([['error', 'sandbox_retry']]);
  });

  it('costs no statement where the message was sent, and for sends of no run', async () => {
    await devices('fcm:1');
    statements.length = 0;
    expect(await shown(push)).toEqual([['ok', null]]);
    await beckon.email.send(scope, { to: 'sandbox-reject@example.com', subject: 's', text: 't' });
    await beckon.worker.drain();
    expect(statements).toContain('sending.finish_failed');
    expect(statements.filter((id) => id.startsWith('runs.step_'))).toEqual([]);
  });
});

describe('the step of a send that other ways end', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  /** A send of a step, whose row says `ok`, as that of a run is written; and the row later. */
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

  it('is suppressed where its send was cancelled', async () => {
    const { engine, send, shown } = await sendOfStep(draftTo(addresses('ann@example.com', 'bob@example.com')));
    await engine.sends.cancel(TEST, 'email', send.id);
    expect(await shown()).toEqual([['suppressed', 'cancelled']]);
    await engine.close();
  });

  it('is suppressed where the worker expands it into nothing but suppressed messages', async () => {
    const { engine, send, shown } = await sendOfStep(draftTo(users(...numbered(101))));
    expect(send.status).toBe('queued');
    await hand(world.database, engine.registrations.sends).turn();
    expect(await engine.sends.get(TEST, 'email', send.id)).toMatchObject({ status: 'suppressed' });
    expect(await shown()).toEqual([['suppressed', 'no_address']]);
    await engine.close();
  });

  it('is an error where its message is given up', async () => {
    const { engine, shown } = await sendOfStep(draftTo(addresses('ann@example.com')));
    const [row] = await world.messages.claim();
    if (row) await engine.registrations.messages.deadLetter(row, 'threw');
    expect(await shown()).toEqual([['error', 'threw']]);
    await engine.close();
  });
});
