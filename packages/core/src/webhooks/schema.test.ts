import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../foundation/errors.ts';
import { parseRecovery, parseRotation, parseWebhook, parseWebhookPatch } from './schema.ts';

const hook = { url: 'https://shop.test/hook', events: ['email.bounced'] };
const wrong = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
    return Object.keys(error.details?.fieldErrors ?? {});
  }
};

describe('a webhook', () => {
  it('a webhook subscribes to at least one event type of the catalog, each once', () => {
    expect(parseWebhook({ ...hook, events: ['sms.failed', 'email.bounced', 'sms.failed'] }).events).toEqual([
      'sms.failed',
      'email.bounced',
    ]);
    for (const events of [[], ['order.placed'], ['__proto__'], undefined, 'email.bounced'])
      expect(wrong(() => parseWebhook({ ...hook, events }))).not.toEqual([]);
  });

  it('custom headers may not be headers of the request or of the delivery', () => {
    const { headers } = parseWebhook({ ...hook, headers: { Authorization: 'Bearer a b', 'X-Team': '7' } });
    expect(headers).toEqual({ authorization: 'Bearer a b', 'x-team': '7' });
    const refused = [
      'Host',
      'content-length',
      'Content-Type',
      'Transfer-Encoding',
      'Connection',
      'Expect',
      'a b',
      'x\r\ny',
    ];
    for (const name of [
      ...refused,
      'webhook-id',
      'Webhook-Signature',
      'X-Service-Signature',
      'Proxy-Authorization',
      '',
    ])
      expect(wrong(() => parseWebhook({ ...hook, headers: { [name]: 'v' } }))).not.toEqual([]);
    for (const value of ['', ' v', 'v ', 'a\r\nb', 'ü', 'x'.repeat(1_001)])
      expect(wrong(() => parseWebhook({ ...hook, headers: { 'X-A': value } }))).not.toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, 'v']));
    expect(wrong(() => parseWebhook({ ...hook, headers: many }))).toEqual(['headers']);
  });

  it('unknown fields such as secret are rejected', () => {
    for (const more of [{ secret: 'whsec_x' }, { disabledReason: 'gone' }, { id: 'x' }])
      expect(wrong(() => parseWebhook({ ...hook, ...more }))).toEqual(Object.keys(more));
    expect(wrong(() => parseWebhookPatch({ isPulled: true }))).toEqual(['isPulled']);
  });

  it('U+0000 is removed, because PostgreSQL cannot store it', () => {
    const [url, description] = ['https://shop.test/\0', 'a\0b'];
    for (const read of [parseWebhook, parseWebhookPatch])
      expect(JSON.stringify(read({ ...hook, url, description }))).not.toContain('\\u0000');
  });

  it('a patch changes the fields that it contains, and null clears', () => {
    expect(parseWebhookPatch({})).toEqual({});
    expect(parseWebhookPatch({ description: null, headers: null })).toEqual({ description: null, headers: null });
    expect(wrong(() => parseWebhookPatch({ events: [] }))).toEqual(['events']);
  });

  it('after a rotation the previous secret also signs for a day, at most a week', () => {
    expect(parseRotation({})).toEqual({ graceSeconds: 86_400 });
    expect(parseRotation({ graceSeconds: 0 })).toEqual({ graceSeconds: 0 });
    for (const graceSeconds of [-1, 604_801, 1.5])
      expect(wrong(() => parseRotation({ graceSeconds }))).toEqual(['graceSeconds']);
  });

  it('a recovery has a since, and an until that is not before it', () => {
    const since = '2026-03-01T10:00:00.000Z';
    expect(parseRecovery({ since })).toEqual({ since: new Date(since) });
    expect(wrong(() => parseRecovery({}))).toEqual(['since']);
    expect(wrong(() => parseRecovery({ since, until: '2026-02-01T10:00:00Z' }))).toEqual(['until']);
    for (const at of ['0000-01-01T00:00:00Z', '0999-12-31T23:59:59Z', '9999-12-31T23:59:59-12:00'])
      expect(wrong(() => parseRecovery({ since: at }))).toEqual(['since']);
  });
});
