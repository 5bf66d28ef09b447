import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NUMBERS, type TwilioApi, twilioApi } from '../../../../test/support/transports/twilio-api.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import type { SmsMessage } from '../port.ts';
import { type Behaviour, type Oddity, type StandIn, transportContract } from '../testing/contract.ts';
import { abortedAfter } from '../testing/turns.ts';
import { type TwilioOptions, type TwilioSettings, twilioTransport } from './twilio.ts';

const clock = virtualClock('2026-11-21T12:00:00Z');
const hex = (digit: string): string => digit.repeat(32);

const FIRST: TwilioSettings = {
  accountSid: `AC${hex('1')}`,
  apiKeySid: `SK${hex('2')}`,
  apiKeySecret: 'first-secret',
  from: '+15005550006',
};
const SECOND: TwilioSettings = { accountSid: `AC${hex('3')}`, authToken: 'second-secret', from: 'Acme' };
const WRONG: TwilioSettings = { ...FIRST, apiKeySecret: 'wrong-secret' };
const BY_NAME = { first: FIRST, second: SECOND, wrong: WRONG };

const accounts = {
  [FIRST.accountSid]: { [FIRST.apiKeySid ?? '']: 'first-secret' },
  [SECOND.accountSid]: { [SECOND.accountSid]: 'second-secret' },
};

const PREFIX = '+155500000';
const sms = (messageId: string, ending: string, body = 'Hello'): SmsMessage => ({
  messageId,
  sendId: 's-1',
  to: PREFIX.slice(0, 12 - ending.length) + ending,
  from: null,
  messagingServiceId: null,
  body,
  mediaUrls: [],
  // Twilio's API has no field for a caller's id, so the stand-in reads it from the callback URL.
  statusCallback: `https://beckon.test/callback?m=${messageId}`,
  validitySeconds: null,
});

const ENDINGS: Record<Behaviour, string> = {
  accept: '5',
  bounce: '21610',
  refuse: '21211',
  throttle: '20429',
  hang: NUMBERS.hang,
  drop: NUMBERS.drop,
};
const ODD: Record<Exclude<Oddity, 'reset-early' | 'reset-midway'>, string> = {
  'wait-seconds': '0003020429',
  'wait-date': '9999920429',
  'hang-body': NUMBERS.hangError,
  garbage: NUMBERS.garbage,
  empty: NUMBERS.empty,
  huge: NUMBERS.huge,
};

const fieldOf = (form: readonly (readonly [string, string])[], name: string): string =>
  form.find(([key]) => key === name)?.[1] ?? '';
const idOf = (form: readonly (readonly [string, string])[]): string =>
  new URL(fieldOf(form, 'StatusCallback')).searchParams.get('m') ?? '';

const apis = new WeakMap<object, TwilioApi>();

const started = async (): Promise<StandIn<SmsMessage>> => {
  const api = await twilioApi({ accounts, now: clock.now });
  const standIn: StandIn<SmsMessage> = {
    message: (messageId, behaviour, text) => sms(messageId, ENDINGS[behaviour], text),
    odd: (messageId, oddity) => {
      if (oddity === 'reset-early' || oddity === 'reset-midway') {
        api.dropNext(oddity === 'reset-early' ? 'connected' : 'headers');
        return sms(messageId, '5');
      }
      return sms(messageId, ODD[oddity]);
    },
    arrived: () => api.arrived().map(({ form }) => ({ messageId: idOf(form), text: fieldOf(form, 'Body') })),
    cameBy: (messageId) => {
      const { connection, authorization } = api.arrived().find(({ form }) => idOf(form) === messageId) ?? {
        connection: '',
        authorization: '',
      };
      return { connection, credential: authorization };
    },
    sized: (messageId, over) => sms(messageId, '5', 'x'.repeat(1_600 + over)),
    peak: api.peak,
    connections: api.connections,
    open: api.open,
    silence: async () => api.silence(),
    vanish: api.vanish,
    secrets: ['+1555', 'first-secret', 'second-secret', 'wrong-secret', FIRST.accountSid],
    stop: api.stop,
  };
  apis.set(standIn, api);
  return standIn;
};

