import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { subscriptionJson } from '../../test/support/push/subscription.ts';
import type { BundleInput } from '../automation/workflows/api.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

const bundle: BundleInput = {
  version: 1,
  exportedAt: '2026-01-01T00:00:00.000Z',
  workflows: [
    {
      name: 'Welcome',
      description: null,
      isActive: true,
      trigger: { eventType: 'user.signed_up', filters: { plan: 'pro' } },
      steps: [
        {
          type: 'send_email',
          config: { subject: 'Hello {{trait.first_name}}', text: 'You chose {{event.plan}}.' },
        },
        { type: 'wait', config: { minutes: 60 } },
        { type: 'update_profile', config: { increment: { welcomed: 1 } }, delayMinutes: 5 },
      ],
    },
  ],
};

describe('createBeckon', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  const masterKey = newMasterKey();
  beforeEach(async () => {
    database = await openTestDatabase();
    // An in-memory SQLite database belongs to one connection, so the service opens its own.
    beckon = await createBeckon({ db: database.url, masterKey, clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  it('close closes the database even if a module fails to close', async () => {
    let isClosing = false;
    const full = () => {
      if (isClosing) throw new Error('the log is full');
    };
    const failing = await createBeckon({
      db: database.url,
      masterKey,
      clock,
      log: { info: full, warn: full, error: full },
      transports: {
        email: {
          name: 'courier',
          from: { email: 'shop@example.com', name: 'Shop' },
          make: () => ({
            name: 'courier',
            maxInFlight: 1,
            send: async () => ({ result: 'accepted', providerId: 'x' }),
            // The module of sends logs this, and the log throws.
            close: () => Promise.reject(new Error('the courier hangs')),
          }),
        },
      },
    });
    const { id: orgId } = await failing.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await failing.tenancy.createProject({ orgId, name: 'App' });
    const own = await failing.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await failing.email.send(own, { to: 'ann@example.com', subject: 'Hello', text: 'Ann' });
    await failing.worker.drain();
    const accepted = failing.events.track(own, { module: 'auth', eventType: 'seen', userId: 'ann' });
    isClosing = true;
    await expect(failing.close()).rejects.toMatchObject({ errors: [new Error('the log is full')] });
    // Events accepted before are stored, and nothing is read afterwards.
    expect(await accepted).toMatchObject({ accepted: true });
    await expect(failing.tenancy.listOrgs()).rejects.toThrow();
  });

  it('a meter that throws changes no result and no send', async () => {
    const broken = () => {
      throw new Error('this meter is broken');
    };
    const warn = vi.fn();
    const log = { info: () => undefined, warn, error: () => undefined };
    const metered = await createBeckon({
      db: database.url,
      masterKey,
      clock,
      log,
      meter: { count: broken, time: broken },
    });
    onTestFinished(() => metered.close());
    const { id: orgId } = await metered.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await metered.tenancy.createProject({ orgId, name: 'App' });
    const own = await metered.tenancy.scope({ orgId, projectId, environment: 'test' });
    await metered.events.track(own, { module: 'auth', eventType: 'seen', userId: 'ann' });
    await metered.email.send(own, { to: 'ann@example.com', subject: 'Hello', text: 'Ann' });
    await metered.worker.drain();
    clock.advance(60_000);
    await metered.worker.drain();
    expect((await metered.outbox.list(own)).data).toHaveLength(1);
    expect((await metered.sends.list(own, 'email')).data).toMatchObject([{ status: 'sent', counts: { sent: 1 } }]);
    expect((await metered.profiles.events(own, 'ann')).data).toHaveLength(1);
    expect(warn).toHaveBeenCalledWith({ error: expect.any(Error) }, 'the meter threw');
  });

  it('an event causes a run, a message in the outbox, a wait and a changed profile', async () => {
    await beckon.workflows.importBundle(scope, bundle);
    await beckon.events.identify(scope, { userId: 'ann', traits: { first_name: 'Ann', email: 'ann@example.com' } });
    const sign = { module: 'auth', eventType: 'user.signed_up', userId: 'ann', properties: { plan: 'pro' } };
    const { id } = await beckon.events.track(scope, sign);
    expect(await beckon.worker.drain()).toBeGreaterThan(0);

    const { data: outbox } = await beckon.outbox.list(scope);
    expect(outbox).toMatchObject([
      { address: 'ann@example.com', userId: 'ann', content: { subject: 'Hello Ann', text: 'You chose pro.' } },
    ]);
    const runs = async () => (await beckon.runs.list(scope)).data;
    expect(await runs()).toMatchObject([
      { triggerEventId: id, status: 'waiting', cursor: '1', next_step_at: new Date(clock.now().getTime() + 3_600_000) },
    ]);

    clock.advance(3_600_000);
    await beckon.worker.drain();
    expect(await runs()).toMatchObject([{ status: 'waiting', cursor: '2' }]);
    clock.advance(5 * 60_000);
    await beckon.worker.drain();
    const [run] = await runs();
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', next_step_at: null });
    const { steps } = await beckon.runs.get(scope, run?.id ?? '');
    expect(steps.map(({ path, type, outcome }) => [path, type, outcome])).toEqual([
      ['0', 'send_email', 'ok'],
      ['1', 'wait', 'ok'],
      ['2', 'update_profile', 'ok'],
    ]);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toMatchObject({ welcomed: 1 });
    const { data: sends } = await beckon.sends.list(scope, 'email');
    expect(sends).toMatchObject([{ status: 'sent', source: 'workflow', counts: { targeted: 1, sent: 1 } }]);
    expect((await beckon.profiles.sends(scope, 'ann')).data).toMatchObject([{ status: 'sent', sendId: sends[0]?.id }]);
  });

  it("an event that the trigger's filter does not match starts no run", async () => {
    await beckon.workflows.importBundle(scope, bundle);
    const sign = { module: 'auth', eventType: 'user.signed_up', userId: 'ann', properties: { plan: 'free' } };
    await beckon.events.track(scope, sign);
    expect((await beckon.runs.list(scope)).data).toEqual([]);
  });

  it('starting a worker repeatedly runs each job once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      beckon.worker.start();
      const timers = vi.getTimerCount();
      beckon.worker.start();
      expect(timers).toBeGreaterThan(0);
      expect(vi.getTimerCount()).toBe(timers);
      await beckon.worker.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('a scope that tenancy did not create is rejected, and nothing is written', async () => {
    const { orgId, projectId } = scope;
    // Proof of the cast: the test checks that such an object is rejected.
    const madeUp = { ...scope, orgId: 'nobody', scopeId: scope.scopeId + 1_000 } as Scope;
    const message = /needs a scope from tenancy\.scope/;
    for (const one of [madeUp, { ...scope }, { orgId, projectId, environment: 'test' } as Scope, null as never]) {
      await expect(beckon.email.send(one, { to: 'a@example.com', subject: 's', text: 't' })).rejects.toThrow(message);
      await expect(beckon.events.track(one, { module: 'm', eventType: 'e', userId: 'u' })).rejects.toThrow(TypeError);
      await expect(beckon.workflows.importBundle(one, bundle)).rejects.toThrow(message);
      await expect(beckon.workflows.importBundle(one, bundle, { idempotencyKey: 'k' })).rejects.toThrow(message);
    }
    const { sends, events, workflows, idempotencyKeys } = database.tables;
    for (const table of [sends, events, workflows, idempotencyKeys])
      expect(await database.storage.db.select().from(table)).toEqual([]);
  });

  it('an endpoint or SMTP relay that can never be connected to is rejected, unless the operator allows it', async () => {
    const token = subscriptionJson({ endpoint: 'https://localhost:4711/x' });
    const relay = { host: '127.1', port: 587, from: 'news@shop.test' };
    const calls = (own: Beckon) => [
      own.tokens.register(scope, { token, platform: 'web' }),
      own.push.send(scope, { title: 'Hi', tokens: [token] }),
      own.settings.update(scope, 'email', { smtp: relay }),
    ];
    const refused = (await Promise.allSettled(calls(beckon))).map((one) => one.status === 'rejected' && one.reason);
    expect(refused).toMatchObject([
      { code: 'VALIDATION_ERROR', details: { fieldErrors: { token: [expect.any(String)] } } },
      { code: 'VALIDATION_ERROR', details: { fieldErrors: { 'tokens.0': [expect.any(String)] } } },
      { code: 'VALIDATION_ERROR', details: { fieldErrors: { 'smtp.host': [expect.any(String)] } } },
    ]);
    const own = await createBeckon({ db: database.url, masterKey, clock, outbound: { allowCidrs: ['127.0.0.0/8'] } });
    onTestFinished(() => own.close());
    const { id: orgId } = await own.tenancy.createOrg({ name: 'Local' });
    const { id: projectId } = await own.tenancy.createProject({ orgId, name: 'App' });
    scope = await own.tenancy.scope({ orgId, projectId, environment: 'test' });
    expect((await Promise.allSettled(calls(own))).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
  });

  it('locale and time zone of a user come from the newest device, else from the newest event', async () => {
    const context = { locale: 'de', timezone: 'Europe/Berlin' };
    const traits = { email: 'ann@example.com' };
    await beckon.events.identify(scope, { userId: 'ann', traits });
    await beckon.events.track(scope, { module: 'app', eventType: 'opened', userId: 'ann', context });
    const seen = async () => {
      const { locale, timezone } = await beckon.profiles.get(scope, 'ann');
      const [listed] = (await beckon.profiles.list(scope)).data;
      const text = '{{user.locale}} {{user.timezone}}';
      const dry = await beckon.email.send(scope, { userIds: ['ann'], subject: 'x', text, dryRun: true });
      await beckon.email.send(scope, { userIds: ['ann'], subject: 'x', text });
      await beckon.worker.drain();
      const [sent] = (await beckon.outbox.list(scope)).data;
      return [`${locale} ${timezone}`, `${listed?.locale} ${listed?.timezone}`, dry, sent].map((one) =>
        typeof one === 'string' ? one : /"text":"([^"]*)"/.exec(JSON.stringify(one))?.[1],
      );
    };
    expect(await seen()).toEqual(Array(4).fill('de Europe/Berlin'));
    const device = { platform: 'android', userId: 'ann' } as const;
    await beckon.tokens.register(scope, { ...device, token: 'fcm:1', locale: 'fr', timezone: 'Europe/Paris' });
    clock.advance(1_000);
    const { token } = await beckon.tokens.register(scope, { ...device, token: 'fcm:2', locale: 'nl' });
    // What the newest device lacks comes from events.
    expect(await seen()).toEqual(Array(4).fill('nl Europe/Berlin'));
    await beckon.tokens.delete(scope, token.id);
    expect(await seen()).toEqual(Array(4).fill('fr Europe/Paris'));
  });

  it('an id in another form, such as in upper case, finds nothing', async () => {
    await beckon.workflows.importBundle(scope, bundle);
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    const sign = { module: 'auth', eventType: 'user.signed_up', userId: 'ann', properties: { plan: 'pro' } };
    await beckon.events.track(scope, sign);
    await beckon.worker.drain();
    const { token } = await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    const [run] = (await beckon.runs.list(scope)).data;
    const [send] = (await beckon.sends.list(scope, 'email')).data;
    const [caught] = (await beckon.outbox.list(scope)).data;
    if (!run || !send || !caught) throw new Error('nothing was sent');
    const missing = { code: 'NOT_FOUND' };
    for (const id of ['nothing', "' or 1=1 --", `${send.id}0`]) {
      await expect(beckon.runs.get(scope, id)).rejects.toMatchObject(missing);
      await expect(beckon.sends.get(scope, 'email', id)).rejects.toMatchObject(missing);
      await expect(beckon.sends.messages(scope, 'email', id)).rejects.toMatchObject(missing);
      await expect(beckon.sends.cancel(scope, 'email', id)).rejects.toMatchObject(missing);
      await expect(beckon.outbox.get(scope, id)).rejects.toMatchObject(missing);
      await expect(beckon.tokens.delete(scope, id)).rejects.toMatchObject(missing);
      await expect(beckon.push.trackOpen(scope, { sendId: id, messageId: id })).rejects.toMatchObject(missing);
      expect((await beckon.runs.list(scope, { workflowId: id })).data).toEqual([]);
    }
    await expect(beckon.runs.get(scope, run.id.toUpperCase())).rejects.toMatchObject(missing);
    await expect(beckon.sends.get(scope, 'email', send.id.toUpperCase())).rejects.toMatchObject(missing);
    await expect(beckon.outbox.get(scope, caught.id.toUpperCase())).rejects.toMatchObject(missing);
    await expect(beckon.tokens.delete(scope, token.id.toUpperCase())).rejects.toMatchObject(missing);
  });

  it('a ready service reports each check', async () => {
    expect(await beckon.health()).toMatchObject({ ready: true, checks: { schema: { ok: true, detail: 'current' } } });
  });

  it('a service stays ready if due jobs wait for more than a minute without a worker, and names the queue', async () => {
    await beckon.email.send(scope, { to: 'ann@example.com', subject: 's', text: 't' });
    clock.advance(60_000);
    expect(await beckon.health()).toMatchObject({ ready: true, checks: { worker: { ok: true } } });
    clock.advance(1);
    expect(await beckon.health()).toMatchObject({
      ready: true,
      status: 'degraded',
      checks: { worker: { ok: false, detail: 'nobody works, and messages have waited for 60 s: start a worker' } },
    });
    beckon.worker.start();
    const working = { ready: true, status: 'ok', checks: { worker: { detail: 'in this process' } } };
    expect(await beckon.health()).toMatchObject(working);
    await beckon.worker.stop();
  });
});
