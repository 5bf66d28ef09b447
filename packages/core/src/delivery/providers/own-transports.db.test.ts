import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { BeckonOptions } from '../../app/options.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { SendOutcome } from '../transports/port.ts';
import { generateVapidKeys } from '../transports/web-push/settings.ts';
import type { OwnTransport } from './own-transport.ts';

const MAIL = { to: 'ann@example.com', subject: 'Hello', text: 'There' };
const ACCEPTED: SendOutcome = { result: 'accepted', providerId: 'x' };
const TWILIO = { accountSid: `AC${'1'.repeat(32)}`, authToken: 'a'.repeat(32), from: '+15005550006' };

describe("a host's own transport", () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let prod: Scope;
  let test: Scope;
  let answer: SendOutcome;
  let handed: string[];
  let closed: number;
  let made: Scope[];

  const transport = (): OwnTransport<'email'> & OwnTransport<'push'> & OwnTransport<'sms'> => ({
    name: 'courier',
    make: (scope: Scope) => {
      made.push(scope);
      return {
        name: 'courier',
        maxInFlight: 5,
        probe: async () => answer,
        send: async ({ messageId }: { messageId: string }) => {
          handed.push(messageId);
          return answer;
        },
        close: async () => {
          closed += 1;
        },
      };
    },
  });
  const open = async (transports: NonNullable<BeckonOptions['transports']>): Promise<void> => {
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, transports });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const names = { orgId: org.id, projectId: project.id };
    prod = await beckon.tenancy.scope({ ...names, environment: 'prod' });
    test = await beckon.tenancy.scope({ ...names, environment: 'test' });
  };
  const from = { email: 'shop@example.com', name: 'Shop' };

  beforeEach(async () => {
    database = await openTestDatabase();
    answer = ACCEPTED;
    handed = [];
    made = [];
    closed = 0;
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  it("a host's transport sends in prod without credentials, is created once per scope and closes with the service", async () => {
    await open({ email: { ...transport(), from } });
    for (const _ of [1, 2]) await beckon.email.send(prod, MAIL);
    await beckon.worker.drain();
    expect(handed).toHaveLength(2);
    expect(made).toEqual([prod]);
    await beckon.close();
    expect(closed).toBe(1);
  });

  it("a host's transport leaves test to the sandbox", async () => {
    await open({ email: { ...transport(), from } });
    await beckon.email.send(test, { ...MAIL, from: 'us@example.com' });
    await beckon.worker.drain();
    expect(handed).toEqual([]);
    expect((await beckon.outbox.list(test)).data).toHaveLength(1);
    expect(await beckon.settings.get(test, 'email')).toMatchObject({ smtp: { provider: 'smtp', configured: false } });
    expect(await beckon.settings.test(test, 'email')).toMatchObject({ results: [{ provider: 'sandbox', ok: true }] });
    expect(made).toEqual([]);
  });

  it("a host's transport appears in health and settings under its own name", async () => {
    await open({ email: { ...transport(), from } });
    await beckon.email.send(prod, MAIL);
    await beckon.worker.drain();
    expect(await beckon.sends.health(prod, 'email')).toMatchObject({ byProvider: { courier: { sent: 1, failed: 0 } } });
    expect(await beckon.settings.get(prod, 'email')).toMatchObject({
      smtp: {
        provider: 'courier',
        configured: true,
        lastFour: null,
        verifiedAt: clock.now(),
        updatedAt: null,
        version: null,
      },
    });
    expect(await beckon.settings.test(prod, 'email')).toEqual({
      results: [{ provider: 'courier', ok: true, code: null, message: null }],
    });
  });

  it("refusals open the circuit of a host's transport, and it recovers afterwards", async () => {
    await open({ email: { ...transport(), from } });
    answer = { result: 'credential', code: 'courier_401', message: 'Unknown key.' };
    await beckon.email.send(prod, MAIL);
    await beckon.worker.drain();
    const health = await beckon.sends.health(prod, 'email');
    expect(health).toMatchObject({ status: 'failing', openCircuits: [{ provider: 'courier', code: 'courier_401' }] });
    await beckon.email.send(prod, MAIL);
    await beckon.worker.drain();
    expect(handed).toHaveLength(1);
    answer = ACCEPTED;
    clock.advance(10 * 60_000);
    await beckon.worker.drain();
    clock.advance(10 * 60_000);
    await beckon.worker.drain();
    expect((await beckon.sends.health(prod, 'email')).openCircuits).toEqual([]);
    expect(handed).toHaveLength(3);
  });

  it("a host's transport takes the devices of its platform and leaves the others to their providers", async () => {
    await open({ push: { android: transport() } });
    for (const platform of ['android', 'ios'] as const)
      await beckon.tokens.register(prod, {
        token: platform === 'ios' ? 'ab'.repeat(32) : 'android-1',
        platform,
        userId: 'ann',
      });
    await beckon.push.send(prod, { userIds: ['ann'], title: 'Hi', body: 'There' });
    await beckon.worker.drain();
    expect(handed).toHaveLength(1);
    const { byProvider } = await beckon.sends.health(prod, 'push');
    expect(byProvider).toEqual({ courier: { sent: 1, failed: 0 }, apns: { sent: 0, failed: 1 } });
    const { apns, fcm, webpush } = await beckon.settings.get(prod, 'push');
    expect([apns, fcm, webpush].map(({ configured }) => configured)).toEqual([false, true, false]);
  });

  it("a settings test covers a host's transport beside the channel's other providers", async () => {
    await open({ push: { android: transport() } });
    const webpush = { ...(await generateVapidKeys()), subject: 'mailto:ops@acme.test' };
    await beckon.settings.update(prod, 'push', { webpush });
    const { results } = await beckon.settings.test(prod, 'push');
    expect(results.map(({ provider }) => provider)).toEqual(['courier', 'webpush']);
  });

  it('credentials of a replaced provider are refused, and may be removed', async () => {
    await open({ sms: transport() });
    await expect(beckon.settings.update(prod, 'sms', { twilio: TWILIO })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await beckon.settings.update(test, 'sms', { twilio: TWILIO })).toMatchObject({
      twilio: { provider: 'twilio', configured: true },
    });
    expect(await beckon.settings.update(prod, 'sms', { twilio: null })).toMatchObject({
      twilio: { provider: 'courier' },
    });
    await beckon.sms.send(prod, { to: '+15005550007', from: '+15005550006', body: 'Hello' });
    await beckon.worker.drain();
    expect(handed).toHaveLength(1);
  });

  it("a host's transport with a provider's name or without a required option is refused", async () => {
    await open({});
    const wrong = (transports: NonNullable<BeckonOptions['transports']>) =>
      createBeckon({ db: database.url, masterKey: newMasterKey(), transports });
    await expect(wrong({ sms: { ...transport(), name: 'twilio' } })).rejects.toThrow(
      'must not be the name of a provider',
    );
    await expect(wrong({ sms: { ...transport(), limitMs: 26_000 } })).rejects.toThrow(TypeError);
  });
});
