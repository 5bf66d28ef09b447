import { expect, it } from 'vitest';
import { make } from '../../test/support/fake-handler.ts';
import { isPublic } from '../route.ts';
import { routes } from '../route-table.ts';

/** Headers that reveal the software behind the server. */
const TELLING = ['server', 'x-powered-by', 'via', 'x-aspnet-version'];
const PAGE = { locale: null, category: null, isSubscribed: true, isSubscribedToAny: true, categories: [] };
const CREDENTIALED = ['access-control-allow-credentials', 'set-cookie'];

it('every response has its declared type, and no header names the server or sets a cookie', async () => {
  const { send } = make();
  for (const { method, path, shape } of routes) {
    const full = `${shape === 'root' ? '' : '/api/v1'}${path}`;
    for (const key of ['', 'sk_prod_one', 'pk_prod_one'])
      for (const asked of [method, 'PUT', 'OPTIONS']) {
        const { headers } = await send(asked, full, {
          key,
          headers: { origin: 'https://shop.example', cookie: 'a=b' },
        });
        expect(headers.get('x-content-type-options'), `${asked} ${path}`).toBe('nosniff');
        for (const name of [...TELLING, ...CREDENTIALED]) expect(headers.has(name), `${asked} ${path}`).toBe(false);
      }
  }
});

it('responses that no public key may read are never cached, errors included', async () => {
  const { send } = make();
  for (const route of routes) {
    if (isPublic(route) || route.needs === 'nothing') continue;
    for (const key of ['', 'sk_prod_one']) {
      const { status, headers } = await send(route.method, `/api/v1${route.path}`, { key });
      expect(headers.get('cache-control'), `${route.path} ${status}`).toBe('no-store');
    }
  }
});

it('pages declare what they may load, and cannot be framed', async () => {
  const { send } = make({
    subscriptions: { ofLink: async () => PAGE, changeByLink: async () => PAGE },
  });
  for (const route of routes) {
    if (!('bytes' in route.answer) || route.answer.bytes !== 'text/html') continue;
    const { status, headers, text } = await send(route.method, `/api/v1${route.path}`, { key: '' });
    expect([status, text.slice(0, 9).toLowerCase()]).toEqual([200, '<!doctype']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  }
});
