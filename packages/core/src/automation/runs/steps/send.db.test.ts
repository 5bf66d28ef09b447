import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Beckon } from '../../../app/api.ts';
import { createBeckon } from '../../../app/create.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import type { Environment, Scope } from '../../../foundation/scope.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';

const push = { type: 'send_push', config: { title: 'Hi {{trait.name}}', body: '{{event.what}}', collapseKey: 'c' } };
const sms = { type: 'send_sms', config: { body: 'Hi {{trait.name}}: {{event.what}}' } };

describe('steps that send', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** The steps of the one run that an event starts. */
  const run = async (
    steps: readonly unknown[],
    { environment = 'test', userId = 'ann' }: { environment?: Environment; userId?: string | null } = {},
  ) => {
    const own = await beckon.tenancy.scope({ ...scope, environment });
    const workflow = { name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps };
    const exportedAt = '2026-01-01T00:00:00.000Z';
    await beckon.workflows.importBundle(scope, unchecked({ version: 1, exportedAt, workflows: [workflow] }));
    const who = userId === null ? { anonymousId: 'nobody' } : { userId };
    await beckon.events.track(own, { module: 'm', eventType: 'asked', properties: { what: 'news' }, ...who });
    await beckon.worker.drain();
    const [one] = (await beckon.runs.list(own)).data;
    const found = await beckon.runs.get(own, one?.id ?? '');
    return found.steps.map(({ type, outcome, reason }) => [type, outcome, reason]);
  };
  const lookUpSends = async (environment: Environment = 'test') => {
    const own = await beckon.tenancy.scope({ ...scope, environment });
    await beckon.events.identify(own, { userId: 'ann', traits: { name: 'Ann', phone: '+14155550199' } });
    for (const token of ['fcm:1', 'fcm:2'])
      await beckon.tokens.register(own, { token, platform: 'android', userId: 'ann' });
  };

  it('steps reach every device and the phone number of their user', async () => {
    await lookUpSends();
    expect(await run([push, sms])).toEqual([
      ['send_push', 'ok', null],
      ['send_sms', 'ok', null],
    ]);
    const { data } = await beckon.outbox.list(scope);
    expect(data.map(({ channel, address, userId }) => [channel, address, userId]).sort()).toEqual([
      ['push', 'fcm:1', 'ann'],
      ['push', 'fcm:2', 'ann'],
      ['sms', '+14155550199', 'ann'],
    ]);
    expect(data.find(({ channel }) => channel === 'push')?.content).toMatchObject({
      title: 'Hi Ann',
      body: 'news',
      collapseKey: 'c',
      ttlSeconds: 2_419_200,
    });
    expect(data.find(({ channel }) => channel === 'sms')?.content).toMatchObject({ body: 'Hi Ann: news' });
    const [send] = (await beckon.sends.list(scope, 'push')).data;
    expect(send).toMatchObject({ source: 'workflow', status: 'sent', tokenCount: 2, counts: { sent: 2 } });
  });

  it("variant texts are filled with saved outputs and the user's values", async () => {
    await lookUpSends();
    const variants = (body: string) => [{ key: 'only', body, weight: 100 }];
    const create = (channel: 'push' | 'sms', body: string) =>
      beckon.abTests.create(scope, channel, { name: body, variants: variants(body), metric: { type: 'click' } });
    const { id: pushTest } = await create('push', 'After {{steps.first.sendId}}');
    const { id: smsTest } = await create('sms', '{{trait.name}} heard of {{steps.first.sendId}}');
    const first = { type: 'send_sms', config: { ...sms.config, saveAs: 'first' } };
    await run([
      first,
      { ...push, config: { ...push.config, abTestId: pushTest } },
      { ...sms, config: { body: 'desk', to: '+14155550100', abTestId: smsTest } },
    ]);
    const { data } = await beckon.outbox.list(scope);
    const sendId = data.find(({ address }) => address === '+14155550199')?.sendId;
    const said = data.flatMap(({ address, content }) => ('body' in content ? [[address, content.body]] : []));
    expect(said).toContainEqual(['fcm:1', `After ${sendId}`]);
    expect(said).toContainEqual(['+14155550100', `Ann heard of ${sendId}`]);
  });

  it('steps without recipients are suppressed with the reason', async () => {
    expect(await run([push, sms])).toEqual([
      ['send_push', 'suppressed', 'no_token'],
      ['send_sms', 'suppressed', 'no_address'],
    ]);
  });

  it('steps for an anonymous profile are suppressed', async () => {
    const mail = { type: 'send_email', config: { subject: 's', text: 't' } };
    expect(await run([push, sms, mail], { userId: null })).toEqual([
      ['send_push', 'suppressed', 'no_token'],
      ['send_sms', 'suppressed', 'no_address'],
      ['send_email', 'suppressed', 'no_address'],
    ]);
  });

  it('an SMS goes to the number that a template gives', async () => {
    const to = (text: string) => ({ ...sms, config: { ...sms.config, to: text } });
    await lookUpSends();
    expect(await run([to('{{trait.phone}}'), to('{{trait.name}}')])).toEqual([
      ['send_sms', 'ok', null],
      ['send_sms', 'error', 'invalid_address'],
    ]);
  });

  it("texts to an address are filled with the values of the run's user", async () => {
    const traits = { name: 'Ann', phone: '+14155550199' };
    await beckon.events.identify(scope, { userId: 'ann', traits });
    const text = 'Hi {{trait.name}} ({{user.userId}}): {{event.what}}{{trait.gone}}';
    const mail = { to: 'desk@example.com', subject: text, preheader: text, text, html: `<p>${text}</p>` };
    expect(
      await run([
        { type: 'send_email', config: mail },
        { type: 'send_sms', config: { to: '{{trait.phone}}', body: text } },
      ]),
    ).toEqual([
      ['send_email', 'ok', null],
      ['send_sms', 'ok', null],
    ]);
    const shown = 'Hi Ann (ann): news';
    const { data } = await beckon.outbox.list(scope);
    expect(data.find(({ channel }) => channel === 'sms')).toMatchObject({ userId: null, content: { body: shown } });
    expect(data.find(({ channel }) => channel === 'email')).toMatchObject({
      userId: null,
      content: {
        subject: shown,
        text: shown,
        html: expect.stringMatching(/Hi Ann \(ann\): news.*<p>Hi Ann \(ann\): news/),
      },
    });
  });

  it('an email step sends attachments', async () => {
    const attachments = [
      { filename: 'map.txt', contentType: 'text/plain', content: 'aGVyZQ==' },
      { filename: 'logo.png', contentType: 'image/png', content: 'AAEC', cid: 'logo' },
    ];
    const mail = { to: 'desk@example.com', subject: 's', html: '<img src="cid:logo">', attachments };
    expect(await run([{ type: 'send_email', config: mail }])).toEqual([['send_email', 'ok', null]]);
    const { data } = await beckon.outbox.list(scope);
    expect(data).toMatchObject([
      {
        content: {
          attachments: [
            { filename: 'map.txt', contentType: 'text/plain', bytes: 4 },
            { filename: 'logo.png', contentType: 'image/png', bytes: 3, cid: 'logo' },
          ],
        },
      },
    ]);
  });

  it('an import warns about channels without a provider in its environment', async () => {
    const workflow = {
      name: 'W',
      description: null,
      isActive: true,
      trigger: { eventType: 'asked' },
      steps: [push, sms],
    };
    const bundle = unchecked({ version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] });
    const prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    const warned = [
      { name: 'W', path: 'steps.0.type', code: 'no_provider', message: expect.stringContaining('push') },
      { name: 'W', path: 'steps.1.type', code: 'no_provider', message: expect.stringContaining('sms') },
    ];
    const own = await beckon.tenancy.project(scope);
    for (const by of [prod, own])
      for (const dryRun of [true, false])
        expect((await beckon.workflows.importBundle(by, bundle, { dryRun })).warnings).toEqual(warned);
    expect((await beckon.workflows.importBundle(scope, bundle)).warnings).toEqual([]);
  });

  it('create and update warn about channels without a provider', async () => {
    const workflow = { name: 'Own', trigger: { eventType: 'asked' }, steps: [push] };
    const prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    const own = await beckon.tenancy.project(scope);
    const warned = [{ path: 'steps.0.type', code: 'no_provider' }];
    const made = await beckon.workflows.create(prod, unchecked(workflow));
    expect(made.warnings).toMatchObject(warned);
    for (const by of [prod, own])
      expect((await beckon.workflows.update(by, made.id, { isActive: true })).warnings).toMatchObject(warned);
    expect((await beckon.workflows.update(scope, made.id, { isActive: false })).warnings).toEqual([]);
  });

  describe('a `to` without a valid address', () => {
    const traits = {
      email: 'ann@example.com',
      phone: '+14155550199',
      empty: '',
      blank: '  ',
      name: 'Ann',
      two: 'a@example.com,b@example.com',
      quoted: '"a,b"@example.com',
      shown: 'Ann <ann@example.com>',
    };
    const to = (type: string, text: string) => ({
      type,
      config: { to: text, ...(type === 'send_email' ? { subject: 's', text: 't' } : { body: 'b' }) },
    });

    it.each(['missing', 'empty', 'blank', 'name', 'two', 'quoted', 'shown'])(
      'a `to` that renders the trait %s ends the step as an error, and nothing is sent',
      async (trait) => {
        await beckon.events.identify(scope, { userId: 'ann', traits });
        const given = ['send_email', 'send_sms'];
        expect(await run(given.map((type) => to(type, `{{trait.${trait}}}`)))).toEqual(
          given.map((type) => [type, 'error', 'invalid_address']),
        );
        for (const channel of ['email', 'sms'] as const)
          expect((await beckon.sends.list(scope, channel)).data).toEqual([]);
        expect((await beckon.outbox.list(scope)).data).toEqual([]);
      },
    );

    it('an invalid `to` is an error for an anonymous profile too', async () => {
      const given = ['send_email', 'send_sms'];
      expect(
        await run(
          given.map((type) => to(type, '{{event.missing}}')),
          { userId: null },
        ),
      ).toEqual(given.map((type) => [type, 'error', 'invalid_address']));
    });

    it('an invalid from or reply-to ends the step as an error', async () => {
      await beckon.events.identify(scope, { userId: 'ann', traits });
      const mail = (more: object) => ({ type: 'send_email', config: { subject: 's', text: 't', ...more } });
      expect(await run([mail({ from: '{{trait.missing}}' }), mail({ replyTo: '{{trait.two}}' })])).toEqual([
        ['send_email', 'error', 'invalid_address'],
        ['send_email', 'error', 'invalid_address'],
      ]);
      expect((await beckon.outbox.list(scope)).data).toEqual([]);
    });
  });

  it('an email goes to the address of its template, and to the user without `to`', async () => {
    await beckon.events.identify(scope, {
      userId: 'ann',
      traits: { email: 'ann@example.com', boss: 'eve@example.com' },
    });
    const mail = (more: object) => ({ type: 'send_email', config: { subject: 's', text: 't', ...more } });
    expect(await run([mail({ to: ' {{trait.boss}} ' }), mail({})])).toEqual([
      ['send_email', 'ok', null],
      ['send_email', 'ok', null],
    ]);
    const { data } = await beckon.outbox.list(scope);
    expect(data.map(({ address, userId }) => [address, userId]).sort()).toEqual([
      ['ann@example.com', 'ann'],
      ['eve@example.com', null],
    ]);
  });

  it('in prod without a provider the step ends as an error and nothing is written', async () => {
    await lookUpSends('prod');
    const mail = { type: 'send_email', config: { to: 'a@example.com', subject: 's', text: 't' } };
    expect(await run([push, sms, mail], { environment: 'prod' })).toEqual([
      ['send_push', 'error', 'provider_not_configured'],
      ['send_sms', 'error', 'provider_not_configured'],
      ['send_email', 'error', 'provider_not_configured'],
    ]);
    const prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    for (const channel of ['push', 'email', 'sms'] as const)
      expect((await beckon.sends.list(prod, channel)).data).toEqual([]);
  });
});
