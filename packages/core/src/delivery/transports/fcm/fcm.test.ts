import { describe, expect, it, onTestFinished } from 'vitest';
import { type FcmBehaviour, fcmToken, rsaKey } from '../../../../test/support/transports/fcm-peer.ts';
import { type FcmWorld, fcmWorld } from '../../../../test/support/transports/fcm-stand-in.ts';
import { pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import type { PushMessage } from '../port.ts';
import { transportContract } from '../testing/contract.ts';
import { turnsUntil } from '../testing/turns.ts';
import { accessTokens } from './access-token.ts';
import { type FcmSettings, fcmTransport } from './fcm.ts';
import { checkFcm } from './settings.ts';

const good: FcmSettings = {
  serviceAccount: {
    project_id: 'example-1',
    client_email: 'sender@example-1.iam.gserviceaccount.com',
    private_key: rsaKey(0),
    token_uri: 'https://oauth2.googleapis.com/token',
  },
};
const changed = (changes: Partial<FcmSettings['serviceAccount']>): FcmSettings => ({
  serviceAccount: { ...good.serviceAccount, ...changes },
});
const TOKEN_URI_REASON = 'serviceAccount.token_uri';
const worlds = new WeakMap<object, FcmWorld>();

transportContract<PushMessage, FcmSettings>('FCM', {
  start: async () => {
    const world = await fcmWorld();
    worlds.set(world.standIn, world);
    return world.standIn;
  },
  make: (standIn, changes) => {
    const world = worlds.get(standIn);
    if (!world) throw new Error('The contract made no stand-in of ours.');
    const transport = world.make(changes);
    // The stand-in allows only its own token URI; settings are checked with Google's here.
    return { ...transport, check: (settings) => checkFcm(settings) };
  },
  settings: good,
  broken: [
    { settings: changed({ project_id: '../x' }), field: 'serviceAccount.project_id' },
    { settings: changed({ client_email: 'nobody' }), field: 'serviceAccount.client_email' },
    { settings: changed({ private_key: 'no key' }), field: 'serviceAccount.private_key' },
    { settings: changed({ token_uri: 'https://oauth2.googleapis.com.example/token' }), field: TOKEN_URI_REASON },
  ],
});

const never = new AbortController().signal;

const open = async (changes: Parameters<FcmWorld['make']>[0] = {}) => {
  const world = await fcmWorld();
  const transport = world.make(changes);
  onTestFinished(async () => {
    await transport.close();
    await world.standIn.stop();
  });
  const send = (behaviour: FcmBehaviour, message: Partial<PushMessage> = {}, signal = never) =>
    transport.send(pushMessage({ token: fcmToken(behaviour, message.messageId), platform: 'android', ...message }), {
      signal,
      attempt: 1,
    });
  return { ...world, transport, send };
};

describe('the outcomes of FCM', () => {
  const dead = { result: 'failed', address: 'dead' };
  const kept = { result: 'failed', address: undefined };
  const wait = (processed: 'no' | 'unknown', retryAfterMs?: number) => ({ result: 'retry', processed, retryAfterMs });
  it.each([
    ['unregistered', { ...dead, code: 'UNREGISTERED' }],
    ['not-found', { result: 'credential', code: 'NOT_FOUND' }],
    ['bad-token', { ...dead, code: 'INVALID_ARGUMENT' }],
    ['bad-token-field', dead],
    ['bad-field', kept],
    ['bad-argument', kept],
    ['bad-json', kept],
    ['sender-mismatch', { ...kept, code: 'SENDER_ID_MISMATCH' }],
    ['quota', wait('no', 60_000)],
    ['quota-wait', wait('no', 7_000)],
    ['unavailable', wait('no')],
    ['unavailable-wait', wait('no', 30_000)],
    ['internal', wait('unknown')],
    ['third-party', { result: 'credential', code: 'THIRD_PARTY_AUTH_ERROR' }],
    ['unauthenticated', { result: 'credential' }],
    ['forbidden', { result: 'credential' }],
    ['new-400', { ...kept, code: 'SOMETHING_NEW' }],
    ['new-500', wait('unknown')],
    ['garbage-500', { ...wait('unknown'), code: 'http_500' }],
  ] as const)('are those of the table for %s', async (behaviour, expected) => {
    const { send } = await open();
    const outcome = await send(behaviour);
    expect({ address: undefined, retryAfterMs: undefined, ...outcome }).toMatchObject(expected);
  });

  it('an accepted FCM outcome has the message name', async () => {
    const { send } = await open();
    expect(await send('ok')).toEqual({ result: 'accepted', providerId: 'projects/project-first/messages/0:1' });
  });

  it('an FCM answer without a name is accepted', async () => {
    const { send } = await open();
    expect(await send('garbage')).toEqual({ result: 'accepted', providerId: null });
  });
});

describe('the access token of FCM', () => {
  it('100 first messages exchange one access token', async () => {
    const { send, peer } = await open();
    const ids = Array.from({ length: 100 }, (_, at) => uuidOf(`p-${at}`));
    const outcomes = await Promise.all(ids.map((messageId) => send('ok', { messageId })));
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['accepted']));
    expect(peer.tokens.exchanges()).toBe(1);
  });

  it('an access token is used until 5 minutes before its expiry', async () => {
    const { send, peer, clock } = await open();
    await send('ok');
    clock.advance(54 * 60_000);
    await send('ok');
    expect(peer.tokens.exchanges()).toBe(1);
    clock.advance(2 * 60_000);
    await send('ok');
    expect(peer.tokens.exchanges()).toBe(2);
  });

  it('50 messages that are refused together renew the access token once, and each is accepted', async () => {
    const { send, peer } = await open();
    await send('ok');
    peer.tokens.expireTokens();
    const ids = Array.from({ length: 50 }, (_, at) => uuidOf(`p-${at}`));
    const outcomes = await Promise.all(ids.map((messageId) => send('ok', { messageId })));
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['accepted']));
    expect(peer.tokens.exchanges()).toBe(2);
  });

  it('a refused access token is not used again while no other is available', async () => {
    const { send, peer } = await open();
    await send('ok');
    peer.tokens.expireTokens();
    peer.tokens.answerWith({ status: 503, body: '' });
    expect(await send('ok')).toMatchObject({ result: 'retry', code: 'token_unavailable' });
    expect(await send('ok')).toMatchObject({ result: 'retry', code: 'token_unavailable' });
    expect(peer.requests()).toBe(2);
  });

  it('a message refused after the renewal does not renew the access token again', async () => {
    const { peer, clock, settings } = await open();
    const net = { allowCidrs: ['127.0.0.0/8'] };
    const tokens = accessTokens(settings.serviceAccount, { clock, random: () => 0.5, net });
    onTestFinished(() => tokens.close());
    const first = await tokens.current();
    const refused = first.kind === 'token' ? first.token : '';
    const second = await tokens.renew(refused);
    expect(await tokens.renew(refused)).toEqual(second);
    expect(second).not.toEqual(first);
    expect(peer.tokens.exchanges()).toBe(2);
  });

  it('a message renews the access token once, and then the credential is refused', async () => {
    const { send, peer } = await open();
    expect(await send('unauthenticated')).toMatchObject({ result: 'credential' });
    expect([peer.tokens.exchanges(), peer.requests()]).toEqual([2, 2]);
  });

  it('refused credentials of another platform do not renew the access token', async () => {
    const { send, peer } = await open();
    await send('third-party');
    expect([peer.tokens.exchanges(), peer.requests()]).toEqual([1, 1]);
  });

  it('after a 503 from the token endpoint, later sends do not ask again', async () => {
    const { send, peer } = await open();
    peer.tokens.answerWith({ status: 503, body: 'busy', headers: { 'retry-after': '20' } });
    expect(await send('ok')).toMatchObject({ result: 'retry', processed: 'no', retryAfterMs: 20_000 });
    expect(await send('ok')).toMatchObject({ result: 'retry', processed: 'no' });
    expect([peer.tokens.exchanges(), peer.requests()]).toEqual([1, 0]);
  });

  it.each([
    ['an answer that is no JSON', { status: 200, body: '<html>' }],
    ['a token with a line break', { status: 200, body: JSON.stringify({ access_token: 'a\r\nb', expires_in: 9 }) }],
    ['a redirect elsewhere', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
  ] as const)('is not taken from %s', async (_, answer) => {
    const { send, peer } = await open();
    peer.tokens.answerWith(answer);
    expect(['retry', 'credential']).toContain((await send('ok')).result);
    expect(peer.requests()).toBe(0);
  });

  it('an exchange that hangs is left when the send is aborted and when the transport closes', async () => {
    const { send, peer, transport } = await open();
    peer.tokens.answerWith('hang');
    const controller = new AbortController();
    const sending = send('ok', {}, controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 40));
    controller.abort();
    expect(await turnsUntil(sending)).toBeLessThan(500);
    expect(await sending).toMatchObject({ result: 'retry', code: 'timeout', processed: 'no' });
    expect(await turnsUntil(transport.close())).toBeLessThan(500);
  });
});