transportContract<SmsMessage, TwilioSettings>('twilio', {
  settings: FIRST,
  start: started,
  make: (standIn, { credential = 'first', limitMs } = {}) => {
    const api = apis.get(standIn);
    if (!api) throw new Error('not a stand-in of this file');
    return twilioTransport(BY_NAME[credential], { endpoint: api.endpoint, ca: api.ca, clock, limitMs });
  },
  broken: [
    { settings: { ...FIRST, accountSid: 'AC../x' }, field: 'accountSid' },
    { settings: { ...FIRST, accountSid: FIRST.apiKeySid ?? '' }, field: 'accountSid' },
    { settings: { ...FIRST, apiKeySid: undefined }, field: 'apiKeySid' },
    { settings: { ...FIRST, apiKeySecret: '' }, field: 'apiKeySecret' },
    { settings: { accountSid: FIRST.accountSid }, field: 'authToken' },
    { settings: { accountSid: FIRST.accountSid, authToken: 'with space' }, field: 'authToken' },
    { settings: { ...FIRST, from: '0049 30 1234' }, field: 'from' },
    { settings: { ...FIRST, messagingServiceId: `MG${hex('4')}` }, field: 'messagingServiceId' },
    { settings: { ...SECOND, from: undefined, messagingServiceId: 'MG1' }, field: 'messagingServiceId' },
  ],
  without: {
    restart: 'where HTTP/1.1 closes an idle connection, nobody knows whether a request on its way was read',
    logs: 'the transport writes no log',
  },
});

