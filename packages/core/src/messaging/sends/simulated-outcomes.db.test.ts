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

/** What carries mail of `prod`; it says what only the sandbox may. */
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

  /** How the messages of a send ended, with the counts of the send. */
  const ended = async (channel: 'push' | 'email' | 'sms', answer: Send | DryRun) => {
    await beckon.worker.drain();
    // Safe: no dry run was asked for.
    const { id } = answer as Send;
    const { data } = await beckon.sends.messages(scope, channel, id);
    const { counts } = await beckon.sends.get(scope, channel, id);
    return { stands: data.map(({ status, reason }) => reason ?? status), counts };
  };
  const mailed = async (to: string) => ended('email', await beckon.email.send(scope, { to, subject: 's', text: 't' }));
  const texted = async (to: string) => ended('sms', await beckon.sms.send(scope, { to, body: 'Hi' }));
  const published = async () => {
    const { data: hooks } = await beckon.webhooks.list(scope);
    const { data } = await beckon.webhooks.deliveries(scope, hooks[0]?.id ?? '');
    return data.map(({ eventType }) => eventType).sort();
  };

  it('deliver a mail to delivered@sandbox.invalid, which is in the outbox', async () => {
    expect(await mailed('Delivered@sandbox.invalid')).toMatchObject({
      stands: ['delivered'],
      counts: { sent: 1, delivered: 1 },
    });
    expect((await beckon.outbox.list(scope)).data.map(({ address }) => address)).toEqual(['Delivered@sandbox.invalid']);
    expect(await published()).toEqual(['email.delivered']);
  });

  it('bounce a mail to bounced@sandbox.invalid, whose address is listed from then on', async () => {
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ stands: ['bounced'], counts: { bounced: 1 } });
    expect(await published()).toEqual(['email.bounced']);
    expect((await beckon.suppressions.list(scope, 'email')).data).toMatchObject([
      { address: 'bounced@sandbox.invalid', reason: 'bounced_address', source: 'provider' },
    ]);
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ stands: ['bounced_address'] });
    expect(await mailed('bounced+2@sandbox.invalid')).toMatchObject({ stands: ['bounced'] });
  });

  it('complain of a mail to complained@sandbox.invalid once it is delivered', async () => {
    expect(await mailed('complained@sandbox.invalid')).toMatchObject({
      stands: ['delivered'],
      counts: { sent: 1, delivered: 1 },
    });
    expect(await published()).toEqual(['email.complained', 'email.delivered']);
    expect(await mailed('complained@sandbox.invalid')).toMatchObject({ stands: ['complained_address'] });
  });

  it('deliver a text to +15555550101 and fail one to +15555550102', async () => {
    expect(await texted('+1 555 555 0101')).toMatchObject({ stands: ['delivered'], counts: { delivered: 1 } });
    expect(await texted('+15555550102')).toMatchObject({ stands: ['failed'], counts: { sent: 0, failed: 1 } });
    expect(await published()).toEqual(['sms.delivered', 'sms.failed']);
    expect((await beckon.suppressions.list(scope, 'sms')).data).toEqual([]);
  });

  it('are events of the user, which workflows wait for', async () => {
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

  it('invalidate a token that begins with sandbox-unregistered', async () => {
    const device = { token: 'sandbox-unregistered-1', platform: 'android', userId: 'ann' } as const;
    const { token } = await beckon.tokens.register(scope, device);
    const push = async () => ended('push', await beckon.push.send(scope, { userIds: ['ann'], title: 'Hi' }));
    expect(await push()).toMatchObject({ counts: { failed: 1 } });
    expect(await published()).toEqual(['push.failed', 'push.token_invalidated']);
    expect((await beckon.tokens.register(scope, device)).token).toMatchObject({ id: token.id, isActive: false });
    expect(await push()).toMatchObject({ stands: ['token_inactive'] });
  });

  it('are only of the test environment: an own transport of prod reports by itself', async () => {
    const { orgId, projectId } = scope;
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    expect(await mailed('bounced@sandbox.invalid')).toMatchObject({ stands: ['sent'] });
  });
});
