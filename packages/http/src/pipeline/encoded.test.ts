import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodedText, encodingFor } from './encoded.ts';

describe('encodingFor', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0,gzip;q=0.000', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['identity', 'identity'],
    ['identity, gzip;q=0.1', 'identity'],
    ['identity;q=0.1, gzip', 'gzip'],
    ['zstd, deflate', 'identity'],
    ['gzip;q=2, br;q=x', 'identity'],
  ])('Accept-Encoding %j selects %s', (header, encoding) => {
    expect(encodingFor(header)).toBe(encoding);
  });
});

describe('encodedText', () => {
  const text = 'a'.repeat(10_000);
  const answer = encodedText(text, 'text/plain');
  const ask = (encoding: string, known?: string) =>
    answer((name) => ({ 'accept-encoding': encoding, 'if-none-match': known })[name]);

  it('a text is compressed, with Content-Encoding and Vary', async () => {
    const plain = await ask('');
    const gzip = await ask('gzip');
    const br = await ask('br');
    expect(Buffer.from(plain.body).toString()).toBe(text);
    expect(gunzipSync(gzip.body).toString()).toBe(text);
    expect(brotliDecompressSync(br.body).toString()).toBe(text);
    expect([plain, gzip, br].map(({ headers }) => headers?.['Content-Encoding'])).toEqual([undefined, 'gzip', 'br']);
    for (const { headers } of [plain, gzip, br])
      expect(headers).toMatchObject({ Vary: 'Accept-Encoding', 'Content-Type': 'text/plain' });
  });

  it('a text is compressed once', async () => {
    expect((await ask('gzip')).body).toBe((await ask('gzip')).body);
  });

  it('each encoding has its own ETag, and If-None-Match with it is answered 304', async () => {
    const etags = await Promise.all(['', 'gzip', 'br'].map(async (one) => (await ask(one)).headers?.['ETag'] ?? ''));
    expect(new Set(etags).size).toBe(3);
    for (const [at, encoding] of ['', 'gzip', 'br'].entries()) {
      const own = etags[at] ?? '';
      for (const known of [own, `W/${own}`, `"x", ${own}`, '*']) {
        const { status, body, headers } = await ask(encoding, known);
        expect([status, body, headers?.['ETag'], headers?.['Vary']]).toEqual([304, '', own, 'Accept-Encoding']);
      }
      for (const other of etags.filter((etag) => etag !== own)) expect((await ask(encoding, other)).status).toBe(200);
    }
  });
});
