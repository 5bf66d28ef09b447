import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { Channel } from '../../foundation/channel.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { Send } from '../sends/answers.generated.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const mail = { name: 'Welcome', subject: 'Hi {{trait.name | default: "there"}}', html: '<p>{{event.what}}</p>' };

describe('stored templates', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let clock: VirtualClock;
  let scope: Scope;
  let other: Scope;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const scopeOf = async (name: string) => {
      const { id } = await beckon.tenancy.createProject({ orgId: org.id, name });
      return beckon.tenancy.scope({ orgId: org.id, projectId: id, environment: 'test' });
    };
    [scope, other] = [await scopeOf('App'), await scopeOf('Other')];
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const caught = async (channel: Channel) => {
    await beckon.worker.drain();
    return (await beckon.outbox.list(scope, { channel })).data.map(({ content }) => content);
  };
  // Proof of the cast: none of these calls is a dry run.
  const sent = (answer: unknown) => answer as Send;

  it('templates are created, read, changed as new versions and deleted', async () => {
    const made = await beckon.templates.create(scope, 'email', mail);
    const { projectId, orgId } = scope;
    const times = { createdAt: clock.now(), updatedAt: clock.now() };
    const row = { id: made.id, orgId, projectId, channel: 'email', name: 'Welcome', version: 1, ...times };
    expect(made).toEqual({ ...row, ...mail, warnings: [] });
    expect(await beckon.templates.get(scope, 'email', made.id)).toEqual({ ...row, ...mail });
    const prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    expect((await beckon.templates.list(prod, 'email')).data).toEqual([row]);
    expect((await beckon.templates.list(scope, 'push')).data).toEqual([]);
    expect((await beckon.templates.list(scope, 'email', { name: 'welcome' })).data).toEqual([]);

    clock.advance(1_000);
    const change = { text: 'T', html: null, name: 'Hello' };
    const changed = await beckon.templates.update(scope, 'email', made.id, change, { ifVersion: 1 });
    expect(changed).toMatchObject({ version: 2, name: 'Hello', text: 'T', updatedAt: clock.now() });
    expect(changed).not.toHaveProperty('html');
    expect(await beckon.templates.update(scope, 'email', made.id, { text: 'T' })).toMatchObject({ version: 2 });
    const late = beckon.templates.update(scope, 'email', made.id, { text: 'U' }, { ifVersion: 1 });
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'version_changed', version: 2 } });

    expect(await beckon.templates.delete(scope, 'email', made.id)).toEqual({ id: made.id, name: 'Hello' });
    await expect(beckon.templates.get(scope, 'email', made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('template names are unique within a project and channel', async () => {
    const { id } = await beckon.templates.create(scope, 'email', mail);
    const taken = { code: 'CONFLICT', details: { reason: 'exists', id } };
    await expect(beckon.templates.create(scope, 'email', mail)).rejects.toMatchObject(taken);
    const push = await beckon.templates.create(scope, 'push', { name: 'Welcome', title: 't' });
    await beckon.templates.create(other, 'email', mail);
    const second = await beckon.templates.create(scope, 'email', { ...mail, name: 'Second' });
    const renamed = beckon.templates.update(scope, 'email', second.id, { name: 'Welcome' });
    await expect(renamed).rejects.toMatchObject(taken);
    const race = ['a', 'b', 'c'].map((text) =>
      beckon.templates.create(scope, 'sms', { name: 'Race', body: text }).catch(({ code }: { code: string }) => code),
    );
    expect((await Promise.all(race)).filter((one) => one === 'CONFLICT')).toHaveLength(2);
    for (const who of [
      () => beckon.templates.get(other, 'email', id),
      () => beckon.templates.get(scope, 'email', push.id),
    ])
      await expect(who()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it("a template supplies content, and the send's own fields win", async () => {
    const push = { name: 'P', title: 'Hi {{trait.name}}', body: '{{event.what}}', priority: 'normal' } as const;
    const templates = {
      push: await beckon.templates.create(scope, 'push', push),
      email: await beckon.templates.create(scope, 'email', { ...mail, text: 'T', from: 'shop@example.com' }),
      sms: await beckon.templates.create(scope, 'sms', {
        name: 'S',
        body: '{{event.what}} {{trait.name}}',
        maxSegments: 7,
      }),
    };
    await beckon.events.identify(scope, { userId: 'ann', traits: { name: 'Ann' } });
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    await beckon.profiles.update(scope, 'ann', { email: 'ann@example.com', phone: '+14155550199' });
    const variables = { what: 'news' };
    const to = (channel: Channel) => ({ userIds: ['ann'], templateId: templates[channel].id, variables });
    const send = sent(await beckon.push.send(scope, { ...to('push'), title: 'Own' }));
    expect(send).toMatchObject({ templateId: templates.push.id, templateVersion: 1, title: 'Own' });
    expect(await beckon.sends.get(scope, 'push', send.id)).toMatchObject({ templateId: send.templateId });
    expect(await caught('push')).toMatchObject([{ title: 'Own', body: 'news', priority: 'normal' }]);

    await beckon.email.send(scope, { ...to('email'), bodyHtml: '<b>{{event.what}}</b>' });
    const from = { email: 'shop@example.com', name: null };
    expect(await caught('email')).toMatchObject([{ subject: 'Hi Ann', html: '<b>news</b>', text: 'T', from }]);

    const text = await beckon.sms.send(scope, { ...to('sms'), dryRun: true });
    expect(text).toMatchObject({
      dryRun: true,
      segments: 1,
      encoding: 'GSM-7',
      messages: [{ content: { body: 'news Ann' } }],
    });
    expect(await beckon.sms.send(scope, to('sms'))).toMatchObject({ segments: null, encoding: null });
    expect(await caught('sms')).toMatchObject([{ body: 'news Ann' }]);
  });

  it('a send keeps the template version of its acceptance', async () => {
    const { id } = await beckon.templates.create(scope, 'sms', { name: 'S', body: 'first' });
    const to = { to: '+14155550199', templateId: id };
    const scheduledFor = '2026-03-01T11:00:00.000Z';
    const first = sent(await beckon.sms.send(scope, { ...to, scheduledFor }));
    await beckon.templates.update(scope, 'sms', id, { body: 'second' });
    expect(await beckon.sms.send(scope, to)).toMatchObject({ templateVersion: 2 });
    expect(await caught('sms')).toMatchObject([{ body: 'second' }]);
    await beckon.templates.delete(scope, 'sms', id);
    clock.advance(3_600_000);
    expect(await caught('sms')).toMatchObject([{ body: 'first' }, { body: 'second' }]);
    expect(await beckon.sends.get(scope, 'sms', first.id)).toMatchObject({
      templateId: id,
      templateVersion: 1,
      status: 'sent',
    });
  });

  it('a deleted template does not change the answer of an idempotency key', async () => {
    const { id } = await beckon.templates.create(scope, 'sms', { name: 'S', body: 'b' });
    const body = { to: '+14155550199', templateId: id };
    const first = await beckon.sms.send(scope, body, { idempotencyKey: 'order-1' });
    await beckon.templates.delete(scope, 'sms', id);
    expect(await beckon.sms.send(scope, body, { idempotencyKey: 'order-1' })).toEqual(first);
    await expect(beckon.sms.send(scope, body)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('an unknown template, or one of another channel or project, is rejected by name', async () => {
    const push = await beckon.templates.create(scope, 'push', { name: 'P', title: 't' });
    const foreign = await beckon.templates.create(other, 'sms', { name: 'S', body: 'b' });
    for (const templateId of [NOBODY, push.id, foreign.id, 'x', 7])
      await expect(
        beckon.sms.send(scope, unchecked({ to: '+14155550199', templateId })),
        String(templateId),
      ).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: { templateId: [expect.any(String)] } },
      });
    const bad = beckon.push.send(scope, { userIds: ['u'], templateId: push.id, ttlSeconds: -1 });
    await expect(bad).rejects.toMatchObject({ details: { fieldErrors: { ttlSeconds: [expect.any(String)] } } });
    expect((await beckon.sends.list(scope, 'sms')).data).toEqual([]);
  });

  it('a preview renders for a user, reachable or not, or with sample values', async () => {
    const { id } = await beckon.templates.create(scope, 'email', { ...mail, text: '{{user.locale}} {{trait.name}}' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { name: '<Ann>' } });
    const shown = await beckon.templates.preview(scope, 'email', id, {
      userId: 'ann',
      variables: { what: '<b>' },
      locale: 'nl',
    });
    expect(shown).toMatchObject({
      templateId: id,
      version: 1,
      channel: 'email',
      status: 'suppressed',
      reason: 'no_address',
      content: { subject: 'Hi <Ann>', html: '<p>&lt;b&gt;</p>', text: 'nl <Ann>' },
      unresolved: [],
      warnings: [],
    });
    await beckon.profiles.update(scope, 'ann', { email: 'ann@example.com' });
    expect(await beckon.templates.preview(scope, 'email', id, { userId: 'ann' })).toMatchObject({
      status: 'queued',
      reason: null,
      content: { to: { email: 'ann@example.com' } },
      unresolved: ['user.locale', 'event.what'],
    });
    const nobodys = await beckon.templates.preview(scope, 'email', id);
    expect(nobodys).toMatchObject({ status: 'queued', content: { subject: 'Hi there', text: 'en ' } });
    expect(nobodys.unresolved).toEqual(['trait.name', 'event.what']);
    const inDutch = await beckon.templates.preview(scope, 'email', id, { locale: 'nl' });
    expect(inDutch).toMatchObject({ content: { text: 'nl ' } });

    const { id: large } = await beckon.templates.create(scope, 'push', {
      name: 'L',
      title: 't',
      body: '{{event.what}}',
    });
    const what = 'x'.repeat(5_000);
    expect(await beckon.templates.preview(scope, 'push', large, { variables: { what } })).toMatchObject({
      status: 'queued',
      warnings: [{ code: 'payload_too_large' }, { code: 'payload_too_large' }, { code: 'payload_too_large' }],
    });
    const { id: text } = await beckon.templates.create(scope, 'sms', { name: 'T', body: '{{event.what}}' });
    expect(await beckon.templates.preview(scope, 'sms', text)).toMatchObject({
      status: 'suppressed',
      reason: 'empty_body',
      content: null,
      unresolved: ['event.what'],
    });
    const long = await beckon.templates.preview(scope, 'sms', text, { variables: { what: 'é'.repeat(200) } });
    expect(long).toMatchObject({ status: 'queued', warnings: [{ code: 'several_segments' }] });
    const tooLong = await beckon.templates.preview(scope, 'sms', text, { variables: { what: 'x'.repeat(900) } });
    expect(tooLong).toMatchObject({ status: 'failed', reason: 'too_many_segments', content: null });
    const prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    expect(await beckon.templates.preview(prod, 'email', id)).toMatchObject({ content: { subject: 'Hi there' } });
    const wrong = beckon.templates.preview(scope, 'email', id, unchecked({ user: 'ann' }));
    await expect(wrong).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await beckon.sends.list(scope, 'email')).data).toEqual([]);
  });
});
