import { describe, expect, it } from 'vitest';
import { pathsOf } from './paths.ts';
import { routes } from './route-table.ts';
import { makeRouter } from './router.ts';

const router = makeRouter(routes, '/api/v1');
/** Each twice: for GET, and for HEAD or POST. */
const LINKS = [
  '/email/o/:token',
  '/email/o/:token',
  '/email/c/:token',
  '/email/c/:token',
  '/unsubscribe/:token',
  '/unsubscribe/:token',
];
const CALLBACKS = ['/email/webhooks/:provider', '/sms/webhooks/:provider/:orgId'];
const ISSUERS = ['jwks.json', 'openid-configuration'].map(
  (name) => `/auth-service/projects/:projectId/:environment/.well-known/${name}`,
);
const SOCIAL = Array.from({ length: 2 }, () => '/auth-service/login/social/callback/:provider');
const resources = (path: string) => [
  ...[path, path, `${path}/.search`],
  ...Array.from({ length: 4 }, () => `${path}/:id`),
];
/** Requests have the token of a directory. */
const SCIM = [
  ...[...resources('/Users'), ...resources('/Groups'), '/.search', '/ServiceProviderConfig', '/ResourceTypes'],
  ...['/ResourceTypes/:id', '/Schemas', '/Schemas/:id'],
].map((path) => `/auth-service/scim/v2${path}`);
const SSO = ['oidc/:connectionId/callback', 'saml/:orgId/acs', 'saml/:orgId/metadata'].map(
  (name) => `/auth-service/sso/${name}`,
);
const routeOf = (method: string, path: string) => router.find(method, path)?.route.path ?? null;

describe('the route table', () => {
  it('every method and path is in the route table once', () => {
    const all = routes.flatMap((route) => pathsOf(route, '/api/v1').map((path) => `${route.method} ${path}`));
    expect(new Set(all).size).toBe(all.length);
  });

  it("the interface's exceptions, links of emails, callbacks and the API description have the auto-scoped path only", () => {
    const exceptions = routes.filter((route) => route.shape === 'auto').map((route) => route.path);
    expect(exceptions).toEqual([
      ...['/events', '/events/batch', '/identify', '/push/tokens', '/push/track-open', '/push/geofences/event'],
      ...LINKS,
      ...CALLBACKS,
      ...ISSUERS,
      ...SCIM,
      ...SOCIAL,
      ...SSO,
      '/openapi.json',
    ]);
  });

  it('requires a key for everything but health, public keys of sign-in, links of mails, callbacks, the service worker and the description of the interface', () => {
    const open = routes.filter((route) => route.needs === 'nothing').map((route) => route.path);
    expect(open).toEqual([
      ...LINKS,
      ...CALLBACKS,
      ...ISSUERS,
      ...SCIM,
      ...SOCIAL,
      ...SSO,
      '/openapi.json',
      '/',
      '/healthz',
      '/readyz',
      '/beckon-sw.js',
    ]);
  });

  it('each writing route takes a body; reading routes and removals by path take none', () => {
    for (const route of routes) {
      if (route.needs !== 'project') continue;
      // These need no body: a test of settings, the end of a run, another try, a check of a domain, and a test of a
      // webhook.
      const isBare =
        route.method === 'GET' ||
        (route.method === 'DELETE' && !/\/(suppressions|members|factors\/:id)$/.test(route.path)) ||
        /\/(?:settings\/test|runs\/:id\/(?:cancel|retry)|domains\/:id\/verify|webhooks\/:id\/test|deliveries\/:id\/replay|sessions\/revoke|send-reset|signing-keys\/rotate|totp\/enroll|recovery-codes|mfa\/reset|reauthenticate\/email|passkeys?\/options)$/.test(
          route.path,
        );
      expect(route.bodyCap === null, route.path).toBe(isBare);
    }
  });
});

