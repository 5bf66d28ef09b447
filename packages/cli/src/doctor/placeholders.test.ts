import { describe, expect, it } from 'vitest';
import { sentPlaceholders } from './placeholders.ts';

const metrics = { host: '0.0.0.0', port: 9464, token: 'secret' };
const NONE = '# TYPE beckon_placeholder_user_ids_total counter\nbeckon_events_total{outcome="stored"} 7\n';
const SOME = `${NONE}beckon_placeholder_user_ids_total{source="events"} 12\nbeckon_placeholder_user_ids_total{source="live_activities"} 1\n`;

describe('the count of placeholder user ids that clients send', () => {
  const requests: (readonly [string, unknown])[] = [];
  const answering =
    (text: string, status = 200): typeof fetch =>
    async (url, options) => {
      requests.push([String(url), options?.headers]);
      return new Response(text, { status });
    };

  it('the check of placeholder user ids is read from the metrics of the running service, with their token', async () => {
    expect(await sentPlaceholders({ metrics }, answering(SOME))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('(12 events, 1 live_activities)'),
    });
    expect(requests).toEqual([['http://127.0.0.1:9464/metrics', { authorization: 'Bearer secret' }]]);
    expect(await sentPlaceholders({ metrics }, answering(NONE))).toMatchObject({ state: 'ok' });
  });

  it('the check of placeholder user ids is skipped if metrics are off or do not answer', async () => {
    const down = async (): Promise<Response> => {
      throw new TypeError('fetch failed');
    };
    expect(await sentPlaceholders({ metrics: null }, down)).toMatchObject({ state: 'skip' });
    expect(await sentPlaceholders({ metrics }, down)).toMatchObject({ state: 'skip' });
    expect(await sentPlaceholders({ metrics }, answering('', 401))).toMatchObject({ state: 'skip' });
  });
});
