import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Beckon } from '../../../app/api.ts';
import { createBeckon } from '../../../app/create.ts';
import type { OutboxMessage } from '../../../delivery/transports/sandbox/answers.generated.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';

const localizedBody = { 'es-MX': 'Ven, {{trait.name}}', es: 'Venga' };
const localized = { es: { subject: 'Hola', text: 'Hola, {{trait.name}}' } };

describe('localized messages', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    for (const [userId, locale] of [
      ['ana', 'es_mx'],
      ['eva', 'fr'],
    ] as const) {
      await beckon.tokens.register(scope, { token: `fcm:${userId}`, platform: 'android', userId, locale });
      const phone = userId === 'ana' ? '+14155550101' : '+14155550102';
      const traits = { name: userId, email: `${userId}@example.com`, phone };
      await beckon.events.identify(scope, { userId, traits });
    }
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const shown = async (field: keyof OutboxMessage['content'] | string) => {
    await beckon.worker.drain();
    const { data } = await beckon.outbox.list(scope);
    const content = (one: OutboxMessage): Readonly<Record<string, unknown>> => unchecked(one.content);
    return Object.fromEntries(data.map((one) => [`${one.channel} ${one.address}`, content(one)[field]]));
  };

  it('a message uses the locale of the device or user and is suppressed without matching content', async () => {
    const userIds = ['ana', 'eva'];
    await beckon.tokens.register(scope, { token: 'fcm:raw', platform: 'android', locale: 'es' });
    const push = await beckon.push.send(scope, { userIds, title: 'T', body: '', localizedBody });
    await beckon.push.send(scope, { tokens: ['fcm:raw', 'fcm:new'], body: 'Top', localizedBody });
    const mail = await beckon.email.send(scope, { userIds, subject: 'Hi', localized });
    const sms = await beckon.sms.send(scope, { userIds, body: 'Come', localizedBody });
    expect(sms).toMatchObject({ segments: null, encoding: null });
    expect(await shown('body')).toMatchObject({
      'push fcm:ana': 'Ven, ana',
      'push fcm:raw': 'Venga',
      'push fcm:new': 'Top',
      'sms +14155550101': 'Ven, ana',
      'sms +14155550102': 'Come',
    });
    expect(await shown('subject')).toMatchObject({ 'email ana@example.com': 'Hola' });
    for (const send of [push, mail]) {
      const channel = 'dryRun' in send ? 'push' : send.channel;
      const id = 'dryRun' in send ? '' : send.id;
      const view = await beckon.sends.get(scope, channel, id);
      expect(view.suppressedByReason).toEqual({ locale_unsupported: 1 });
      const { data } = await beckon.sends.messages(scope, channel, id, { status: 'suppressed' });
      const { explanation } = await beckon.sends.message(scope, channel, data[0]?.id ?? '');
      expect(explanation.stoppedBy).toBe('rendering');
    }
  });

  it('a dry run and the explanation of an open message show the language', async () => {
    const body = { userIds: ['ana', 'eva'], localizedBody } as const;
    const dry = await beckon.push.send(scope, { ...body, dryRun: true });
    expect(dry).toMatchObject({
      suppressed: { locale_unsupported: 1 },
      messages: [{ content: { body: 'Ven, ana' } }, { status: 'suppressed', reason: 'locale_unsupported' }],
    });
    const send = await beckon.push.send(scope, body);
    const id = 'dryRun' in send ? '' : send.id;
    const { data } = await beckon.sends.messages(scope, 'push', id, { userId: 'ana' });
    const { explanation } = await beckon.sends.message(scope, 'push', data[0]?.id ?? '');
    const gate = explanation.gates.find((one) => one.gate === 'rendering');
    expect(gate).toMatchObject({ verdict: 'pass', evidence: { locale: 'es_mx', localized: 'es-MX' } });
  });

  it('messages of workflow steps choose their language as sends do', async () => {
    const steps = [
      { type: 'send_push', config: { localizedTitle: { es: 'Hola' }, localizedBody } },
      { type: 'send_sms', config: { localizedBody } },
      { type: 'send_email', config: { subject: 'Hi', localized } },
    ];
    const workflow = { name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps };
    const bundle = { version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] };
    expect((await beckon.workflows.importBundle(scope, unchecked(bundle))).warnings).toEqual([]);
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: 'ana' });
    expect(await shown('body')).toMatchObject({ 'push fcm:ana': 'Ven, ana', 'sms +14155550101': 'Ven, ana' });
    expect(await shown('subject')).toMatchObject({ 'email ana@example.com': 'Hola' });
    const [run] = (await beckon.runs.list(scope)).data;
    const { steps: runSteps } = await beckon.runs.get(scope, run?.id ?? '');
    expect(runSteps.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  });
});
