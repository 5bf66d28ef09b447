import { describe, expect, it, onTestFinished } from 'vitest';
import { NUMBERS, type TelnyxApi, telnyxApi } from '../../../../test/support/transports/telnyx-api.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import type { SmsMessage } from '../port.ts';
import { type Behaviour, type Oddity, type StandIn, transportContract } from '../testing/contract.ts';
import { abortedAfter } from '../testing/turns.ts';
import { type TelnyxOptions, type TelnyxSettings, telnyxTransport } from './telnyx.ts';

const clock = virtualClock('2026-11-21T12:00:00Z');
const PROFILE = '16fd2706-8baf-433b-82eb-8c7fada847da';
const OTHER_PROFILE = '26fd2706-8baf-433b-82eb-8c7fada847da';

const FIRST: TelnyxSettings = { apiKey: 'KEY-first-secret', from: '+15005550006' };
const SECOND: TelnyxSettings = { apiKey: 'KEY-second-secret', messagingProfileId: PROFILE };
const WRONG: TelnyxSettings = { ...FIRST, apiKey: 'KEY-wrong-secret' };
const BY_NAME = { first: FIRST, second: SECOND, wrong: WRONG };
const keys = [FIRST.apiKey, SECOND.apiKey];

const PREFIX = '+155500000';
const sms = (messageId: string, ending: string, body = 'Hello'): SmsMessage => ({
  messageId,
  sendId: 's-1',
  to: PREFIX.slice(0, 12 - ending.length) + ending,
  from: null,
  messagingServiceId: null,
  body,
  mediaUrls: [],
  // Telnyx's API has no field for a caller's id, so the stand-in reads it from the callback URL.
  statusCallback: `https://beckon.test/callback?m=${messageId}`,
  validitySeconds: null,
});

const ENDINGS: Record<Behaviour, string> = {
  accept: '5',
  bounce: '40300',
  refuse: '40012',
  throttle: '10011',
  hang: NUMBERS.hang,
  drop: NUMBERS.drop,
};
const ODD: Record<Exclude<Oddity, 'reset-early' | 'reset-midway'>, string> = {
  'wait-seconds': '0003010011',
  'wait-date': '9999910011',
  'hang-body': NUMBERS.hangError,
  garbage: NUMBERS.garbage,
  empty: NUMBERS.empty,
  huge: NUMBERS.huge,
};

type Body = TelnyxApi['arrived'] extends () => readonly (infer A)[] ? A : never;
const idOf = ({ body }: Body): string => new URL(String(body['webhook_url'])).searchParams.get('m') ?? '';

const apis = new WeakMap<object, TelnyxApi>();

const started = async (): Promise<StandIn<SmsMessage>> => {
  const api = await telnyxApi({ keys, now: clock.now });
  const standIn: StandIn<SmsMessage> = {
    message: (messageId, behaviour, text) => sms(messageId, ENDINGS[behaviour], text),
    odd: (messageId, oddity) => {
      if (oddity === 'reset-early' || oddity === 'reset-midway') {
        api.dropNext(oddity === 'reset-early' ? 'connected' : 'headers');
        return sms(messageId, '5');
      }
      return sms(messageId, ODD[oddity]);
    },
    arrived: () => api.arrived().map((one) => ({ messageId: idOf(one), text: String(one.body['text']) })),
    cameBy: (messageId) => {
      const one = api.arrived().find((arrived) => idOf(arrived) === messageId);
      return { connection: one?.connection ?? '', credential: one?.authorization ?? '' };
    },
    sized: (messageId, over) => sms(messageId, '5', 'x'.repeat(1_600 + over)),
    peak: api.peak,
    connections: api.connections,
    open: api.open,
    silence: async () => api.silence(),
    vanish: api.vanish,
    secrets: ['+1555', 'first-secret', 'second-secret', 'wrong-secret'],
    stop: api.stop,
  };
  apis.set(standIn, api);
  return standIn;
};

