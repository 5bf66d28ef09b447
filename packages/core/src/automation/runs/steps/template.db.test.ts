import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Beckon } from '../../../app/api.ts';
import { createBeckon } from '../../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../../foundation/clock.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';

describe('steps with a template', () => {
  let clock: VirtualClock;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    await beckon.events.identify(scope, {
      userId: 'ann',
      traits: { name: 'Ann', email: 'ann@example.com', phone: '+14155550199' },
    });
    await beckon.profiles.update(scope, 'ann', { locale: 'es-MX' });
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const begin = async (steps: readonly unknown[]) => {
    const workflow = { name: 'W', isActive: true, trigger: { eventType: 'asked' }, steps };
    const { warnings } = await beckon.workflows.create(scope, unchecked(workflow));
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', properties: { what: 'news' }, userId: 'ann' });
    await beckon.worker.drain();
    return warnings.map(({ path, code }) => [path, code]);
  };
  const outcomes = async () => {
    const [run] = (await beckon.runs.list(scope)).data;
    const { steps } = await beckon.runs.get(scope, run?.id ?? '');
    return steps.map(({ type, outcome, reason }) => [type, outcome, reason]);
  };
  const caught = async () =>
    new Map((await beckon.outbox.list(scope)).data.map(({ channel, content }) => [channel, content]));

  it("a template is sent on every channel with the step's fields and values taking precedence", async () => {
    const text = '{{trait.name}}: {{event.what}} {{event.code}}';
    const push = await beckon.templates.create(scope, 'push', { name: 'P', title: 't', body: text, sound: 's' });
    const email = await beckon.templates.create(scope, 'email', {
      name: 'E',
      subject: text,
      html: text,
      from: 'a@example.com',
    });
    const sms = await beckon.templates.create(scope, 'sms', { name: 'S', body: 't', localizedBody: { es: text } });
    const variables = { code: 'for {{trait.name}}' };
    const warned = await begin([
      { type: 'send_push', config: { templateId: push.id, title: 'own', variables } },
      { type: 'send_email', config: { templateId: email.id, to: 'desk@example.com', text: 'own', variables } },
      { type: 'send_sms', config: { templateId: sms.id, variables: { ...variables, what: 'mine' } } },
    ]);
    expect(warned).toEqual([['steps.1.config.to', 'no_person']]);
    const shown = 'Ann: news for Ann';
    const sent = await caught();
    expect(sent.get('push')).toMatchObject({ title: 'own', body: shown, sound: 's', ttlSeconds: 2_419_200 });
    const from = { email: 'a@example.com', name: null };
    expect(sent.get('email')).toMatchObject({ subject: shown, html: shown, text: 'own', from });
    expect(sent.get('sms')).toMatchObject({ body: 'Ann: mine for Ann' });
    for (const { channel, id } of [push, email, sms])
      expect((await beckon.sends.list(scope, channel)).data).toMatchObject([{ templateId: id, templateVersion: 1 }]);
  });

  it('the version at the time of the step is sent, and a deleted template ends it as an error', async () => {
    const { id } = await beckon.templates.create(scope, 'sms', { name: 'S', body: 'first' });
    const send = { type: 'send_sms', config: { templateId: id } };
    await begin([{ type: 'wait', config: { minutes: 1 } }, send, { type: 'wait', config: { minutes: 1 } }, send]);
    await beckon.templates.update(scope, 'sms', id, { body: 'second' });
    clock.advance(60_000);
    await beckon.worker.drain();
    expect((await caught()).get('sms')).toMatchObject({ body: 'second' });
    await beckon.templates.delete(scope, 'sms', id);
    clock.advance(60_000);
    await beckon.worker.drain();
    expect(await outcomes()).toEqual([
      ['wait', 'ok', null],
      ['send_sms', 'ok', null],
      ['wait', 'ok', null],
      ['send_sms', 'error', 'template_not_found'],
    ]);
    const [run] = (await beckon.runs.list(scope)).data;
    expect(run).toMatchObject({ status: 'completed', outcome: 'partial' });
  });

  it('fields that contradict the template end the step as an error, and nothing is sent', async () => {
    const { id } = await beckon.templates.create(scope, 'push', { name: 'P', data: { a: 1 } });
    const actions = [{ id: 'a', title: 'A' }];
    await begin([
      { type: 'send_push', config: { templateId: id, actions } },
      { type: 'send_push', config: { templateId: id, variables: { a: '{{event.what}}'.repeat(30_000) } } },
    ]);
    expect(await outcomes()).toEqual([
      ['send_push', 'error', 'invalid_content'],
      ['send_push', 'error', 'too_large'],
    ]);
    expect((await beckon.sends.list(scope, 'push')).data).toEqual([]);
  });

  it('create, update and import warn about a missing template', async () => {
    const push = await beckon.templates.create(scope, 'push', { name: 'P', title: 't' });
    const steps = [
      { type: 'send_push', config: { templateId: push.id } },
      { type: 'send_email', config: { templateId: NOBODY } },
      { type: 'send_sms', config: { templateId: push.id } },
    ];
    const lacks = [
      ['steps.1.config.templateId', 'unknown_template'],
      ['steps.2.config.templateId', 'unknown_template'],
    ];
    expect(await begin(steps)).toEqual(lacks);
    const workflow = { name: 'B', description: null, isActive: false, trigger: { eventType: 'e' }, steps };
    const bundle = unchecked({ version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] });
    for (const dryRun of [true, false]) {
      const { warnings } = await beckon.workflows.importBundle(scope, bundle, { dryRun });
      expect(warnings.map(({ name, path, code }) => [name, path, code])).toEqual(lacks.map((one) => ['B', ...one]));
    }
    const [stored] = (await beckon.workflows.list(scope, { name: 'B' })).data;
    const { warnings } = await beckon.workflows.update(scope, stored?.id ?? '', { isActive: true });
    expect(warnings.map(({ path }) => path)).toEqual(lacks.map(([path]) => path));
  });
});