describe('makeRouter', () => {
  it('a route is found under each of its paths', () => {
    for (const route of routes) {
      for (const path of pathsOf(route, '/api/v1')) expect(router.find(route.method, path)?.route).toBe(route);
    }
  });

  it('the explicit path yields its organization', () => {
    expect(router.find('GET', '/api/v1/orgs/acme/profiles')?.params).toEqual({ orgId: 'acme' });
    expect(router.find('GET', '/api/v1/profiles')?.params['orgId']).toBeUndefined();
  });

  it('HEAD is served wherever GET is, and nowhere else', () => {
    for (const route of routes) {
      for (const path of pathsOf(route, '/api/v1')) {
        const expected = routes.some((one) => one.path === route.path && one.method === 'GET');
        expect(router.find('HEAD', path) !== null, path).toBe(expected);
      }
    }
    expect(router.find('HEAD', '/api/v1/email/c/x')?.route.method).toBe('HEAD');
  });

  it('a segment is a parameter of a route if the word of another route does not fit there', () => {
    for (const prefix of ['/api/v1', '/api/v1/orgs/acme']) {
      const match = (path: string, method = 'GET') => router.find(method, `${prefix}/profiles/${path}`);
      for (const list of ['events', 'sends']) {
        expect(match(`erasures/${list}`)?.route.path).toBe(`/profiles/:userId/${list}`);
        expect(match(`erasures/${list}`)?.params).toMatchObject({ userId: 'erasures' });
        expect(match(`erasures/${list}`, 'HEAD')?.route.path).toBe(`/profiles/:userId/${list}`);
      }
      expect(match('erasures')?.params).toMatchObject({ userId: 'erasures' });
      expect(match('erasures/0199')?.route.path).toBe('/profiles/erasures/:id');
      expect(match('erasures/%65vents')?.route.path).toBe('/profiles/erasures/:id');
    }
    expect(router.find('GET', '/api/v1/orgs/acme/profiles/erasures/events')?.params['orgId']).toBe('acme');
  });

  it('exceptions have no explicit path, and health checks no prefix', () => {
    expect(routeOf('POST', '/api/v1/orgs/acme/events')).toBeNull();
    expect(routeOf('GET', '/api/v1/healthz')).toBeNull();
  });

  it('a parameter is decoded, with any character in it', () => {
    const userId = (raw: string) => router.find('GET', `/api/v1/profiles/${raw}/events`)?.params['userId'];
    expect(userId('a%2Fb')).toBe('a/b');
    expect(userId('%E2%82%AC%20%25%3F%23')).toBe('€ %?#');
    expect(userId('a%2Eb')).toBe('a.b');
    expect(userId('.bob')).toBe('.bob');
    expect(userId('%2e')).toBe('.');
    expect(userId('%2E%2e')).toBe('..');
    expect(userId('bob;x=1@example.com')).toBe('bob;x=1@example.com');
    expect(userId('%252F')).toBe('%2F');
    expect(userId(encodeURIComponent('字'.repeat(256)))).toBe('字'.repeat(256));
  });

  it.each([
    '/api/v1/profiles/%zz',
    '/api/v1/profiles/%E2%82',
    '/api/v1/profiles/%',
    '/api/v1/profiles/',
    '/api/v1/profiles//events',
    '/api/v1/profiles/.',
    '/api/v1/profiles/..',
    '/api/v1/profiles/../events',
    '/api/v1/profiles/a#b',
  ])('the malformed parameter of %s finds no route', (path) => {
    expect(router.find('GET', path)).toBeNull();
    expect(router.findAll(path)).toEqual([]);
  });

  it.each([
    '/api/v1//events',
    '//api/v1/events',
    '/api/v1/./events',
    '/api/v1/x/../events',
    '/api/v1/%2e/events',
    '/api/v1/event%73',
    '/api%2Fv1/events',
    '/api/v1/events/',
    '/api/v1/Events',
    '/API/v1/events',
    '/api/v1/events;x=1',
    '/api/v1/events#x',
    '/api/v1/events%00',
    '/api/v1/events%20',
    '/events',
    '',
    '*',
    '/',
  ])('%s is not routed to events', (path) => {
    expect(router.find('POST', path)).toBeNull();
  });

  it('a path with another method is recognized', () => {
    expect(router.findAll('/api/v1/profiles/bob').map((match) => match.method)).toEqual([
      'GET',
      'HEAD',
      'PATCH',
      'DELETE',
    ]);
    expect(router.find('constructor', '/api/v1/profiles')).toBeNull();
  });

  it('two routes with the same method and path throw', () => {
    expect(() => makeRouter([...routes, ...routes.slice(0, 1)], '/api/v1')).toThrow('already declared');
  });
});