transportContract<SmsMessage, TelnyxSettings>('telnyx', {
  settings: { ...FIRST, publicKey: 'A'.repeat(43).concat('='), messagingProfileId: PROFILE },
  start: started,
  make: (standIn, { credential = 'first', limitMs } = {}) => {
    const api = apis.get(standIn);
    if (!api) throw new Error('not a stand-in of this file');
    return telnyxTransport(BY_NAME[credential], { endpoint: api.endpoint, ca: api.ca, clock, limitMs });
  },
  broken: [
    { settings: { apiKey: '' }, field: 'apiKey' },
    { settings: { apiKey: 'with space' }, field: 'apiKey' },
    { settings: { ...FIRST, publicKey: 'short' }, field: 'publicKey' },
    { settings: { ...FIRST, from: '0049 30 1234' }, field: 'from' },
    { settings: { ...FIRST, from: 'Acme & Sons' }, field: 'from' },
    { settings: { ...FIRST, from: 'Acme' }, field: 'messagingProfileId' },
    { settings: { ...FIRST, messagingProfileId: 'MG1' }, field: 'messagingProfileId' },
  ],
  without: {
    restart: 'where HTTP/1.1 closes an idle connection, nobody knows whether a request on its way was read',
    logs: 'the transport writes no log',
  },
});

