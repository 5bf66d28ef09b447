import { describe, expect, it } from 'vitest';
import { scopeLike, testScope, testScopes } from '../../../test/support/scopes.ts';
import { fakeCredentials } from '../../../test/support/sends/credentials.ts';
import type { Channel } from '../../foundation/channel.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import { missingFor, providerConnections } from './connections.ts';
import type { ProviderName } from './names.ts';

const TEST = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const PROD = scopeLike(TEST, { environment: 'prod' });
const mail = { ...PROD, channel: 'email', platform: undefined } as const;

const open = () => {
  const credentials = fakeCredentials();
  const errors: unknown[] = [];
  const connections = providerConnections({
    clock: virtualClock('2026-03-01T12:00:00.000Z'),
    scopes: testScopes,
    credentials: credentials.source,
    recorder: () => async () => undefined,
    onError: (error) => errors.push(error),
  });
  return { credentials, connections, errors };
};

describe('connections', () => {
  it('each channel of test always gets the same sandbox, and no credentials are read', async () => {
    const { credentials, connections } = open();
    for (const channel of ['push', 'email', 'sms'] as const) {
      const wanted = { ...TEST, channel, platform: undefined };
      const other = { ...wanted, ...scopeLike(TEST, { projectId: 'q' }) };
      const connectionOf = await connections.load([wanted, other]);
      const connection = connectionOf(wanted);
      expect(connection?.transport.name).toBe('sandbox');
      expect((await connections.load([{ ...wanted }]))(wanted)).toBe(connection);
      expect(connectionOf(other)).not.toBe(connection);
    }
    expect(credentials.loads()).toBe(0);
  });

  it('a provider of prod without credentials has no connection', async () => {
    const { credentials, connections } = open();
    expect((await connections.load([mail]))(mail)).toBeNull();
    credentials.configure(mail);
    expect((await connections.load([mail]))(mail)?.provider).toBe('smtp');
  });

  it('the platform of a push chooses its provider', async () => {
    const { credentials, connections } = open();
    credentials.configure({ ...PROD, channel: 'push' }, undefined, { provider: 'apns' });
    const of = (platform: Platform) => ({ ...PROD, channel: 'push', platform }) as const;
    const connectionOf = await connections.load([of('ios'), of('android')]);
    expect(connectionOf(of('ios'))?.provider).toBe('apns');
    expect(connectionOf(of('android'))).toBeNull();
  });

  it('a channel with several providers uses them in order', async () => {
    const { credentials, connections } = open();
    const text = { ...PROD, channel: 'sms', platform: undefined } as const;
    credentials.configure(text, undefined, { provider: 'telnyx' });
    expect((await connections.load([text]))(text)?.provider).toBe('telnyx');
    credentials.configure(text, undefined, { provider: 'twilio' });
    expect((await connections.load([text]))(text)?.provider).toBe('twilio');
  });

  it('a new version opens a new transport and closes the old one after its calls end', async () => {
    const { credentials, connections } = open();
    credentials.configure(mail);
    const old = (await connections.load([mail]))(mail);
    expect((await connections.load([mail]))(mail)).toBe(old);
    const leave = old?.enter();
    credentials.configure(mail);
    expect((await connections.load([mail]))(mail)).not.toBe(old);
    await new Promise((resolve) => setImmediate(resolve));
    expect(credentials.closed).toEqual([]);
    leave?.();
    await connections.close();
    expect(credentials.closed).toEqual(['o/p/prod/email/smtp@1', 'o/p/prod/email/smtp@2']);
  });

  it('removed or replaced credentials are retired, and a stale read does not retire newer ones', async () => {
    const { credentials, connections } = open();
    credentials.configure(mail);
    const first = (await connections.load([mail]))(mail);
    await connections.refresh(mail);
    expect(first?.isRetired()).toBe(false);
    credentials.configure(mail);
    await connections.refresh(mail);
    expect(first?.isRetired()).toBe(true);
    const second = (await connections.load([mail]))(mail);
    credentials.remove(mail);
    expect((await connections.load([mail]))(mail)).toBeNull();
    expect(second?.isRetired()).toBe(true);
    await connections.close();
    expect(credentials.closed).toEqual(['o/p/prod/email/smtp@1', 'o/p/prod/email/smtp@2']);
  });

  it('refused credentials are read again at once', async () => {
    const urgent: boolean[] = [];
    const credentials = fakeCredentials();
    const connections = providerConnections({
      clock: virtualClock('2026-03-01T12:00:00.000Z'),
      scopes: testScopes,
      credentials: {
        ...credentials.source,
        load: (keys, isUrgent = () => false) => {
          urgent.push(...keys.map(isUrgent));
          return credentials.source.load(keys);
        },
      },
      recorder: () => async () => undefined,
      onError: () => undefined,
    });
    credentials.configure(mail);
    const connection = (await connections.load([mail]))(mail);
    connection?.circuit.record(
      { result: 'credential', code: 'auth', message: '' },
      { isProbe: false, hasFallback: false, now: new Date('2026-03-01T12:00:00Z') },
    );
    await connections.load([mail]);
    expect(urgent).toEqual([false, true]);
  });

  it('at most 500 connections stay open, and evicted ones are closed', async () => {
    const { credentials, connections } = open();
    const scopes = Array.from({ length: 501 }, (_, at) => ({
      ...mail,
      ...scopeLike(PROD, { projectId: `p${at}` }),
    }));
    for (const one of scopes) credentials.configure(one);
    await connections.load(scopes);
    await new Promise((resolve) => setImmediate(resolve));
    expect(credentials.closed).toHaveLength(1);
    await connections.close();
    expect(credentials.closed).toHaveLength(501);
  });
});

describe('what a channel lacks', () => {
  const required = (provider: ProviderName) => [provider];
  const lacks = (channel: Channel, configured: ProviderName[], platforms: Platform[] | null) =>
    missingFor(channel, configured, platforms, required);

  it('missing names the only provider of mail and of text messages', () => {
    expect(lacks('email', [], null)).toEqual({ channel: 'email', provider: 'smtp', missing: ['smtp'] });
    expect(lacks('sms', [], null)).toEqual({ channel: 'sms', provider: 'twilio', missing: ['twilio'] });
    expect(lacks('email', ['smtp'], null)).toBeNull();
  });

  it('missing lists every push provider when none is configured', () => {
    expect(lacks('push', [], null)).toEqual({ channel: 'push', provider: 'push', missing: ['apns', 'fcm', 'webpush'] });
    expect(lacks('push', [], ['web'])).toEqual({ channel: 'push', provider: 'webpush', missing: ['webpush'] });
  });

  it('push lacks nothing while one known platform has a provider, or no platform is known', () => {
    expect(lacks('push', ['fcm'], ['ios', 'android'])).toBeNull();
    expect(lacks('push', ['fcm'], null)).toBeNull();
    expect(lacks('push', ['fcm'], ['ios', 'web'])).toEqual({ channel: 'push', provider: 'apns', missing: ['apns'] });
  });
});
