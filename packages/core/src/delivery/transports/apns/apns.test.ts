import { describe, expect, it, onTestFinished } from 'vitest';
import { APNS_REASONS, type ApnsBehaviour, apnsToken, p8 } from '../../../../test/support/transports/apns-peer.ts';
import { type ApnsWorld, apnsWorld } from '../../../../test/support/transports/apns-stand-in.ts';
import { HANDED_OVER, pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import { TEST_CA } from '../../../../test/support/transports/tls/fixtures.ts';
import type { PushMessage } from '../port.ts';
import { transportContract } from '../testing/contract.ts';
import { type ApnsSettings, apnsTransport } from './apns.ts';
import { apnsPayload } from './payload.ts';
import { checkApns } from './settings.ts';
import { memorySharedToken } from './token.ts';

const good: ApnsSettings = {
  keyId: 'KEY0000001',
  teamId: 'TEAM000001',
  key: p8(),
  topic: 'com.example.app',
  environment: 'production',
};
const worlds = new WeakMap<object, ApnsWorld>();

transportContract<PushMessage, ApnsSettings>('APNs', {
  start: async () => {
    const world = await apnsWorld();
    worlds.set(world.standIn, world);
    return world.standIn;
  },
  make: (standIn, changes) => {
    const world = worlds.get(standIn);
    if (!world) throw new Error('The contract made no stand-in of ours.');
    return world.make(changes);
  },
  settings: good,
  broken: [
    { settings: { ...good, keyId: 'short' }, field: 'keyId' },
    { settings: { ...good, teamId: 'team000001' }, field: 'teamId' },
    { settings: { ...good, key: 'no key' }, field: 'key' },
    { settings: { ...good, topic: 'com.example/app' }, field: 'topic' },
  ],
});

const never = new AbortController().signal;

const open = async () => {
  const world = await apnsWorld();
  const transport = world.make();
  onTestFinished(async () => {
    await transport.close();
    await world.standIn.stop();
  });
  const send = (behaviour: ApnsBehaviour, changes: Partial<PushMessage> = {}) =>
    transport.send(pushMessage({ token: apnsToken(behaviour, changes.messageId), ...changes }), {
      signal: never,
      attempt: 1,
    });
  return { ...world, transport, send };
};

describe('the outcomes of APNs', () => {
  const dead = { result: 'failed', address: 'dead' };
  const kept = { result: 'failed', address: undefined };
  const expected: Readonly<Record<string, object>> = {
    BadDeviceToken: dead,
    Unregistered: { ...dead, deadSince: HANDED_OVER },
    ExpiredToken: { ...dead, deadSince: HANDED_OVER },
    ExpiredProviderToken: { result: 'credential' },
    InvalidProviderToken: { result: 'credential' },
    MissingProviderToken: { result: 'credential' },
    UnrelatedKeyIdInToken: { result: 'credential' },
    BadEnvironmentKeyIdInToken: { result: 'credential' },
    BadCertificate: { result: 'credential' },
    BadCertificateEnvironment: { result: 'credential' },
    Forbidden: { result: 'credential' },
    BadTopic: { result: 'credential' },
    TopicDisallowed: { result: 'credential' },
    TooManyRequests: { result: 'retry', processed: 'no' },
    TooManyProviderTokenUpdates: { result: 'retry', processed: 'no' },
    InternalServerError: { result: 'retry', processed: 'unknown' },
    ServiceUnavailable: { result: 'retry', processed: 'no' },
    Shutdown: { result: 'retry', processed: 'no' },
    SomethingNew502: { result: 'retry', processed: 'unknown' },
  };

  it('every APNs reason has the outcome of the table, with the reason as code', async () => {
    const { send } = await open();
    for (const reason of APNS_REASONS) {
      const outcome = await send(reason);
      expect({ address: undefined, ...outcome }).toMatchObject({ code: reason, ...(expected[reason] ?? kept) });
    }
  });

  it("an accepted outcome has Apple's id", async () => {
    const { send } = await open();
    const messageId = uuidOf('named');
    expect(await send('ok', { messageId })).toMatchObject({ result: 'accepted', providerId: messageId });
  });

  it('an APNs error with a garbage body is still an outcome', async () => {
    const { send } = await open();
    expect(await send('garbage-500')).toMatchObject({ result: 'retry', code: 'http_500' });
  });

  it('a broken stream leaves open what happened to the message', async () => {
    const { send } = await open();
    expect(await send('break-stream')).toMatchObject({ result: 'retry', processed: 'unknown' });
  });

  it('a stream that was refused three times was never processed', async () => {
    const { send, production } = await open();
    expect(await send('refuse-stream')).toMatchObject({ result: 'retry', code: 'refused', processed: 'no' });
    expect(production.read.size).toBe(0);
  });
});

describe('a device token', () => {
  it.each(['', '../../3/device/aa', 'ab'.repeat(31), 'a'.repeat(65), 'ab'.repeat(101), `${'ab'.repeat(32)}/x`])(
    'the device token %j is refused without a request',
    async (token) => {
      const { send, production } = await open();
      const outcome = await send('ok', { token });
      expect(outcome).toEqual({ result: 'failed', code: 'invalid_token', message: expect.any(String) });
      expect(production.connected()).toBe(0);
    },
  );

  it('a token of the wrong environment is tried on the other host once, and the outcome names the right one', async () => {
    const { send, production, sandbox } = await open();
    for (const apnsEnvironment of [null, 'production', 'sandbox'] as const) {
      const outcome = await send('sandbox-only', { apnsEnvironment, messageId: uuidOf(`${apnsEnvironment}`) });
      expect(outcome).toMatchObject({ result: 'accepted', apnsEnvironment: 'sandbox' });
    }
    expect(sandbox.arrived()).toHaveLength(3);
    expect(production.read.size).toBe(2);
  });

  it('a token is dead only if both hosts call it bad', async () => {
    const { send, production, sandbox } = await open();
    expect(await send('BadDeviceToken')).toMatchObject({ result: 'failed', address: 'dead' });
    expect([production.read.size, sandbox.read.size]).toEqual([1, 1]);
  });

  it('a token is dead if the key works only for its own host, and the credential is not blamed', async () => {
    const { production, sandbox, clock } = await open();
    const transport = apnsTransport(production.settings({ keyId: 'ONLYPROD00' }), {
      clock,
      random: () => 0.5,
      endpoints: { production: production.origin, sandbox: sandbox.origin },
      ca: TEST_CA,
    });
    onTestFinished(() => transport.close());
    const message = pushMessage({ token: apnsToken('BadDeviceToken') });
    const outcome = await transport.send(message, { signal: never, attempt: 1 });
    expect(outcome).toMatchObject({ result: 'failed', code: 'BadDeviceToken', address: 'dead' });
    expect(sandbox.read.size).toBe(1);
  });
});

describe('a payload for APNs', () => {
  it('an APNs payload of 4,096 bytes is sent, and one of 4,097 bytes fails without a request', async () => {
    const { send, production, standIn } = await open();
    const [fits, over] = [standIn.sized?.('fits', 0), standIn.sized?.('over', 1)];
    expect(Buffer.byteLength(apnsPayload(fits ?? pushMessage({ token: '' })))).toBe(4_096);
    expect(await send('ok', { ...fits })).toMatchObject({ result: 'accepted' });
    expect(await send('ok', { ...over })).toMatchObject({ result: 'failed', code: 'payload_too_large' });
    expect(production.read.size).toBe(1);
  });
});

describe('the provider token', () => {
  it('all messages use one provider token until it is 50 minutes old', async () => {
    const { send, clock, production } = await open();
    for (let minute = 0; minute < 60; minute += 7) {
      await send('ok', { messageId: uuidOf(`${minute}`) });
      clock.advance(7 * 60_000);
    }
    expect(production.tokens()).toBe(2);
    expect(production.arrived()).toHaveLength(9);
  });

  it('50 messages that fail together renew the provider token once, and each is accepted', async () => {
    const { send, clock, production } = await open();
    await send('ok');
    clock.advance(25 * 60_000);
    production.expireTokens();
    const ids = Array.from({ length: 50 }, (_, at) => uuidOf(`p-${at}`));
    const outcomes = await Promise.all(ids.map((messageId) => send('ok', { messageId })));
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['accepted']));
    expect(production.tokens()).toBe(2);
  });

  it('a new provider token that Apple calls expired is not renewed again', async () => {
    const { send, production } = await open();
    for (const name of ['a', 'b', 'c']) {
      expect(await send('ExpiredProviderToken', { messageId: uuidOf(name) })).toMatchObject({ result: 'credential' });
    }
    expect(production.tokens()).toBe(2);
  });

  it('two workers share one provider token, and one of them renews it', async () => {
    const { make, clock, production, standIn } = await open();
    const sharedToken = memorySharedToken();
    const workers = [make({ sharedToken }), make({ sharedToken })];
    onTestFinished(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    });
    const both = async (name: string): Promise<void> => {
      const sends = workers.map((worker, at) =>
        worker.send(standIn.message(`${name}-${at}`, 'accept'), { signal: never, attempt: 1 }),
      );
      for (const outcome of await Promise.all(sends)) expect(outcome.result).toBe('accepted');
    };
    await both('first');
    expect(production.tokens()).toBe(1);
    clock.advance(51 * 60_000);
    await both('aged');
    expect(production.tokens()).toBe(2);
    production.expireTokens();
    await both('expired');
    expect(production.tokens()).toBe(3);
  });

  it('a failure of the shared token blames neither the message nor the credential', async () => {
    const { make, standIn } = await open();
    const gone = () => Promise.reject(new Error('the database is away'));
    const transport = make({ sharedToken: { read: gone, replace: gone } });
    const outcome = await transport.send(standIn.message('m', 'accept'), { signal: never, attempt: 1 });
    expect(outcome).toMatchObject({ result: 'retry', code: 'token_unavailable', processed: 'no' });
  });
});

describe('settings of APNs', () => {
  it('APNs settings with a key of another curve or type are refused', () => {
    const notPem = checkApns({ ...good, key: good.key.replace('PRIVATE', 'PUBLIC') });
    expect(notPem.map(({ field }) => field)).toEqual(['key']);
  });
});
