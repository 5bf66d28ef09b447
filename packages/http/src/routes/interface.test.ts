import { createServer, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const handler = createHandler(fakeBeckon().beckon);
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', of = handler): Promise<Response> =>
  of.fetch(new Request(`http://test${path}`, { method, headers }));
const DOCUMENT = '/api/v1/openapi.json';

describe('GET /', () => {
  it('GET / returns the names and links of the API, its document and the documentation, without a key', async () => {
    const response = await ask('/');
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        success: true,
        data: { name: 'Beckon', api: '/api/v1', openapi: DOCUMENT, docs: expect.stringContaining('beckon docs') },
      },
    ]);
  });

  it('GET / uses the base path of the host', async () => {
    const other = createHandler(fakeBeckon().beckon, { basePath: '/x/y' });
    const { data }: { data: { openapi: string } } = JSON.parse(await (await ask('/', {}, 'GET', other)).text());
    expect(data).toMatchObject({ api: '/x/y', openapi: '/x/y/openapi.json' });
    expect((await ask(data.openapi, {}, 'HEAD', other)).status).toBe(200);
  });
});

describe('GET /openapi.json', () => {
  it('the API description is compressed as the client accepts, and its text never changes', async () => {
    const plain = await ask(DOCUMENT);
    const text = await plain.text();
    expect(JSON.parse(text).openapi).toBe('3.1.1');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const unpack = { gzip: gunzipSync, br: brotliDecompressSync };
    for (const [encoding, decode] of Object.entries(unpack)) {
      const response = await ask(DOCUMENT, { 'accept-encoding': encoding });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-encoding': encoding,
        'content-type': 'application/json; charset=utf-8',
        vary: 'Accept-Encoding',
      });
      expect(decode(bytes).toString()).toBe(text);
      expect(bytes.length).toBeLessThan(text.length / 8);
    }
  });

  it('the API description is answered 304 to a client that has it in that encoding', async () => {
    const etag = (await ask(DOCUMENT, { 'accept-encoding': 'gzip' })).headers.get('etag') ?? '';
    const again = await ask(DOCUMENT, { 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask(DOCUMENT, { 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(200);
  });

  it('the API description is sent with its Content-Length through a socket', async () => {
    const server = createServer(handler.node).listen(0, '127.0.0.1');
    try {
      await new Promise((done) => server.once('listening', done));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const sent = await new Promise<{ length: string | undefined; bytes: number }>((resolve, reject) => {
        const options = { port, path: DOCUMENT, headers: { 'accept-encoding': 'br' } };
        request({ host: '127.0.0.1', ...options }, (response) => {
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on('end', () => resolve({ length: response.headers['content-length'], bytes }));
        })
          .on('error', reject)
          .end();
      });
      expect(sent.length).toBe(String(sent.bytes));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
