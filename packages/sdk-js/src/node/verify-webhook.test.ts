import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';

const id = '0198d2a5-0000-7000-8000-000000000001';
const body = '{"type":"email.delivered","data":{"name":"Zoë 🦊"}}\r\n';
const NOW = Date.parse('2026-03-01T10:00:00.500Z');
const SECONDS = Math.floor(NOW / 1_000);
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const [secret, older, foreign] = [newSecret(), newSecret(), newSecret()];

const sign = (text: string | Uint8Array, seconds = SECONDS, secrets = [secret], signedId = id): string => {
  const v1 = secrets.map((one) => {
    const hmac = createHmac('sha256', Buffer.from(one.slice(6), 'base64'));
    return `v1=${hmac.update(`${signedId}.${seconds}.`).update(text).digest('hex')}`;
  });
  return [`t=${seconds}`, `id=${id}`, ...v1].join(',');
};
const own = (header: string): WebhookHeaders => ({ 'X-Service-Signature': header });
const reasonOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && 'reason' in error ? error.reason : error;
  }
};

const libraries = {
  standardwebhooks: { prefix: 'webhook', make: (key: string) => new StandardWebhook(key) },
  svix: { prefix: 'svix', make: (key: string) => new SvixWebhook(key) },
};
type Headers3 = { id?: string; timestamp?: string; signature?: string };
const spelt = (prefix: string, headers: Headers3): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}-${name}`, value]));

describe('verifyWebhook', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('verifyWebhook returns the event of a delivery, from text or bytes, with headers of any kind', () => {
    const header = sign(body);
    const event = { type: 'email.delivered', data: { name: 'Zoë 🦊' } };
    expect(verifyWebhook(body, own(header), secret)).toEqual(event);
    expect(verifyWebhook(Buffer.from(body), new Headers({ 'x-service-signature': header }), [secret])).toEqual(event);
    expect(verifyWebhook(body, { 'x-service-signature': [header] }, secret)).toEqual(event);
  });

  it('verifyWebhook accepts any of several signatures with any of several secrets, and no other', () => {
    const header = own(sign(body, SECONDS, [secret, older]));
    for (const secrets of [secret, older, [foreign, older], [secret, older]])
      expect(verifyWebhook(body, header, secrets).type).toBe('email.delivered');
    expect(reasonOf(() => verifyWebhook(body, header, foreign))).toBe('signature');
    expect(reasonOf(() => verifyWebhook(body, own(sign(body, SECONDS, [foreign])), [secret, older]))).toBe('signature');
  });

  it('verifyWebhook rejects another id, a changed byte, a cut or added signature, and a changed line end', () => {
    const header = sign(body);
    const cases: readonly [string, string][] = [
      [body, sign(body, SECONDS, [secret], 'other')],
      [body.replace('Zoë', 'Zoe'), header],
      [body.replace('\r\n', '\n'), header],
      [body, header.slice(0, -2)],
      [body, `${header}00`],
      [body, `${header}zz`],
      [body, header.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`)],
    ];
    for (const [text, headers] of cases)
      expect(reasonOf(() => verifyWebhook(text, own(headers), secret))).toBe('signature');
  });

  it('verifyWebhook rejects deliveries outside the tolerance, and accepts those at its edge', () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(() =>
        verifyWebhook(
          body,
          own(sign(body, SECONDS + seconds)),
          secret,
          toleranceSeconds === undefined ? {} : { toleranceSeconds },
        ),
      );
    for (const seconds of [-300, 300]) expect(at(seconds)).toMatchObject({ type: 'email.delivered' });
    for (const seconds of [-301, 301]) expect(at(seconds)).toBe('time');
    expect(at(-11, 10)).toBe('time');
    expect(at(-3_600, 3_600)).toMatchObject({ type: 'email.delivered' });
    expect(at(0, Number.NaN)).toBe('time');
  });

  it('verifyWebhook rejects missing or incomplete headers, and a body that is no JSON', () => {
    const [, , v1] = sign(body).split(',');
    const cases = ['', 'v1', `t=${SECONDS},id=${id}`, `id=${id},${v1}`, `t=${SECONDS},${v1}`, `t=now,id=${id},${v1}`];
    for (const header of cases) expect(reasonOf(() => verifyWebhook(body, own(header), secret))).toBe('headers');
    expect(reasonOf(() => verifyWebhook(body, {}, secret))).toBe('headers');
    expect(reasonOf(() => verifyWebhook('no', own(sign('no')), secret))).toBe('body');
  });

  it('verifyWebhook throws a TypeError without a secret, and for an invalid one without printing it', () => {
    for (const secrets of ['', 'whsec_', 'whsec_?', []])
      expect(() => verifyWebhook(body, own(sign(body)), secrets)).toThrow(TypeError);
    expect(() => verifyWebhook(body, own(sign(body)), 'pass word')).not.toThrow('pass word');
  });

  it.each(Object.entries(libraries))(
    'verifyWebhook agrees with %s on valid and invalid signatures',
    (_, { prefix, make }) => {
      const library = make(secret);
      const signature = library.sign(id, new Date(NOW), body);
      const fine = { id, timestamp: String(SECONDS), signature };
      const late = (seconds: number): Headers3 => ({
        id,
        timestamp: String(SECONDS + seconds),
        signature: library.sign(id, new Date(NOW + seconds * 1_000), body),
      });
      const cases: readonly [string, Headers3][] = [
        [body, fine],
        [body, { ...fine, signature: `v1,AAAA ${signature}` }],
        [body, { ...fine, signature: `v1a,AAAA ${make(older).sign(id, new Date(NOW), body)} ${signature}` }],
        [body, late(-300)],
        [body, late(-301)],
        [body, late(301)],
        [body.trimEnd(), fine],
        [body, { ...fine, id: 'other' }],
        [body, { ...fine, signature: signature.replace('v1,', 'v2,') }],
        [body, { ...fine, signature: make(foreign).sign(id, new Date(NOW), body) }],
        [body, { ...fine, timestamp: 'now' }],
        [body, { id, timestamp: fine.timestamp }],
        [body, { id, signature }],
        [body, { timestamp: fine.timestamp, signature }],
      ];
      const verdict = (work: () => unknown): boolean => {
        try {
          work();
          return true;
        } catch {
          return false;
        }
      };
      const verdicts = cases.map(([text, headers]) => {
        const given = spelt(prefix, headers);
        return [verdict(() => library.verify(text, given)), verdict(() => verifyWebhook(text, given, secret))];
      });
      expect(verdicts.map(([, ours]) => ours)).toEqual(verdicts.map(([theirs]) => theirs));
      expect(verdicts.map(([ours]) => ours).slice(0, 5)).toEqual([true, true, true, true, false]);
    },
  );
});
