import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { fetchFace } from '../fetch.ts';
import { makeHandle } from '../handler.ts';
import { type Load, NO_LOAD } from '../load.ts';
import type { OpenRoute } from '../route.ts';
import { routes as served } from '../route-table.ts';
import { succeed } from './envelope.ts';
import { refusedAt, SHED_ORDER, shedAt } from './shedding.ts';

const signingIn = (path: string, change: Pick<OpenRoute, 'kind' | 'attempts' | 'sheds'>): OpenRoute => ({
  ...{ method: 'POST', path, shape: 'auto', summary: 'Let somebody in', answer: { 200: 'Alive' } },
  ...{ needs: 'nothing', scope: null, run: async () => succeed({}) },
  ...change,
});
const routes = [
  ...served,
  signingIn('/in/password', { kind: 'signin', attempts: 'signin', sheds: 'passwords' }),
  signingIn('/in/link', { kind: 'signin', attempts: 'pubmail' }),
  signingIn('/in/again', { kind: 'refresh' }),
];
const NAMES = SHED_ORDER.map(({ name }) => name);
const named = (level: number): readonly string[] =>
  routes.filter((route) => shedAt(route) === level).map(({ method, path }) => `${method} ${path}`);

describe('load shedding', () => {
  it('the shedding order is the documented list', () => {
    expect(NAMES).toEqual([
      'analytics',
      'lists',
      'public pages',
      'imports and previews',
      'passwords',
      'other sign-in',
      'events',
      'sends',
      'refresh',
    ]);
  });

  it('load shedding never rejects health checks, provider callbacks and unsubscribes', () => {
    const never = named(Number.POSITIVE_INFINITY);
    for (const one of ['GET /healthz', 'GET /readyz', 'POST /email/webhooks/:provider', 'POST /unsubscribe/:token'])
      expect(never).toContain(one);
    expect(never).toContain('GET /unsubscribe/:token');
    expect(never).toContain('POST /sms/webhooks/:provider/:orgId');
  });

  it('each kind is shed as a whole', () => {
    expect(named(1).every((name) => name.includes(' /analytics/'))).toBe(true);
    expect(named(2)).toContain('GET /profiles');
    expect(named(3)).toEqual(expect.arrayContaining(['GET /email/o/:token', 'GET /email/c/:token']));
    expect(named(4).toSorted()).toEqual(
      [
        'POST /audiences/:id/members',
        'POST /audiences/:id/members/remove',
        'POST /audiences/preview',
        'POST /automation/workflows/import',
        'POST /auth-service/users/bulk-import',
      ]
        .concat('DELETE /audiences/:id/members')
        .toSorted(),
    );
    expect(named(7).toSorted()).toEqual(['POST /events', 'POST /events/batch', 'POST /identify']);
    expect(named(8)).toEqual(expect.arrayContaining(['POST /push/send', 'POST /email/send', 'POST /sms/send']));
  });

  it('shedding grows with the load in the order of the list, and ends when the load falls', async () => {
    const { beckon } = fakeBeckon();
    let level = 0;
    const fetch = fetchFace(makeHandle(beckon, { load: () => ({ ...NO_LOAD, level }) }, routes));
    const answered = async (method: string, path: string) => {
      const answer = await fetch(new Request(`http://test${path}`, { method }));
      const { error } = (await answer.json().catch(() => ({}))) as { error?: { code: string } };
      return { code: error?.code, retryAfter: answer.headers.get('retry-after') };
    };
    const samples = NAMES.map((name, at) => ({ name, route: routes.find((route) => shedAt(route) === at + 1) }));
    const refused: string[] = [];
    for (level = 0; level <= NAMES.length; level += 1) {
      for (const { name, route } of samples) {
        if (route === undefined) continue;
        const { code, retryAfter } = await answered(route.method, `/api/v1${route.path}`);
        if (code !== 'OVERLOADED') continue;
        expect(retryAfter).toBe('5');
        if (!refused.includes(name)) refused.push(name);
      }
      const alive = await answered('GET', '/healthz');
      expect(alive.code).toBe(undefined);
    }
    console.log(`shed, in order: ${refused.join(', ')}`);
    expect(refused).toEqual(NAMES);
    level = 0;
    expect((await answered('GET', '/api/v1/analytics/overview')).code).toBe('UNAUTHORIZED');
  });

  it('a pause rejects events alone, with a longer Retry-After', async () => {
    const { beckon } = fakeBeckon();
    const load: Load = { level: 0, isIngestPaused: true, reason: 'late' };
    const fetch = fetchFace(makeHandle(beckon, { load: () => load }, routes));
    const refused: string[] = [];
    for (const { method, path, shape } of routes) {
      const url = `http://test${shape === 'root' ? '' : '/api/v1'}${path}`;
      const answer = await fetch(new Request(url, { method, headers: { 'x-api-key': 'sk_prod_one' } }));
      if (answer.status !== 503) continue;
      refused.push(`${method} ${path}`);
      expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(refused.toSorted()).toEqual(['POST /events', 'POST /events/batch', 'POST /identify']);
  });

  it('a level is reported by the names of its kinds', () => {
    const at = (level: number, isIngestPaused = false): string => refusedAt({ level, isIngestPaused, reason: '' });
    expect([at(0), at(2), at(0, true), at(1, true)]).toEqual(['', 'analytics, lists', 'events', 'analytics, events']);
    expect(at(9, true)).toBe(NAMES.join(', '));
  });
});
