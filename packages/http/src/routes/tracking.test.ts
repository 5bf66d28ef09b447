import { createServer } from 'node:http';
import { connect } from 'node:net';
import { notFound, StorageError } from '@beckon/core';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const UA = 'Mozilla/5.0 (Macintosh)';
const make = (overrides: Parameters<typeof fakeBeckon>[0] = {}) => {
  const { beckon, calls } = fakeBeckon(overrides);
  const handler = createHandler(beckon);
  const send = (method: string, path: string) =>
    handler.fetch(
      new Request(`http://test/api/v1${path}`, { method, redirect: 'manual', headers: { 'user-agent': UA } }),
    );
  return { send, calls, handler };
};
const unknown = {
  email: {
    trackClick: async () => {
      throw notFound();
    },
  },
};
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

describe('tracking pixel', () => {
  it('the tracking pixel is an uncached GIF, and records an open', async () => {
    const { send, calls } = make();
    const response = await send('GET', '/email/o/to-ken_1');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...PRIVATE, 'content-type': 'image/gif' });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([
      bytes.length,
      bytes.subarray(0, 6).toString('latin1'),
      bytes.readUInt16LE(6),
      bytes.readUInt16LE(8),
    ]).toEqual([43, 'GIF89a', 1, 1]);
    expect(calls).toEqual([{ name: 'email.trackOpen', args: ['to-ken_1', { method: 'GET', userAgent: UA }] }]);
  });

  it('HEAD of the tracking pixel has no body and records no open', async () => {
    const { send, calls } = make();
    const response = await send('HEAD', '/email/o/t');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(await response.text()).toBe('');
    expect(calls).toEqual([]);
  });
});

describe('tracking link', () => {
  it('a tracking link redirects to its page and records a click', async () => {
    const { send, calls } = make();
    const response = await send('GET', '/email/c/t');
    expect(response.status).toBe(302);
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...PRIVATE, location: 'https://shop.test/a?b=c' });
    expect(await response.text()).toBe('');
    expect(calls).toEqual([{ name: 'email.trackClick', args: ['t', { method: 'GET', userAgent: UA }] }]);
  });

  it('HEAD of a tracking link returns its target and records nothing', async () => {
    const { send, calls } = make();
    const response = await send('HEAD', '/email/c/t');
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://shop.test/a?b=c']);
    expect(calls).toEqual([{ name: 'email.trackClick', args: ['t', { isRecorded: false }] }]);
  });

  it('an invalid token redirects nowhere', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await make(unknown).send(method, '/email/c/t');
      expect([response.status, response.headers.get('location')]).toEqual([404, null]);
      const text = await response.text();
      if (method === 'GET') expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
      else expect(text).toBe('');
    }
  });

  it.each(['/email/c', '/email/c/', '/email/c/a/b', '/orgs/o/email/c/t', '/email/c/%00%zz'])(
    '%s is no tracking path',
    async (path) => {
      const { send, calls } = make();
      expect((await send('GET', path)).status).toBe(404);
      expect(calls).toEqual([]);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('a tracking path rejects %s', async (method) => {
    const response = await make().send(method, '/email/c/t');
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([405, ['GET', 'HEAD']]);
  });

  it('pages of other origins may not read tracking responses', async () => {
    expect((await make().send('GET', '/email/c/t')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('tracking over a socket', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  it('tracking responses keep a connection usable: raw bytes, and no body for HEAD', async () => {
    const { handler } = make({ email: { trackOpen: async () => {} } });
    const server = createServer(handler.node);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server listens on a port');
    const socket = connect(address.port, '127.0.0.1');
    closing.push(() => socket.destroy());
    const paths = [
      'HEAD /api/v1/email/o/t',
      'GET /api/v1/email/o/t',
      'HEAD /api/v1/email/c/t',
      'GET /api/v1/email/c/t',
    ];
    for (const [at, path] of paths.entries())
      socket.write(`${path} HTTP/1.1\r\nHost: t\r\n${at === paths.length - 1 ? 'Connection: close\r\n' : ''}\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const answers = Buffer.concat(chunks).toString('latin1').split('HTTP/1.1 ').slice(1);
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '200', '302', '302']);
    const bodies = answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(bodies.map((body) => body.length)).toEqual([0, 43, 0, 0]);
    expect(Buffer.from(bodies[1] ?? '', 'latin1').at(-1)).toBe(0x3b);
    for (const answer of answers.slice(0, 2)) expect(answer).toContain('Content-Length: 43');
  });

  it('a database failure in the engine is answered 503', async () => {
    const away = { email: { trackClick: () => Promise.reject(new StorageError('08006')) } };
    expect((await make(away).send('GET', '/email/c/t')).status).toBe(503);
  });
});
