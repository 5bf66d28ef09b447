import { describe, expect, it } from 'vitest';
import { readRefusals, refusalsIn } from './refusals.ts';

const TEXT = [
  '# TYPE beckon_http_request_seconds histogram',
  'beckon_http_request_seconds_bucket{le="1",route="/events",method="POST",status="429"} 7',
  'beckon_http_request_seconds_count{route="/events",method="POST",status="429"} 7',
  'beckon_http_request_seconds_count{route="/events",method="POST",status="200"} 900',
  'beckon_http_request_seconds_count{route="/email/send",method="POST",status="429"} 12',
  'beckon_http_request_seconds_count{route="/events",method="GET",status="429"} 1',
].join('\n');

describe('rate-limited requests', () => {
  it('rate-limited requests are counted by route over all methods, most frequent first', () => {
    expect(refusalsIn(TEXT)).toEqual([
      { route: '/email/send', count: 12 },
      { route: '/events', count: 8 },
    ]);
    expect(refusalsIn('')).toEqual([]);
  });

  it('rate-limited requests are read from the metrics with their token', async () => {
    const requests: [string, unknown][] = [];
    const fetch: typeof globalThis.fetch = async (url, options) => {
      requests.push([String(url), options?.headers]);
      return new Response(TEXT);
    };
    const metrics = { host: '0.0.0.0', port: 9_464, token: 'secret' };
    expect(await readRefusals({ metrics }, { fetch })).toHaveLength(2);
    expect(await readRefusals({ metrics: { host: '::1', port: 1, token: undefined } }, { fetch })).toHaveLength(2);
    expect(requests).toEqual([
      ['http://127.0.0.1:9464/metrics', { authorization: 'Bearer secret' }],
      ['http://[::1]:1/metrics', {}],
    ]);
  });

  it('rate-limited requests are unknown if metrics are off, rejected or unreachable', async () => {
    const metrics = { host: '127.0.0.1', port: 1, token: undefined };
    const refusing: typeof fetch = async () => new Response('', { status: 401 });
    expect(await readRefusals({ metrics: null }, { fetch: refusing })).toBeNull();
    expect(await readRefusals({ metrics }, { fetch: refusing })).toBeNull();
    expect(await readRefusals({ metrics }, { fetch: () => Promise.reject(new Error('away')) })).toBeNull();
  });
});