describe('a message to FCM', () => {
  it('an FCM message of 4,096 bytes is sent, and one of 4,097 bytes fails without a request', async () => {
    const { send, peer, standIn } = await open();
    const [fits, over] = [standIn.sized?.('fits', 0), standIn.sized?.('over', 1)];
    expect(await send('ok', { ...fits })).toMatchObject({ result: 'accepted' });
    expect(Buffer.byteLength(JSON.stringify(peer.arrived()[0]?.message))).toBe(4_096);
    expect(await send('ok', { ...over })).toMatchObject({ result: 'failed', code: 'payload_too_large' });
    expect(peer.requests()).toBe(1);
  });

  it('a service account with another token URI sends nothing', async () => {
    const { peer } = await open();
    const { serviceAccount } = peer.settings('third');
    const strict = fcmTransport({ serviceAccount }, { clock: { now: () => new Date() }, random: () => 0.5 });
    onTestFinished(() => strict.close());
    const outcome = await strict.send(pushMessage({ token: 'x' }), { signal: never, attempt: 1 });
    expect(outcome).toMatchObject({ result: 'credential', code: 'invalid_settings' });
    expect(peer.tokens.exchanges()).toBe(0);
    expect(strict.check({ serviceAccount }).map(({ field }) => field)).toEqual([TOKEN_URI_REASON]);
  });

  it.each(['from', 'message_type', 'gcm.notification.x', 'google.c.a'])(
    'FCM data with the reserved key %s fails without a request',
    async (key) => {
      const { send, peer } = await open();
      expect(await send('ok', { data: { [key]: 'x' } })).toMatchObject({ result: 'failed', code: 'reserved_data_key' });
      expect(peer.connected()).toBe(0);
    },
  );

  it('a Retry-After of 30 s is an outcome and does not delay the call', async () => {
    const { send } = await open();
    expect(await turnsUntil(send('unavailable-wait'))).toBeLessThan(1_000);
  });
});
