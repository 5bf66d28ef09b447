import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beckon, CHANNELS, createBeckon, type Environment, newMasterKey, type Scope } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR_SCOPE } from '../../core/src/platform/tenancy/operator-scope.ts';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import {
  type MisbehavingProvider,
  misbehavingProvider,
} from '../../core/test/support/identity/misbehaving-provider.ts';
import { tokensOf } from '../../core/test/support/identity/tokens.ts';
import { isOfUser } from '../test/support/openapi/sign-in.ts';
import { socialOptions } from '../test/support/openapi/social.ts';
import { bodies, CANARY, NOBODY, PASSWORD, TRAITS } from '../test/support/tenant-bodies.ts';
import { emptyTables, fillSecondTenant } from '../test/support/tenant-rows.ts';
import { fillVictim } from '../test/support/tenant-victim.ts';
import { createHandler, type Handler, routes } from './index.ts';

const SCIM = '/auth-service/scim/v2';

type Tenant = {
  readonly scope: Scope;
  readonly key: string;
  readonly keyId: string;
  /** Access token of a user of this tenant. */
  readonly bearer: string;
};

describe('tenant isolation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-tenants-'));
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let idp: MisbehavingProvider;
  let victim: Tenant;
  /** Tenants with another organization, project or environment; each has its own rows. */
  let strangers: Record<string, Tenant>;
  let owned: Record<string, string>;

  const tenant = async (orgId: string, projectId: string, environment: Environment): Promise<Tenant> => {
    const grants = [{ orgId, projectId }];
    const { secret: key, key: made } = await beckon.tenancy.createKey({ kind: 'secret', environment, grants });
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment });
    const user = { email: 'member@example.com', password: PASSWORD };
    await beckon.users.create(scope, { ...user, emailVerified: true });
    const { accessToken: bearer } = await tokensOf(beckon.auth.signIn(scope, user));
    return { scope, key, keyId: made.id, bearer };
  };
  const project = async (orgId: string) => (await beckon.tenancy.createProject({ orgId, name: 'App' })).id;

  beforeAll(async () => {
    // A file, because in memory SQLite would give the service its own database.
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'tenants.db')}` });
    idp = await misbehavingProvider(() => new Date());
    beckon = await createBeckon({
      ...socialOptions(idp),
      // The test makes more calls than one client may.
      limits: { callsPerMinute: 1_000_000 },
      db: database.url,
      masterKey: newMasterKey(),
      // No DNS server listens at this address.
      email: { dnsServers: ['127.0.0.1:1'] },
      // Access tokens name it as their issuer.
      publicUrl: 'https://links.example',
    });
    // Attempts to sign in are counted by the address of the client: each call comes from another one.
    handler = createHandler(beckon, { trustedProxies: 1 });
    const orgs = [await beckon.tenancy.createOrg({ name: 'A' }), await beckon.tenancy.createOrg({ name: 'B' })];
    const [a, b] = orgs.map(({ id }) => id) as [string, string];
    const own = await project(a);
    victim = await tenant(a, own, 'test');
    strangers = {
      'another org': await tenant(b, await project(b), 'test'),
      'another project': await tenant(a, await project(a), 'test'),
      'another environment': await tenant(a, own, 'prod'),
    };
    owned = await fillVictim(beckon, victim.scope, idp);
    await fillSecondTenant(beckon, handler, strangers['another org'] as Tenant);
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await idp.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The victim's id for a route's parameter. A route with an unknown parameter fails the test. */
  const idOf = (path: string, name: string, method = 'GET'): string => {
    const of = path.slice(0, path.indexOf(`/:${name}`));
    const id =
      name === 'userId'
        ? (owned[`${method} userId`] ?? owned.userId)
        : (owned[`${method} ${path}`] ?? owned[`${method} ${of}`] ?? owned[of]);
    if (!id) throw new Error(`name an id of the victim for :${name} of ${path}`);
    return id;
  };
  const fill = (path: string, value: (name: string) => string): string =>
    path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(value(name)));
  let calls = 0;
  const address = () => {
    calls += 1;
    return { 'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}` };
  };
  /** The access token of the key's own tenant. */
  const bearerFor = (path: string, key: string): Record<string, string> => {
    const own = [victim, ...Object.values(strangers)].find((one) => one.key === key);
    return own && isOfUser(path) ? { authorization: `Bearer ${own.bearer}` } : {};
  };
  const call = async (method: string, path: string, key: string, body?: unknown) => {
    const response = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...address(), ...bearerFor(path, key) },
        ...(body === undefined || method === 'GET' ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: await response.text() };
  };
  const keyed = routes.filter((route) => route.needs !== 'nothing');
  const withId = keyed.filter(({ path }) => path.includes('/:'));

  it('every served route is tested with a key', () => {
    expect(keyed.length).toBeGreaterThan(10);
    // Links of emails need no key. The tests of their tokens prove that they cannot be forged.
    expect([...new Set(routes.filter((route) => route.needs === 'nothing').map(({ path }) => path))]).toEqual([
      '/email/o/:token',
      '/email/c/:token',
      '/unsubscribe/:token',
      // Requests to this route are signed.
      '/email/webhooks/:provider',
      '/sms/webhooks/:provider/:orgId',
      // Public keys are public.
      '/auth-service/projects/:projectId/:environment/.well-known/jwks.json',
      '/auth-service/projects/:projectId/:environment/.well-known/openid-configuration',
      // The token of a directory names the environment: routes/auth-scim-access.db.test.ts.
      ...['Users', 'Groups'].flatMap((name) => ['', '/.search', '/:id'].map((rest) => `${SCIM}/${name}${rest}`)),
      ...['.search', 'ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:id', 'Schemas', 'Schemas/:id'].map(
        (path) => `${SCIM}/${path}`,
      ),
      // The state, which is a secret, names the environment.
      '/auth-service/login/social/callback/:provider',
      '/auth-service/sso/oidc/:connectionId/callback',
      '/auth-service/sso/saml/:orgId/acs',
      // Metadata is public.
      '/auth-service/sso/saml/:orgId/metadata',
      '/openapi.json',
      '/',
      '/healthz',
      '/readyz',
      '/beckon-sw.js',
    ]);
  });

  it('every route answers its owner', async () => {
    // Challenges need their secret, and the factor is of another user than the access token: mfa.db.test.ts uses both.
    for (const { method, path } of withId.filter((route) => !route.path.startsWith('/auth-service/mfa/'))) {
      const answer = await call(
        method,
        fill(path, (name) => idOf(path, name, method)),
        victim.key,
        bodies[path]?.({ userId: '' }),
      );
      expect(answer, path).toMatchObject({ status: 200 });
      // Changes of segment members return counts only.
      const isCount = path.startsWith('/audiences/:id/members') && method !== 'GET';
      const isOfErasure = path === '/profiles/erasures/:id' || `${method} ${path}` === 'DELETE /profiles/:userId';
      const isOfDeliveries = /^\/webhooks\/:id\/(?:deliveries|recover)$/.test(path);
      // What is said of an erasure, or of deliveries without their bodies, names nobody.
      const isOfSessions =
        /^\/auth-service\/(?:sessions|identities|users\/:id\/(?!impersonate))/.test(path) ||
        /^DELETE \/auth-service\/(?:sso\/(?:connections|domains)\/:id|scim\/\w+\/:id|users\/:id|passkeys\/:id|social\/providers\/:provider)$/.test(
          `${method} ${path}`,
        );
      expect(answer.body.includes(CANARY), `${method} ${path}`).toBe(
        !isOfErasure && !isCount && !isOfDeliveries && !isOfSessions,
      );
    }
  });

  it("a stranger with the victim's ids in the path gets the response of an unknown id, byte for byte", async () => {
    for (const [who, { key, scope }] of Object.entries(strangers)) {
      for (const { method, path, shape } of withId) {
        // A definition serves both environments of its project.
        if (who === 'another environment' && /^\/(automation|analytics)\/workflows\/|\/templates\//.test(path))
          continue;
        const body = bodies[path]?.({ userId: 'u' });
        for (const prefix of shape === 'both' ? ['', `/orgs/${scope.orgId}`] : ['']) {
          const theirs = await call(method, `${prefix}${fill(path, (name) => idOf(path, name, method))}`, key, body);
          const nobodys = await call(method, `${prefix}${fill(path, () => NOBODY)}`, key, body);
          if (method === 'PUT' && path === '/automation/secrets/:name') {
            // An id that the caller chooses: another tenant's id is one that is free here.
            expect([theirs.status, nobodys.status], `${who}: ${method} ${prefix}${path}`).toEqual([200, 200]);
            for (const name of [CANARY, NOBODY])
              expect((await call('DELETE', `/automation/secrets/${name}`, key)).status).toBe(200);
            continue;
          }
          if (path.includes('/social/providers/')) {
            // A name that is the same for all tenants: one that is not set up here.
            if (method === 'PUT') continue;
            expect(theirs.status, `${who}: ${method} ${prefix}${path}`).toBe(404);
            continue;
          }
          if (path.includes('/:externalId')) {
            // An id that the caller chooses: another tenant's id is one that is free here.
            const named = theirs.body.replace(owned['/push/live-activities'] ?? '', NOBODY);
            expect({ ...theirs, body: named }, `${who}: ${method} ${prefix}${path}`).toEqual(nobodys);
            continue;
          }
          expect(theirs, `${who}: ${method} ${prefix}${path}`).toEqual(nobodys);
          // A challenge is answered like one that has expired.
          expect(theirs.status).toBe(path.startsWith('/auth-service/mfa/challenge/') ? 401 : 404);
        }
      }
    }
  });

  it("a stranger with the victim's organization in the path gets the response of an unknown one, byte for byte", async () => {
    const { key } = strangers['another org'] as Tenant;
    for (const { method, path } of keyed.filter(({ shape }) => shape === 'both')) {
      const filled = fill(path, (name) => idOf(path, name, method));
      const body = bodies[path]?.({ userId: 'u' });
      const theirs = await call(method, `/orgs/${victim.scope.orgId}${filled}`, key, body);
      const nobodys = await call(method, `/orgs/${NOBODY}${filled}`, key, body);
      expect(theirs, `${method} ${path}`).toEqual(nobodys);
      expect(theirs.status).toBe(404);
    }
  });

  it("a stranger with the victim's project in query or body gets the response of an unknown project", async () => {
    const { key } = strangers['another org'] as Tenant;
    for (const { method, path, needs } of keyed) {
      if (needs !== 'project') continue;
      const filled = fill(path, () => NOBODY);
      const ask = (projectId: string) =>
        call(method, `${filled}?projectId=${projectId}`, key, bodies[path]?.({ userId: 'u' }));
      const theirs = await ask(victim.scope.projectId);
      expect(theirs, `${method} ${path}`).toEqual(await ask(NOBODY));
      expect(theirs.status).toBe(404);
      const named = bodies[path]?.({ userId: 'u', projectId: victim.scope.projectId });
      if (method !== 'GET' && named && JSON.stringify(named).includes('projectId')) {
        const inBody = await call(method, filled, key, named);
        expect(inBody, `${method} ${path}`).toEqual(
          await call(method, filled, key, bodies[path]?.({ userId: 'u', projectId: NOBODY })),
        );
        expect(inBody.status).toBe(404);
      }
    }
  });

  it('names and ids of the operators are unknown on every route, byte for byte', async () => {
    const email = 'root@operators.example';
    const { operator } = await beckon.operators.create({ email, password: PASSWORD });
    const { token, session } = await beckon.operators.signIn({ email, password: PASSWORD });
    const { orgId, projectId, environment } = OPERATOR_SCOPE;
    const { key } = strangers['another org'] as Tenant;
    for (const { method, path, needs, shape } of keyed) {
      const body = bodies[path]?.({ userId: 'u' });
      const ask = (id: string, before = '', after = '') =>
        call(method, `${before}${fill(path, () => id)}${after}`, key, body);
      const nobodys = await ask(NOBODY);
      for (const id of [operator.id, session.id])
        if (path.includes('/:') && path.startsWith('/auth-service')) {
          const answer = await ask(id);
          expect(answer, `${method} ${path}`).toEqual(nobodys);
        }
      if (shape === 'both')
        expect(await ask(NOBODY, `/orgs/${orgId}`), path).toEqual(await ask(NOBODY, `/orgs/${NOBODY}`));
      if (needs === 'project')
        expect(await ask(NOBODY, '', `?projectId=${projectId}`), path).toEqual(
          await ask(NOBODY, '', `?projectId=${NOBODY}`),
        );
      if (method === 'GET' && !path.includes('/:')) expect((await ask(NOBODY)).body, path).not.toContain(email);
    }
    for (const file of ['jwks.json', 'openid-configuration']) {
      const path = (id: string) => `/auth-service/projects/${id}/${environment}/.well-known/${file}`;
      expect(await call('GET', path(projectId), key)).toEqual(await call('GET', path(NOBODY), key));
    }
    const body = { refreshToken: token };
    expect(await call('POST', '/auth-service/token/refresh', key, body)).toMatchObject({ status: 401 });
    await beckon.operators.authenticate(token);
  });

  it('lists, responses and rows of a stranger never contain rows of the victim', async () => {
    for (const [who, { key }] of Object.entries(strangers)) {
      for (const { method, path } of keyed.filter(({ path }) => !path.includes('/:'))) {
        const make = bodies[path];
        if (method !== 'GET' && !make) throw new Error(`name a body for ${method} ${path}`);
        const body = make?.({ userId: owned.userId ?? '' });
        const answer = await call(method, path, key, body);
        // What an environment has one of is stored again, so that its table has a row.
        if (method === 'DELETE' && keyed.some((one) => one.method === 'PUT' && one.path === path))
          await call('PUT', path, key, body);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(`${CANARY}@`);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/email/sends']);
        if (who !== 'another environment')
          for (const own of ['/automation/workflows', '/push/templates', '/email/templates', '/sms/templates'])
            expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned[own]);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/automation/runs']);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/push/sends']);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/sms/sends']);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/push/tokens']);
        for (const channel of CHANNELS)
          expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned[`/${channel}/ab-tests`]);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(victim.keyId);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain(owned['/auth-service/users']);
        expect(answer.body, `${who}: ${method} ${path}`).not.toContain('@accounts.example');
      }
    }
    await beckon.worker.drain();
    // The strangers have users with the same id by now; the victim's user is unchanged.
    const { traits } = await beckon.profiles.get(victim.scope, owned.userId ?? '');
    expect(traits).toEqual(TRAITS);
    // Its owner told the activity something, requested the password reset of a user, and added two passkeys.
    const caught = (await beckon.outbox.list(victim.scope)).data.filter(({ content }) => !('liveActivity' in content));
    expect(caught.map(({ channel }) => channel).sort()).toEqual([
      ...['email', 'email', 'email', 'email', 'push', 'sms'],
    ]);
    expect(await beckon.settings.get(victim.scope, 'sms')).toMatchObject({ twilio: { configured: true, version: 1 } });
    expect(await beckon.sends.health(victim.scope, 'sms')).toMatchObject({ sent: 1, failed: 0 });
    const events = (await beckon.profiles.events(victim.scope, owned.userId ?? '')).data;
    expect(events.map(({ eventType }) => eventType).sort()).toEqual([
      'push.cancelled',
      'push.sent',
      'signed_up',
      'user.identified',
    ]);
  });

  it("a stranger that reports on the victim's sends and messages gets the response of unknown ones, byte for byte", async () => {
    const { message = '', '/push/sends': sendId = '' } = owned;
    for (const [who, { key }] of Object.entries(strangers)) {
      for (const path of ['/push/track-open', '/push/track-delivered']) {
        const nobodys = await call('POST', path, key, { sendId: NOBODY });
        expect(nobodys.status).toBe(404);
        for (const body of [{ sendId }, { sendId, messageId: message }, { sendId: NOBODY, messageId: message }])
          expect(await call('POST', path, key, body), `${who}: ${path}`).toEqual(nobodys);
      }
    }
    const { counts } = await beckon.sends.get(victim.scope, 'push', sendId);
    expect(counts).toMatchObject({ sent: 1, delivered: 0, opened: 0 });
    expect((await call('POST', '/push/track-open', victim.key, { sendId, messageId: message })).status).toBe(200);
    expect((await beckon.sends.get(victim.scope, 'push', sendId)).counts).toMatchObject({ opened: 1, uniqueOpened: 1 });
  });

  it('registering a token in one organization leaves the same token of another organization alone', async () => {
    const { key } = strangers['another org'] as Tenant;
    const device = { token: `fcm:${CANARY}`, platform: 'android', userId: 'eve' };
    const answer = await call('POST', '/push/tokens', key, device);
    expect(answer.status).toBe(201);
    expect(answer.body).not.toContain(owned['/push/tokens']);
    const { tokens } = await beckon.profiles.get(victim.scope, owned.userId ?? '');
    expect(tokens).toMatchObject([{ id: owned['/push/tokens'], userId: owned.userId }]);
  });

  it('every tenant table has a row of the second tenant, so that a leak would be seen', async () => {
    const { scope } = strangers['another org'] as Tenant;
    const why = 'fill the table in fillSecondTenant, or give a reason in WITHOUT_SECOND_TENANT';
    expect(await emptyTables(database, scope), why).toEqual([]);
  });

  it('a cursor is valid for its own list only', async () => {
    const path = `/profiles/${owned.userId}/events`;
    const first = await call('GET', `${path}?limit=1`, victim.key);
    const { nextCursor } = (JSON.parse(first.body) as { pagination: { nextCursor: string } }).pagination;
    expect((await call('GET', `${path}?limit=1&cursor=${nextCursor}`, victim.key)).status).toBe(200);
    for (const { key } of Object.values(strangers))
      expect((await call('GET', `/profiles?cursor=${nextCursor}`, key)).status).toBe(400);
  });
});
