import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { DryRun, Send } from './answers.generated.ts';

const EVENTS = [
  'push.sent',
  'push.token_invalidated',
  'push.failed',
  'email.delivered',
  'email.bounced',
  'email.complained',
  'sms.delivered',
  'sms.failed',
] as const;

/** A prod email transport that reports what only the sandbox may simulate. */
const ownMail = {
  name: 'own',
  from: { email: 'shop@example.com', name: null },
  make: () => ({
    name: 'own',
    maxInFlight: 5,
    send: async () => ({ result: 'accepted', providerId: 'p1', simulated: 'bounced' }) as const,
    close: async () => undefined,
  }),
};

describe('simulated outcomes in the test environment', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    const transports = { email: ownMail };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, transports });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'A' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    await beckon.webhooks.create(scope, { url: 'https://shop.example/', events: [...EVENTS], isPulled: true });
    const person = { email: 'delivered+ann@sandbox.invalid', phone: '+15555550101' };
    await beckon.events.identify(scope, { userId: 'ann', traits: person });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** Final status of each message of a send, with the counts of the send. */
  const ended = async (channel: 'push' | 'email' | 'sms', answer: Send | DryRun) => {
    await beckon.worker.drain();
    // Safe: no dry run was requested.
    const { id } = answer as Send;
    const { data } = await beckon.sends.messages(scope, channel, id);
    const { counts } = await beckon.sends.get(scope, channel, id);
    return { results: data.map(({ status, reason }) => reason ?? status), counts };
  };
  const mailed = async (to: string) => ended('email', await beckon.email.send(scope, { to, subject: 's', text: 't' }));
  const texted = async (to: string) => ended('sms', await beckon.sms.send(scope, { to, body: 'Hi' }));
  const published = async () => {
    const { data: hooks } = await beckon.webhooks.list(scope);
    const { data } = await beckon.webhooks.deliveries(scope, hooks[0]?.id ?? '');
    return data.map(({ eventType }) => eventType).sort();
  };

  it('delivered@sandbox.invalid delivers the email, which is in the outbox', async () => {
    expect(await mailed('Delivered@sandbox.invalid')).toMatchObject({
      results: ['delivered'],
      counts: { sent: 1, delivered: 1 },
    });
    expect((await beckon.outbox.list(scope)).data.map(({ address }) => address)).toEqual(['Delivered@sandbox.invalid']);
    expect(await published()).toEqual(['email.delivered']);
  });

  it('bounced@sandbox.invalid bounces the email and lists the address', async () => {
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ results: ['bounced'], counts: { bounced: 1 } });
    expect(await published()).toEqual(['email.bounced']);
    expect((await beckon.suppressions.list(scope, 'email')).data).toMatchObject([
      { address: 'bounced@sandbox.invalid', reason: 'bounced_address', source: 'provider' },
    ]);
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ results: ['bounced_address'] });
    expect(await mailed('bounced+2@sandbox.invalid')).toMatchObject({ results: ['bounced'] });
  });

  it('complained@sandbox.invalid delivers the email, then complains', async () => {
    expect(await mailed('complained@sandbox.invalid')).toMatchObject({
      results: ['delivered'],
      counts: { sent: 1, delivered: 1 },
    });
    expect(await published()).toEqual(['email.complained', 'email.delivered']);
    expect(await mailed('complained@sandbox.invalid')).toMatchObject({ results: ['complained_address'] });
  });

  it('+15555550101 delivers a text message and +15555550102 fails it', async () => {
    expect(await texted('+1 555 555 0101')).toMatchObject({ results: ['delivered'], counts: { delivered: 1 } });
    expect(await texted('+15555550102')).toMatchObject({ results: ['failed'], counts: { sent: 0, failed: 1 } });
    expect(await published()).toEqual(['sms.delivered', 'sms.failed']);
    expect((await beckon.suppressions.list(scope, 'sms')).data).toEqual([]);
  });

  it('simulated outcomes are events of the user that workflows can wait for', async () => {
    await beckon.workflows.create(scope, {
      name: 'Thanks',
      trigger: { eventType: 'email.delivered' },
      steps: [{ type: 'send_sms', config: { body: 'Read your mail' } }],
      isActive: true,
    });
    await ended('email', await beckon.email.send(scope, { userIds: ['ann'], subject: 's', text: 't' }));
    const names = (await beckon.profiles.events(scope, 'ann')).data.map(({ eventType }) => eventType);
    expect(names).toEqual(expect.arrayContaining(['email.delivered', 'sms.delivered']));
  });

  it('a token that begins with sandbox-unregistered becomes invalid', async () => {
    const device = { token: 'sandbox-unregistered-1', platform: 'android', userId: 'ann' } as const;
    const { token } = await beckon.tokens.register(scope, device);
    const push = async () => ended('push', await beckon.push.send(scope, { userIds: ['ann'], title: 'Hi' }));
    expect(await push()).toMatchObject({ counts: { failed: 1 } });
    expect(await published()).toEqual(['push.failed', 'push.token_invalidated']);
    expect((await beckon.tokens.register(scope, device)).token).toMatchObject({ id: token.id, isActive: false });
    expect(await push()).toMatchObject({ results: ['token_inactive'] });
  });

  it('outcomes are simulated in the test environment only; a prod transport reports by itself', async () => {
    const { orgId, projectId } = scope;
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ results: ['sent'] });
  });
});
