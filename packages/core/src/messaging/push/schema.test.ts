import { describe, expect, it } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { addressRules } from '../../foundation/net/addresses.ts';
import { parseRegistration } from './schema.ts';

const device = { token: 'fcm:1', platform: 'android' };
const problemsOf = (body: unknown, rules?: EndpointRules): unknown => {
  try {
    parseRegistration(body, rules);
  } catch (error) {
    return (error as { details: { fieldErrors: unknown } }).details.fieldErrors;
  }
  return {};
};

describe('parseRegistration', () => {
  it('parseRegistration reads every field of a device', () => {
    const full = { userId: 'ann', locale: 'fr_BE', timezone: 'Europe/Brussels', appVersion: '1.2.3' };
    expect(parseRegistration({ ...device, ...full })).toMatchObject({
      token: 'fcm:1',
      platform: 'android',
      person: 'u:ann',
      locale: 'fr_BE',
      timezone: 'Europe/Brussels',
      appVersion: '1.2.3',
      fields: ['person', 'locale', 'timezone', 'appVersion'],
    });
  });

  it.each([
    'https://127.0.0.1/x',
    'https://0x7f000001/x',
    'https://[::1]/x',
    'https://10.0.0.7/x',
    'https://localhost/x',
    'https://push.example.com:0/x',
    'https://push.example.com:22/x',
    'https://a..b/x',
  ])('a subscription of the unreachable endpoint %s is rejected', (endpoint) => {
    const body = { token: subscriptionJson({ endpoint }), platform: 'web' };
    const rules = { addresses: addressRules() };
    expect(problemsOf(body, rules)).toEqual({ token: [expect.stringContaining('endpoint')] });
    expect(problemsOf({ ...body, token: subscriptionJson({}) }, rules)).toEqual({});
  });

  it('parseRegistration distinguishes an omitted field from null', () => {
    expect(parseRegistration(device)).toMatchObject({ person: null, locale: null, fields: [] });
    expect(parseRegistration({ ...device, userId: null, locale: null }).fields).toEqual(['person', 'locale']);
  });

  it('the userId is used if both ids are given, else the anonymousId', () => {
    expect(parseRegistration({ ...device, userId: 'ann', anonymousId: 'a1' }).person).toBe('u:ann');
    expect(parseRegistration({ ...device, anonymousId: 'a1' })).toMatchObject({ person: 'a:a1', fields: ['person'] });
    expect(parseRegistration({ ...device, userId: null, anonymousId: 'a1' }).person).toBe('a:a1');
  });

  it('the APNs environment is kept for iOS only', () => {
    const ios = { token: 'ab'.repeat(32), platform: 'ios', apnsEnvironment: 'sandbox' };
    expect(parseRegistration(ios)).toMatchObject({ apnsEnvironment: 'sandbox', fields: ['apnsEnvironment'] });
    expect(parseRegistration({ ...device, apnsEnvironment: 'sandbox' })).toMatchObject({
      apnsEnvironment: null,
      fields: [],
    });
  });

  it('unknown keys, and fields that a device may not set, are ignored', () => {
    const sent = { ...device, model: 'X', id: 'mine', orgId: 'o', isActive: false, createdAt: '2020-01-01' };
    expect(parseRegistration(sent)).toEqual(parseRegistration(device));
  });

  it('a browser is registered by the JSON of its subscription', () => {
    const read = parseRegistration({ token: subscriptionJson({}), platform: 'web' });
    expect(JSON.parse(read.token)).toMatchObject({ endpoint: 'https://push.example.com/send/abc' });
  });

  it.each([
    ['no token', { platform: 'ios' }, 'token'],
    ['an empty token', { ...device, token: '' }, 'token'],
    ['another platform', { ...device, platform: 'windows' }, 'platform'],
    ['a userId with U+0000', { ...device, userId: 'a\u0000' }, 'userId'],
    ['a userId that is too long', { ...device, userId: 'a'.repeat(257) }, 'userId'],
    ['an empty locale', { ...device, locale: '' }, 'locale'],
    ['a broken subscription', { token: subscriptionJson({ auth: 'x' }), platform: 'web' }, 'token'],
    ['no object', null, 'body'],
  ])('a registration with %s is rejected by field name', (_, body, field) => {
    expect(Object.keys(problemsOf(body) as object)).toEqual([field]);
  });

  it("a third-party bridge's token is rejected with an alternative", () => {
    const problems = problemsOf({ token: 'ExponentPushToken[x]', platform: 'ios' });
    expect(problems).toEqual({ token: [expect.stringContaining('webhook step')] });
  });

  it('an offset is accepted as a time zone and kept as an offset', () => {
    for (const timezone of ['GMT+05:30', 'UTC+5:30', '+05:30', '+0530', ' gmt+05:30 '])
      expect(parseRegistration({ ...device, timezone })).toMatchObject({ timezone: '+05:30', fields: ['timezone'] });
    expect(parseRegistration({ ...device, timezone: 'UTC+2' }).timezone).toBe('+02:00');
    expect(parseRegistration({ ...device, timezone: 'GMT-03:30' }).timezone).toBe('-03:30');
  });

  it('an unknown time zone is ignored and the token registered', () => {
    for (const timezone of [
      'Mars/Olympus',
      'Etc/Unknown',
      '',
      ' ',
      'UTC+99',
      '+05:75',
      'a\u0000',
      'x'.repeat(9_999),
      5,
      {},
    ])
      expect(parseRegistration({ ...device, timezone })).toMatchObject({ timezone: null, fields: [] });
    expect(parseRegistration({ ...device, timezone: null })).toMatchObject({ timezone: null, fields: ['timezone'] });
  });

  it('a time zone is accepted in any spelling that the runtime knows, repeatedly', () => {
    for (const timezone of ['Europe/Paris', 'europe/paris', 'UTC', 'Europe/Paris'])
      expect(parseRegistration({ ...device, timezone }).timezone).toBe(timezone);
  });
});
