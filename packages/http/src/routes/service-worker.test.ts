import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const handler = createHandler(fakeBeckon().beckon);
const ask = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  handler.fetch(
    new Request('http://test/beckon-sw.js?baseUrl=https%3A%2F%2Fengage.test&apiKey=pk_test_x', { method, headers }),
  );

describe('GET /beckon-sw.js', () => {
  it('the service worker script needs no key, may control its whole origin, and may be imported from others', async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'service-worker-allowed': '/',
      'cache-control': 'public, max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    });
    expect(await response.text()).toContain('notificationclick');
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, response.headers.get('etag'), '']);
  });

  it('the service worker script is answered 304 to its ETag, and 200 to another one', async () => {
    const etag = (await ask()).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await ask({ 'if-none-match': known });
      expect([known, response.status, await response.text()]).toEqual([known, 304, '']);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('service-worker-allowed')).toBe('/');
    }
    for (const other of ['"other"', '', etag.slice(1)])
      expect((await ask({ 'if-none-match': other })).status).toBe(200);
  });

  it('a 304 has no Content-Length, through a socket', async () => {
    const server = createServer(handler.node).listen(0, '127.0.0.1');
    try {
      await new Promise((done) => server.once('listening', done));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const url = `http://127.0.0.1:${port}/beckon-sw.js`;
      const first = await fetch(url);
      const { length } = await first.text();
      expect(Number(first.headers.get('content-length'))).toBe(length);
      const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
      expect([again.status, again.headers.get('content-length')]).toEqual([304, null]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
