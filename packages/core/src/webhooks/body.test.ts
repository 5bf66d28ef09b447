import { describe, expect, it } from 'vitest';
import { testScope } from '../../test/support/scopes.ts';
import { bodyOf, MAX_BODY_BYTES } from './body.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });
const at = new Date('2026-03-01T10:00:00.123Z');
const event = { id: 'e1', type: 'push.opened', person: 'u:ann', properties: { sendId: 's1' }, at };
const parsed = (text: string) => JSON.parse(text);

describe('the body of a delivery', () => {
  it('a body has the event, its tenant and the fields of Standard Webhooks', () => {
    expect(bodyOf(scope, event)).toBe(
      '{"event":{"id":"e1","type":"push.opened","createdAt":"2026-03-01T10:00:00.123Z","orgId":"o","projectId":"p",' +
        '"environment":"prod"},"type":"push.opened","timestamp":"2026-03-01T10:00:00.123Z",' +
        '"data":{"userId":"ann","sendId":"s1"}}',
    );
  });

  it('the data of a body contains the ids of the user, if known', () => {
    expect(parsed(bodyOf(scope, { ...event, person: 'a:x' })).data).toEqual({ anonymousId: 'x', sendId: 's1' });
    expect(parsed(bodyOf(scope, { ...event, person: null })).data).toEqual({ sendId: 's1' });
  });

  it('a body has at most 20 KB: larger data is truncated by whole keys and marked', () => {
    for (const length of [19_000, 20_000, 20_500, 100_000]) {
      const large = bodyOf(scope, { ...event, properties: { a: 1, text: 'é'.repeat(length / 2), last: true } });
      expect(Buffer.byteLength(large)).toBeLessThanOrEqual(MAX_BODY_BYTES);
      const { data } = parsed(large);
      expect(data).toMatchObject({ userId: 'ann', a: 1 });
      expect(data._truncated ?? false).toBe(length > 20_000);
      expect(data.last ?? false).toBe(length <= 20_000);
    }
  });

  it('a body is text that both databases can store, whatever the event contains', () => {
    const odd = bodyOf(scope, { ...event, properties: { text: '\0\ud800' } });
    expect(odd.isWellFormed()).toBe(true);
    expect(odd).not.toContain('\0');
    expect(parsed(odd).data.text).toBe('\0\ud800');
  });
});
