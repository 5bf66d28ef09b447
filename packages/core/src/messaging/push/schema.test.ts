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
  it('reads a device with everything that it may say', () => {
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
  ])('refuses a subscription of %s, which nobody could be connected to', (endpoint) => {
    const body = { token: subscriptionJson({ endpoint }), platform: 'web' };
    const rules = { addresses: addressRules() };
    expect(problemsOf(body, rules)).toEqual({ token: [expect.stringContaining('endpoint')] });
    expect(problemsOf({ ...body, token: subscriptionJson({}) }, rules)).toEqual({});
  });

  it('tells a field that is left out from one that is null', () => {
    expect(parseRegistration(device)).toMatchObject({ person: null, locale: null, fields: [] });
    expect(parseRegistration({ ...device, userId: null, locale: null }).fields).toEqual(['person', 'locale']);
  });

  it('takes the user where both ids are given, and somebody anonymous where only that one is', () => {
    expect(parseRegistration({ ...device, userId: 'ann', anonymousId: 'a1' }).person).toBe('u:ann');
    expect(parseRegistration({ ...device, anonymousId: 'a1' })).toMatchObject({ person: 'a:a1', fields: ['person'] });
    expect(parseRegistration({ ...device, userId: null, anonymousId: 'a1' }).person).toBe('a:a1');
  });

  it('keeps the APNs environment of iOS alone', () => {
    const ios = { token: 'ab'.repeat(32), platform: 'ios', apnsEnvironment: 'sandbox' };
    expect(parseRegistration(ios)).toMatchObject({ apnsEnvironment: 'sandbox', fields: ['apnsEnvironment'] });
    expect(parseRegistration({ ...device, apnsEnvironment: 'sandbox' })).toMatchObject({
      apnsEnvironment: null,
      fields: [],
    });
  });

  it('ignores keys that it does not know, and fields that are not the device\u2019s to say', () => {
    const sent = { ...device, model: 'X', id: 'mine', orgId: 'o', isActive: false, createdAt: '2020-01-01' };
    expect(parseRegistration(sent)).toEqual(parseRegistration(device));
  });

  it('reads a browser by the JSON of its subscription', () => {
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
  ])('refuses %s by its name', (_, body, field) => {
    expect(Object.keys(problemsOf(body) as object)).toEqual([field]);
  });

  it('refuses a token of a bridge with a way out', () => {
    const problems = problemsOf({ token: 'ExponentPushToken[x]', platform: 'ios' });
    expect(problems).toEqual({ token: [expect.stringContaining('webhook step')] });
  });

  it('takes an offset as a zone, and keeps it as that offset', () => {
    for (const timezone of ['GMT+05:30', 'UTC+5:30', '+05:30', '+0530', ' gmt+05:30 '])
      expect(parseRegistration({ ...device, timezone })).toMatchObject({ timezone: '+05:30', fields: ['timezone'] });
    expect(parseRegistration({ ...device, timezone: 'UTC+2' }).timezone).toBe('+02:00');
    expect(parseRegistration({ ...device, timezone: 'GMT-03:30' }).timezone).toBe('-03:30');
  });

  it('ignores any other zone, and takes the token', () => {
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

  it('takes a zone in any spelling that the runtime knows, again and again', () => {
    for (const timezone of ['Europe/Paris', 'europe/paris', 'UTC', 'Europe/Paris'])
      expect(parseRegistration({ ...device, timezone }).timezone).toBe(timezone);
  });
});