describe('a send through Telnyx', () => {
  const open = async (settings = FIRST, options: Partial<TelnyxOptions> = {}) => {
    const api = await telnyxApi({ keys, now: clock.now });
    const transport = telnyxTransport(settings, { endpoint: api.endpoint, ca: api.ca, clock, ...options });
    onTestFinished(async () => {
      await transport.close();
      await api.stop();
    });
    const send = (message: SmsMessage, signal = new AbortController().signal) =>
      transport.send(message, { signal, attempt: 1 });
    return { api, transport, send };
  };

  it('a Telnyx request has the documented JSON, and the outcome has the id and the segments', async () => {
    const { api, send } = await open();
    const mediaUrls = ['https://x.test/a.png?b=1&c=2', 'https://x.test/ü.png'];
    const outcome = await send({ ...sms('m-1', '5', 'a&b=c +é€😀\n'), mediaUrls, from: '+15005550009' });
    expect(outcome).toEqual({ result: 'accepted', providerId: expect.stringMatching(/^[0-9a-f-]{36}$/), segments: 2 });
    expect(api.arrived()[0]).toMatchObject({
      authorization: 'Bearer KEY-first-secret',
      body: {
        from: '+15005550009',
        to: '+1555000005',
        text: 'a&b=c +é€😀\n',
        media_urls: mediaUrls,
        webhook_url: 'https://beckon.test/callback?m=m-1',
      },
    });
    expect(Object.keys(api.arrived()[0]?.body ?? {})).toHaveLength(5);
  });

  it('the sender comes from the message, else from the settings, and a name is sent with its profile', async () => {
    const senderFrom = async (settings: TelnyxSettings, message: Partial<SmsMessage>) => {
      const { api, send } = await open(settings);
      const { result } = await send({ ...sms('m-1', '5'), statusCallback: null, ...message });
      const { to: _, text: __, ...rest } = api.arrived()[0]?.body ?? {};
      return [result, rest];
    };
    const { from: _, ...nameless } = FIRST;
    expect(await senderFrom(FIRST, {})).toEqual(['accepted', { from: '+15005550006' }]);
    expect(await senderFrom(FIRST, { from: '12345' })).toEqual(['accepted', { from: '12345' }]);
    expect(await senderFrom(FIRST, { messagingServiceId: OTHER_PROFILE })).toEqual([
      'accepted',
      { messaging_profile_id: OTHER_PROFILE },
    ]);
    expect(await senderFrom(SECOND, {})).toEqual(['accepted', { messaging_profile_id: PROFILE }]);
    expect(await senderFrom(SECOND, { from: 'Acme' })).toEqual([
      'accepted',
      { from: 'Acme', messaging_profile_id: PROFILE },
    ]);
    expect(await senderFrom(nameless, {})).toEqual(['failed', {}]);
  });

  it.each([
    ['40012', { result: 'failed', code: '40012' }],
    ['40300', { result: 'failed', code: '40300', address: 'opted_out', sender: FIRST.from }],
    ['10009', { result: 'credential', code: '10009' }],
    [NUMBERS.unauthorised, { result: 'credential', code: 'http_401' }],
    [NUMBERS.forbidden, { result: 'credential', code: '10010' }],
    [NUMBERS.forbiddenNumber, { result: 'failed', code: '40305' }],
    [NUMBERS.missing, { result: 'failed', code: '10005' }],
    ['0000010011', { result: 'retry', code: '10011', processed: 'no' }],
    ['0000710011', { result: 'retry', code: '10011', processed: 'no', retryAfterMs: 7_000 }],
    [NUMBERS.error, { result: 'retry', code: '10007', processed: 'unknown' }],
    [NUMBERS.busy, { result: 'retry', code: '10007', processed: 'no', isDown: true }],
    [NUMBERS.edgeError, { result: 'retry', code: 'http_503', processed: 'unknown' }],
    [NUMBERS.timeout, { result: 'retry', code: 'http_408', processed: 'unknown' }],
    [NUMBERS.redirect, { result: 'retry', code: 'http_307', processed: 'unknown' }],
    [NUMBERS.drop, { result: 'retry', processed: 'unknown' }],
    [NUMBERS.garbage, { result: 'accepted', providerId: null }],
    [NUMBERS.empty, { result: 'accepted', providerId: null }],
    [NUMBERS.huge, { result: 'accepted', providerId: null }],
    [NUMBERS.nothing, { result: 'accepted', providerId: null }],
    [NUMBERS.dropAccepted, { result: 'accepted', providerId: null }],
  ])('to a number that ends in %s comes to an outcome of the table after one request', async (ending, expected) => {
    const { api, send } = await open();
    const outcome = await send(sms('m-1', ending));
    expect(outcome).toMatchObject(expected);
    expect('retryAfterMs' in outcome).toBe('retryAfterMs' in expected);
    expect('address' in outcome).toBe('address' in expected);
    expect(api.requests()).toBe(1);
  });

  it('a Telnyx response whose body never arrives is decided by its status', async () => {
    const { send } = await open();
    const late = () => abortedAfter(500);
    expect(await send(sms('m-1', NUMBERS.hangAccepted), late())).toEqual({ result: 'accepted', providerId: null });
    expect(await send(sms('m-2', NUMBERS.hangBusy), late())).toMatchObject({
      result: 'retry',
      code: 'http_429',
      processed: 'no',
      retryAfterMs: 7_000,
    });
    expect(await send(sms('m-3', NUMBERS.hang), late())).toMatchObject({
      result: 'retry',
      code: 'timeout',
      processed: 'unknown',
    });
  });

  it('a Telnyx peer with an untrusted certificate receives nothing', async () => {
    const { api, send } = await open(FIRST, { ca: undefined });
    expect(await send(sms('m-1', '5'))).toMatchObject({ result: 'retry', processed: 'no' });
    expect(api.requests()).toBe(0);
  });

  it("the path of the operator's Telnyx endpoint precedes the API path", async () => {
    const { api } = await open();
    const relay = telnyxTransport(FIRST, { endpoint: `${api.endpoint}/relay/`, ca: api.ca, clock });
    onTestFinished(() => relay.close());
    // The stand-in does not serve this path.
    const at = await relay.send(sms('m-1', '5'), { signal: abortedAfter(1_000), attempt: 1 });
    expect(at).toMatchObject({ result: 'failed', code: '10005' });
    expect(api.requests()).toBe(1);
  });

  it('a Telnyx probe tests unsaved settings without a recipient', async () => {
    const { api, transport } = await open();
    expect(await transport.probe?.(SECOND)).toEqual({ result: 'accepted', providerId: null });
    expect(await transport.probe?.(WRONG)).toMatchObject({ result: 'credential', code: '10009' });
    expect(await transport.probe?.({ apiKey: '' })).toMatchObject({ result: 'credential', code: 'settings_invalid' });
    expect(api.arrived()).toEqual([]);
    expect(api.requests()).toBe(2);
  });
});
