import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenDocs } from './docs-site.ts';
import type { Listening } from './services.ts';

/** The status line of a request with a raw, unnormalized path. */
const statusOf = (url: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', reject).on('end', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  });

describe('the served documentation', () => {
  const place = mkdtempSync(join(tmpdir(), 'beckon-docs-'));
  let server: Listening | undefined;
  const urlOf = (path: string): string => `${server?.url}${path}`;

  beforeAll(async () => {
    mkdirSync(join(place, 'site/guides'), { recursive: true });
    writeFileSync(join(place, 'secret.txt'), 'secret');
    writeFileSync(join(place, 'site/index.html'), 'home');
    writeFileSync(join(place, 'site/404.html'), 'nothing here');
    writeFileSync(join(place, 'site/app.js'), '1;');
    writeFileSync(join(place, 'site/guides/send.html'), 'send');
    server = await listenDocs(join(place, 'site'), { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server?.close(1_000);
    rmSync(place, { recursive: true });
  });

  it('the docs server returns pages with their content types', async () => {
    const paths = ['/', '/index.html?a=1', '/guides/send', '/guides/send.html', '/app.js'];
    const answers = await Promise.all(paths.map((path) => fetch(urlOf(path))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['home', 'home', 'send', 'send', '1;']);
    expect(answers.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual([
      ...Array.from({ length: 4 }, () => 'text/html'),
      'text/javascript',
    ]);
  });

  it('the docs server returns the 404 page of the site for an unknown path', async () => {
    const answer = await fetch(urlOf('/nowhere'));
    expect([answer.status, await answer.text()]).toEqual([404, 'nothing here']);
  });

  it('the docs server returns no file outside its folder for any spelling of a path', async () => {
    const paths = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/guides/../../secret.txt',
      '//secret.txt',
    ];
    const lines = await Promise.all([...paths, '/%zz', '/%00'].map((path) => statusOf(urlOf(''), path)));
    expect(new Set(lines)).toEqual(new Set(['HTTP/1.1 404 Not Found']));
  });

  it('the docs server rejects methods other than GET and HEAD', async () => {
    expect((await fetch(urlOf('/'), { method: 'POST' })).status).toBe(405);
    expect(await (await fetch(urlOf('/'), { method: 'HEAD' })).text()).toBe('');
  });
});