describe('a send through Twilio', () => {
  const open = async (settings = FIRST, options: Partial<TwilioOptions> = {}) => {
    const api = await twilioApi({ accounts, now: clock.now });
    const transport = twilioTransport(settings, { endpoint: api.endpoint, ca: api.ca, clock, ...options });
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await transport.close();
      await api.stop();
    });
    const send = (message: SmsMessage, signal = new AbortController().signal) =>
      transport.send(message, { signal, attempt: 1 });
    return { api, transport, send };
  };

  it('a Twilio request has the documented form, with each field once and one field per media URL', async () => {
    const { api, send } = await open();
    const mediaUrls = ['https://x.test/a.png?b=1&c=2', 'https://x.test/ü.png'];
    const more = { mediaUrls, from: '+15005550009', validitySeconds: 600 };
    const outcome = await send({ ...sms('m-1', '5', 'a&b=c +é€😀\n'), ...more });
    expect(outcome).toEqual({ result: 'accepted', providerId: expect.stringMatching(/^SM\d{32}$/), segments: 2 });
    expect(api.arrived()).toEqual([
      {
        accountSid: FIRST.accountSid,
        authorization: `Basic ${btoa(`${FIRST.apiKeySid}:first-secret`)}`,
        connection: 'c1',
        form: [
          ['To', '+1555000005'],
          ['StatusCallback', 'https://beckon.test/callback?m=m-1'],
          ['ValidityPeriod', '600'],
          ['From', '+15005550009'],
          ['Body', 'a&b=c +é€😀\n'],
          ['MediaUrl', mediaUrls[0]],
          ['MediaUrl', mediaUrls[1]],
        ],
        headers: expect.objectContaining({ 'content-type': 'application/x-www-form-urlencoded' }),
      },
    ]);
  });

  it('the sender comes from the message, else from the settings of Twilio', async () => {
    const service = `MG${hex('5')}`;
    const { from: _, ...nameless } = FIRST;
    const senderFrom = async (settings: TwilioSettings, message: Partial<SmsMessage>) => {
      const { api, send } = await open(settings);
      const { result } = await send({ ...sms('m-1', '5'), statusCallback: null, ...message });
      return [result, ...(api.arrived()[0]?.form ?? []).filter(([name]) => name !== 'To' && name !== 'Body')];
    };
    expect(await senderFrom(FIRST, {})).toEqual(['accepted', ['From', '+15005550006']]);
    expect(await senderFrom(FIRST, { messagingServiceId: service })).toEqual([
      'accepted',
      ['MessagingServiceSid', service],
    ]);
    const byService = { ...nameless, messagingServiceId: service };
    expect(await senderFrom(byService, {})).toEqual(['accepted', ['MessagingServiceSid', service]]);
    expect(await senderFrom(byService, { from: '12345' })).toEqual(['accepted', ['From', '12345']]);
    expect(await senderFrom(nameless, {})).toEqual(['failed']);
  });

  it.each([
    ['21211', { result: 'failed', code: '21211' }],
    ['21408', { result: 'failed', code: '21408' }],
    ['21612', { result: 'failed', code: '21612' }],
    ['21614', { result: 'failed', code: '21614' }],
    ['21999', { result: 'failed', code: '21999' }],
    ['21610', { result: 'failed', code: '21610', address: 'opted_out', sender: FIRST.from }],
    ['20003', { result: 'credential', code: '20003' }],
    [NUMBERS.forbidden, { result: 'credential', code: 'http_403' }],
    [NUMBERS.missing, { result: 'credential', code: '20404' }],
    [NUMBERS.missingService, { result: 'failed', code: '20404' }],
    [NUMBERS.missingPage, { result: 'failed', code: 'http_404' }],
    [NUMBERS.conflict, { result: 'failed', code: 'http_409' }],
    ['0000020429', { result: 'retry', code: '20429', processed: 'no' }],
    ['0000720429', { result: 'retry', code: '20429', processed: 'no', retryAfterMs: 7_000 }],
    ['9999920429', { result: 'retry', code: '20429', processed: 'no', retryAfterMs: 30_000 }],
    [NUMBERS.error, { result: 'retry', code: '20500', processed: 'unknown' }],
    [NUMBERS.gateway, { result: 'retry', code: '20502', processed: 'unknown' }],
    [NUMBERS.busy, { result: 'retry', code: '20503', processed: 'no', isDown: true }],
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

  it('a Twilio response whose body never arrives is decided by its status', async () => {
    const { send } = await open();
    const late = () => abortedAfter(500);
    expect(await send(sms('m-1', NUMBERS.hangAccepted), late())).toEqual({ result: 'accepted', providerId: null });
    expect(await send(sms('m-2', NUMBERS.hangBusy), late())).toMatchObject({
      result: 'retry',
      code: 'http_429',
      processed: 'no',
      retryAfterMs: 7_000,
    });
    expect(await send(sms('m-4', NUMBERS.hangError), late())).toMatchObject({
      result: 'retry',
      code: 'http_503',
      processed: 'unknown',
    });
    expect(await send(sms('m-3', NUMBERS.hang), late())).toMatchObject({
      result: 'retry',
      code: 'timeout',
      processed: 'unknown',
    });
  });

  it('the waits of 32 concurrent Twilio answers are not mixed up', async () => {
    const { send } = await open();
    const seconds = Array.from({ length: 32 }, (_, at) => at + 1);
    const outcomes = await Promise.all(
      seconds.map((wait) => send(sms(`m-${wait}`, `${String(wait).padStart(5, '0')}20429`))),
    );
    expect(outcomes.map((outcome) => 'retryAfterMs' in outcome && outcome.retryAfterMs)).toEqual(
      seconds.map((wait) => wait * 1_000),
    );
  });

  it('a send that was aborted while connecting never reaches Twilio', async () => {
    const { api, send } = await open();
    api.silence();
    const patient = send(sms('m-2', '5'));
    const controller = new AbortController();
    const left = send(sms('m-1', '5'), controller.signal);
    await vi.waitUntil(() => api.open() === 2);
    controller.abort();
    expect(await left).toMatchObject({ result: 'retry', code: 'timeout', processed: 'no' });
    api.speak();
    expect(await patient).toMatchObject({ result: 'accepted' });
    expect(await send(sms('m-3', '5'))).toMatchObject({ result: 'accepted' });
    expect(api.arrived().map(({ form }) => idOf(form))).toEqual(['m-2', 'm-3']);
  });

  it('a Twilio peer that is slow to connect is waited for', async () => {
    const { api, send } = await open();
    api.silence();
    const sending = send(sms('m-1', '5'));
    await vi.waitUntil(() => api.open() === 1);
    api.speak();
    expect(await sending).toMatchObject({ result: 'accepted' });
  });

  it('a Twilio peer with an untrusted certificate receives nothing', async () => {
    const { api, send } = await open(FIRST, { ca: undefined });
    expect(await send(sms('m-1', '5'))).toMatchObject({
      result: 'retry',
      code: expect.stringMatching(/CERT|SIGNATURE/),
      processed: 'no',
    });
    expect(api.requests()).toBe(0);
  });

  it('settings without credentials use none from the environment', async () => {
    const { api, transport, send } = await open({ accountSid: FIRST.accountSid, from: 'Acme' });
    vi.stubEnv('TWILIO_ACCOUNT_SID', FIRST.apiKeySid ?? '');
    vi.stubEnv('TWILIO_AUTH_TOKEN', 'first-secret');
    expect(await send(sms('m-1', '5'))).toMatchObject({ result: 'credential', code: 'settings_invalid' });
    expect(await transport.probe?.({ accountSid: FIRST.accountSid })).toMatchObject({ result: 'credential' });
    expect(api.requests()).toBe(0);
  });

  it("requests use the settings' credentials and host, whatever the environment holds", async () => {
    vi.stubEnv('TWILIO_ACCOUNT_SID', SECOND.accountSid);
    vi.stubEnv('TWILIO_AUTH_TOKEN', 'second-secret');
    vi.stubEnv('TWILIO_EDGE', 'sydney');
    vi.stubEnv('TWILIO_REGION', 'au1');
    vi.stubEnv('TWILIO_LOG_LEVEL', 'debug');
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    const log = vi.spyOn(console, 'log');
    onTestFinished(() => log.mockRestore());
    const { api, send } = await open();
    expect(await send(sms('m-1', '5'))).toMatchObject({ result: 'accepted' });
    expect(api.arrived()[0]).toMatchObject({ accountSid: FIRST.accountSid });
    expect(log).not.toHaveBeenCalled();
  });

  it('a missing SDK names the package to install, and is found once it is installed', async () => {
    let isThere = false;
    const { default: twilio } = await import('twilio');
    const { api, send } = await open(FIRST, {
      load: async () => {
        if (!isThere) throw Object.assign(new Error("Cannot find package 'twilio'"), { code: 'ERR_MODULE_NOT_FOUND' });
        // Proof of the cast: the transport imports this package itself.
        return twilio as never;
      },
    });
    const outcome = await send(sms('m-1', '5'));
    expect(outcome).toMatchObject({ result: 'credential', code: 'package_missing' });
    expect(outcome).toHaveProperty('message', expect.stringContaining('npm install twilio'));
    expect(api.requests()).toBe(0);
    isThere = true;
    expect(await send(sms('m-1', '5'))).toMatchObject({ result: 'accepted' });
  });

  it('the SDK is imported once, by the first send', async () => {
    const { default: twilio } = await import('twilio');
    let loads = 0;
    const { send } = await open(FIRST, {
      load: async () => {
        loads += 1;
        // Proof of the cast: the transport imports this package itself.
        return twilio as never;
      },
    });
    expect(await send(sms('m-1', '5', 'x'.repeat(1_601)))).toMatchObject({ result: 'failed', code: 'too_long' });
    expect(loads).toBe(0);
    await Promise.all([send(sms('m-2', '5')), send(sms('m-3', '5'))]);
    expect(loads).toBe(1);
  });

  it("requests go only to Twilio's host and the operator's", async () => {
    const { api, send } = await open(FIRST, {
      load:
        async () =>
        (_user, _secret, { httpClient }) => ({
          messages: {
            create: async () => {
              await httpClient.request({ method: 'post', uri: 'https://api.twilio.com.evil.test/', data: {} });
              return { sid: 'SM1', numSegments: '1' };
            },
            page: async () => undefined,
          },
        }),
    });
    expect(await send(sms('m-1', '5'))).toMatchObject({ result: 'retry', code: 'host_refused', processed: 'no' });
    expect(api.requests()).toBe(0);
  });

  it('at most 64 KiB of a Twilio answer are read', async () => {
    let length = 0;
    const { send } = await open(FIRST, {
      load:
        async () =>
        (username, password, { accountSid, httpClient }) => ({
          messages: {
            create: async (data) => {
              const uri = `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Messages.json`;
              const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
              const form = { To: data['to'] };
              const request = { method: 'post', uri, username, password, headers, data: form };
              length = (await httpClient.request(request)).body.length;
              return { sid: 'SM1', numSegments: '0' };
            },
            page: async () => undefined,
          },
        }),
    });
    expect(await send(sms('m-1', NUMBERS.huge))).toEqual({ result: 'accepted', providerId: 'SM1' });
    expect(length).toBe(65_536);
  });

  it("the path of the operator's Twilio endpoint precedes the API path", async () => {
    const { api, send } = await open();
    const { transport: relay } = await open(FIRST, { endpoint: `${api.endpoint}/relay/`, ca: api.ca });
    const at = await relay.send(sms('m-1', '5'), { signal: abortedAfter(1_000), attempt: 1 });
    // The stand-in does not serve this path and has no account there.
    expect(at).toMatchObject({ result: 'credential', code: '20003' });
    expect(await send(sms('m-2', '5'))).toMatchObject({ result: 'accepted' });
    expect(api.requests()).toBe(2);
  });

  it('a Twilio probe tests unsaved settings without a recipient', async () => {
    const { api, transport } = await open();
    expect(await transport.probe?.(SECOND)).toEqual({ result: 'accepted', providerId: null });
    expect(await transport.probe?.(WRONG)).toMatchObject({ result: 'credential', code: '20003' });
    expect(api.arrived()).toEqual([]);
    expect(api.requests()).toBe(2);
  });
});
