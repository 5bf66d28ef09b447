import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beckon, createBeckon, type Environment, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import { createHandler, type Handler, listen, pathsOf, routes } from '../index.ts';
import { isPublic } from '../route.ts';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'a new and longer password';
const PAGE = 'https://app.example.com/signed-in';
const NOBODY = '01890000-0000-7000-8000-000000000000';
const clock = virtualClock(new Date().toISOString());

type Tenant = { readonly scope: Scope; readonly publicKey: string; readonly secretKey: string };
// Safe: JSON.parse returns any value; the tests read members that they check.
type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Json };
type Json = { data: Record<string, string>; error: { code: string; details: Record<string, unknown> } };
type Sent = {
  readonly key?: string;
  readonly token?: string | undefined;
  readonly ip?: string;
  readonly body?: unknown;
};

describe('sign-in over HTTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-auth-'));
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let app: Tenant;
  const masterKey = newMasterKey();
  const responses: Response[] = [];

  const project = async (orgId: string) => (await beckon.tenancy.createProject({ orgId, name: 'App' })).id;
  const tenant = async (orgId: string, projectId: string, environment: Environment = 'test'): Promise<Tenant> => {
    const grants = [{ orgId, projectId }];
    const keyOf = async (kind: 'public' | 'secret') =>
      (await beckon.tenancy.createKey({ kind, environment, grants })).secret;
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment });
    await beckon.auth.updateSettings(scope, { redirectUris: [PAGE] });
    return { scope, publicKey: await keyOf('public'), secretKey: await keyOf('secret') };
  };
  beforeAll(async () => {
    // A file: in memory, each Beckon would have a database of its own.
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'auth.db')}` });
    beckon = await createBeckon({ db: database.url, masterKey, clock, publicUrl: 'https://auth.example' });
    handler = createHandler(beckon, { clock, trustedProxies: 1 });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    app = await tenant(orgId, await project(orgId));
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let calls = 0;
  const request = (method: string, path: string, { key = app.publicKey, token, ip, body }: Sent = {}) => {
    calls += 1;
    const headers = {
      ...{ 'x-api-key': key, 'content-type': 'application/json', 'user-agent': 'test' },
      ...{ 'x-forwarded-for': ip ?? `10.1.${calls >> 8}.${calls & 255}` },
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    return new Request(`http://test/api/v1/auth-service${path}`, { method, headers, ...content });
  };
  const send = async (method: string, path: string, sent: Sent = {}, to: Handler = handler): Promise<Answer> => {
    const response = await to.fetch(request(method, path, sent));
    responses.push(response);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) };
  };
  const post = (path: string, body: unknown, sent: Sent = {}) => send('POST', path, { ...sent, body });
  const mailed = async (email: string, pattern: RegExp, { scope } = app): Promise<string> => {
    await beckon.worker.drain();
    const { data } = await beckon.outbox.list(scope, { channel: 'email' });
    const found = data.map((mail) => JSON.stringify(mail)).find((mail) => mail.includes(email) && pattern.test(mail));
    return pattern.exec(found ?? '')?.[0] ?? '';
  };
  const user = async (email: string, { scope } = app) =>
    (await beckon.users.create(scope, { email, emailVerified: true, password: PASSWORD })).id;
  const signIn = (email: string, { scope } = app) => tokensOf(beckon.auth.signIn(scope, { email, password: PASSWORD }));
  const reasonOf = ({ status, json }: Answer) => [status, json.error?.details?.['reason']];

  it('a user signs up, verifies the address, signs in, refreshes and signs out with a public key', async () => {
    const account = { email: 'ann@example.com', password: PASSWORD };
    const signedUp = await post('/signup', { ...account, name: 'Ann' });
    expect([signedUp.status, signedUp.json.data]).toEqual([201, { status: 'verification_required' }]);
    expect(reasonOf(await post('/login', account))).toEqual([403, 'email_not_verified']);
    const code = await mailed(account.email, /(?<=code: )\d{6}/);
    expect(
      reasonOf(await post('/email/verify', { ...account, code: code === '000000' ? '111111' : '000000' })),
    ).toEqual([401, 'code_invalid']);
    const verified = await post('/email/verify', { ...account, code });
    expect(verified.json.data).toEqual({ verified: true, passwordKept: true });

    const signedIn = await post('/login', account);
    expect(signedIn.status).toBe(200);
    const { accessToken, refreshToken, sessionId } = signedIn.json.data;
    const me = await send('GET', '/me', { token: accessToken });
    expect(me.json.data).toMatchObject({ email: account.email, emailVerified: true, name: 'Ann' });
    const renamed = await send('PATCH', '/me', { token: accessToken, body: { name: 'Ann B.' } });
    expect(renamed.json.data).toMatchObject({ name: 'Ann B.' });
    const sessions = await send('GET', '/sessions', { token: accessToken });
    expect(sessions.json.data).toMatchObject([{ id: sessionId, current: true, userAgent: 'test' }]);

    const refreshed = await post('/token/refresh', { refreshToken });
    expect(refreshed.status).toBe(200);
    clock.advance(60_000);
    const next = await post('/token/refresh', { refreshToken: refreshed.json.data['refreshToken'] });
    expect(next.status).toBe(200);
    const out = await post('/logout', {}, { token: next.json.data['accessToken'] });
    expect(out.json.data).toEqual({ revoked: 1 });
    expect(reasonOf(await send('GET', '/me', { token: accessToken }))).toEqual([401, 'session_expired']);
    expect(reasonOf(await post('/token/refresh', { refreshToken: next.json.data['refreshToken'] }))).toEqual([
      401,
      'session_expired',
    ]);
  });

  it('a refresh token that is used again after its time ends the session', async () => {
    await user('reuse@example.com');
    const { refreshToken } = await signIn('reuse@example.com');
    const second = await post('/token/refresh', { refreshToken });
    clock.advance(60_000);
    await post('/token/refresh', { refreshToken: second.json.data['refreshToken'] });
    expect(reasonOf(await post('/token/refresh', { refreshToken }))).toEqual([401, 'refresh_reused']);
    expect(reasonOf(await send('GET', '/me', { token: second.json.data['accessToken'] }))).toEqual([
      401,
      'session_expired',
    ]);
  });

  it('a password is reset with the token of an email, once, and other sessions end', async () => {
    const email = 'reset@example.com';
    await user(email);
    const { accessToken } = await signIn(email);
    expect((await post('/password/forgot', { email })).json.data).toEqual({ sent: true });
    const token = await mailed(email, /pr_[\w-]{43}/);
    expect((await post('/password/reset', { token, password: 'short' })).status).toBe(400);
    const reset = await post('/password/reset', { token, password: NEW_PASSWORD });
    expect(reset.status).toBe(200);
    expect(reasonOf(await send('GET', '/me', { token: accessToken }))).toEqual([401, 'session_expired']);
    expect((await send('GET', '/me', { token: reset.json.data['accessToken'] })).status).toBe(200);
    expect(reasonOf(await post('/password/reset', { token, password: NEW_PASSWORD }))).toEqual([401, 'token_invalid']);
    expect(reasonOf(await post('/login', { email, password: PASSWORD }))).toEqual([401, 'invalid_credentials']);
    expect((await post('/login', { email, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('an old sign-in must confirm the password before it changes password or address, or deletes the user', async () => {
    const email = 'old@example.com';
    await user(email);
    const { accessToken: token, refreshToken } = await signIn(email);
    clock.advance(11 * 60_000);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect(reasonOf(await post('/password/change', change, { token }))).toEqual([403, 'reauth_required']);
    expect(reasonOf(await post('/email/change', { newEmail: 'new@example.com' }, { token }))).toEqual([
      403,
      'reauth_required',
    ]);
    expect(reasonOf(await send('DELETE', '/me', { token }))).toEqual([403, 'reauth_required']);
    expect(reasonOf(await post('/reauthenticate', { password: 'wrong password' }, { token }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    // A refresh is no sign-in.
    const refreshed = await post('/token/refresh', { refreshToken });
    const stale = refreshed.json.data['accessToken'];
    expect(reasonOf(await post('/password/change', change, { token: stale }))).toEqual([403, 'reauth_required']);
    const fresh = await post('/reauthenticate', { password: PASSWORD }, { token });
    expect(fresh.status).toBe(200);
    const own = { token: fresh.json.data['accessToken'] };
    expect((await post('/password/change', change, own)).json.data).toEqual({ revoked: 0 });
    expect((await post('/email/change', { newEmail: 'new@example.com' }, own)).json.data).toEqual({ sent: true });
    const confirm = await mailed('new@example.com', /ec_[\w-]{43}/);
    expect((await post('/email/verify', { token: confirm })).status).toBe(200);
    expect((await send('GET', '/me', own)).json.data).toMatchObject({ email: 'new@example.com' });
    const undo = await mailed(email, /eu_[\w-]{43}/);
    expect((await post('/email/change/undo', { token: undo })).json.data).toEqual({ restored: true });
    expect(reasonOf(await send('GET', '/me', own))).toEqual([401, 'session_expired']);
    const last = await post('/login', { email, password: NEW_PASSWORD });
    const gone = await send('DELETE', '/me', { token: last.json.data['accessToken'] });
    expect(gone.json.data).toMatchObject({ erasureId: expect.any(String) });
    await beckon.worker.drain();
    expect(reasonOf(await post('/login', { email, password: NEW_PASSWORD }))).toEqual([401, 'invalid_credentials']);
  });

  it('E1: a sign-in is answered alike for unknown, disabled and passwordless users and wrong passwords', async () => {
    await user('known@example.com');
    const id = await user('disabled@example.com');
    await beckon.users.update(app.scope, id, { disabled: true });
    await beckon.users.create(app.scope, { email: 'none@example.com', emailVerified: true });
    const wrong = await post('/login', { email: 'known@example.com', password: 'wrong password' });
    expect(reasonOf(wrong)).toEqual([401, 'invalid_credentials']);
    for (const email of ['unknown@example.com', 'disabled@example.com', 'none@example.com', 'no address'])
      expect((await post('/login', { email, password: PASSWORD })).text, email).toBe(wrong.text);
  });

  it('E3, E4: emails are requested alike for known and unknown addresses, and over the limit', async () => {
    await user('mailed@example.com');
    for (const path of ['/password/forgot', '/email/verification']) {
      const first = await post(path, { email: 'mailed@example.com' });
      expect(first.status).toBe(200);
      for (const email of ['mailed@example.com', 'stranger@example.com', 'stranger@example.com'])
        expect((await post(path, { email })).text).toBe(first.text);
    }
    const known = await post('/signup', { email: 'mailed@example.com', password: PASSWORD });
    const unknown = await post('/signup', { email: 'new-user@example.com', password: PASSWORD });
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });

  it('T1 to T4, T6: users and tokens of a tenant are unknown to every other one', async () => {
    const { orgId, projectId } = app.scope;
    const other = (await beckon.tenancy.createOrg({ name: 'Other' })).id;
    const strangers = [
      await tenant(other, await project(other)),
      await tenant(orgId, await project(orgId)),
      await tenant(orgId, projectId, 'prod'),
    ];
    const email = 'both@example.com';
    const id = await user(email);
    await beckon.auth.forgotPassword(app.scope, { email });
    const reset = await mailed(email, /pr_[\w-]{43}/);
    for (const stranger of strangers) {
      const { publicKey: key, secretKey } = stranger;
      const own = await signIn(email);
      expect(await user(email, stranger)).not.toBe(id);
      expect(reasonOf(await send('GET', '/me', { key, token: own.accessToken }))).toEqual([401, 'token_invalid']);
      const unknown = await post('/token/refresh', { refreshToken: `rt_${'A'.repeat(43)}` }, { key });
      const foreign = await post('/token/refresh', { refreshToken: own.refreshToken }, { key });
      expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
      const noToken = await post('/password/reset', { token: `pr_${'A'.repeat(43)}`, password: NEW_PASSWORD }, { key });
      const theirs = await post('/password/reset', { token: reset, password: NEW_PASSWORD }, { key });
      expect([theirs.status, theirs.text]).toEqual([noToken.status, noToken.text]);
      const missing = await send('GET', `/users/${NOBODY}`, { key: secretKey });
      const foreignUser = await send('GET', `/users/${id}`, { key: secretKey });
      expect([foreignUser.status, foreignUser.text]).toEqual([404, missing.text]);
      // At home both are still valid.
      expect((await post('/token/refresh', { refreshToken: own.refreshToken })).status).toBe(200);
    }
    expect((await post('/password/reset', { token: reset, password: NEW_PASSWORD })).status).toBe(200);
    const inOrg = await handler.fetch(
      new Request(`http://test/api/v1/orgs/${other}/auth-service/users`, { headers: { 'x-api-key': app.secretKey } }),
    );
    expect(inOrg.status).toBe(404);
  });

  it('browsers of other origins may call exactly the routes of a public key', async () => {
    for (const route of routes) {
      const path = pathsOf(route, '/api/v1').find((one) => one.includes('/auth-service/'));
      if (path === undefined) continue;
      const filled = path.replaceAll(/:\w+/g, NOBODY);
      const { method } = route;
      const headers = { origin: 'https://app.example.com', 'x-api-key': app.publicKey, 'x-forwarded-for': '10.9.9.9' };
      const response = await handler.fetch(new Request(`http://test${filled}`, { method, headers }));
      const allowed = response.headers.get('access-control-allow-origin');
      const isOfApps = route.scope === 'tokens:write';
      expect([isPublic(route), allowed], `${method} ${path}`).toEqual([isOfApps, isOfApps ? '*' : null]);
      expect(response.headers.get('access-control-allow-credentials')).toBe(null);
      if (!isOfApps && route.needs !== 'nothing') expect(response.status, path).toBe(403);
    }
    const preflight = await handler.fetch(
      new Request('http://test/api/v1/auth-service/login', {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example.com', 'access-control-request-headers': 'authorization' },
      }),
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  it('a request without a valid access token is refused with the reason', async () => {
    await user('tokens@example.com');
    const { accessToken } = await signIn('tokens@example.com');
    for (const token of [undefined, 'x', `${accessToken}x`, `${accessToken.slice(0, -4)}AAAA`])
      expect(reasonOf(await send('GET', '/me', { token }))).toEqual([401, 'token_invalid']);
    clock.advance(16 * 60_000);
    expect(reasonOf(await send('GET', '/me', { token: accessToken }))).toEqual([401, 'token_invalid']);
    // The key is checked first, and is no substitute for a token.
    const noKey = await send('GET', '/me', { key: 'pk_test_nobody', token: accessToken });
    expect([noKey.status, noKey.json.error.details?.['reason']]).toEqual([401, undefined]);
    expect(reasonOf(await send('GET', '/me', { key: app.secretKey }))).toEqual([401, 'token_invalid']);
  });

  it('B7, B10: one address has 30 attempts, counted before the key is looked at and by the kind of attempt', async () => {
    const ip = '203.0.113.7';
    const login = { email: 'nobody@example.com', password: PASSWORD };
    const attempt = () => post('/login', login, { key: 'pk_test_nobody', ip });
    for (let tries = 0; tries < 30; tries += 1) expect((await attempt()).status).toBe(401);
    const refused = await attempt();
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Codes of emails have a count of their own.
    const verify = { email: 'nobody@example.com', code: '123456' };
    expect((await post('/email/verify', verify, { ip })).status).toBe(401);
    expect((await post('/login', login, { ip: '203.0.113.8' })).status).toBe(401);
  });

  it('B8: a body of an app has at most 64 KB', async () => {
    const body = (bytes: number): string => `{"password":"${'x'.repeat(bytes - 15)}"}`;
    for (const route of routes) {
      if (route.needs !== 'project' || route.scope !== 'tokens:write' || !route.path.startsWith('/auth-service/'))
        continue;
      if (route.bodyCap === null) continue;
      const path = route.path.replace('/auth-service', '');
      expect((await send(route.method, path, { body: body(65_536) })).status, path).not.toBe(413);
      expect((await send(route.method, path, { body: body(65_537) })).status, path).toBe(413);
    }
  });

  it('sign-in needs publicUrl, and says so', async () => {
    const without = await createBeckon({ db: database.url, masterKey, clock });
    const bare = createHandler(without, { clock, trustedProxies: 1 });
    const bodies = {
      '/login': { email: 'ann@example.com', password: PASSWORD },
      '/token/refresh': { refreshToken: `rt_${'A'.repeat(43)}` },
      '/password/reset': { token: `pr_${'A'.repeat(43)}`, password: PASSWORD },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const { status, json } = await send('POST', path, { body }, bare);
      expect([status, json.error.details['missing']], path).toEqual([412, ['publicUrl']]);
    }
    const issuer = `/projects/${app.scope.projectId}/test/.well-known/openid-configuration`;
    expect((await send('GET', issuer, {}, bare)).status).toBe(412);
    await without.close();
  });

  it('K9: a standard client finds the public keys of an issuer and verifies an access token', async () => {
    await user('standard@example.com');
    const server = await listen(handler, { port: 0 });
    try {
      const { accessToken, user: signedIn } = await signIn('standard@example.com');
      const issuer = `https://auth.example/api/v1/auth-service/projects/${app.scope.projectId}/test`;
      const at = (url: string) => new URL(url.replace('https://auth.example', server.url));
      const response = await fetch(at(`${issuer}/.well-known/openid-configuration`));
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      // Safe: the members are compared below.
      const found = (await response.json()) as { success: boolean; data: object; issuer: string; jwks_uri: string };
      expect(found).toMatchObject({ success: true, issuer, data: { issuer, jwks_uri: found.jwks_uri } });
      const keys = createRemoteJWKSet(at(found.jwks_uri));
      const options = { issuer, audience: app.scope.projectId, algorithms: ['ES256'], currentDate: clock.now() };
      const { payload } = await jwtVerify(accessToken, keys, options);
      expect(payload).toMatchObject({ sub: signedIn.id, uid: signedIn.userId, env: 'test' });
    } finally {
      await server.close();
    }
  });

  it('an issuer that does not exist has no keys', async () => {
    const missing = await send('GET', `/projects/${NOBODY}/test/.well-known/jwks.json`);
    expect(missing.status).toBe(404);
    const { projectId } = app.scope;
    for (const path of [`/projects/${projectId}/staging`, `/projects/${encodeURIComponent("' or 1=1")}/prod`])
      expect((await send('GET', `${path}/.well-known/jwks.json`)).text).toBe(missing.text);
  });

  it('texts that PostgreSQL cannot store are refused on both databases', async () => {
    const account = { email: 'nul@example.com', password: PASSWORD };
    for (const wrong of [{ name: 'a\0b' }, { locale: '\0' }]) {
      const { status, json } = await post('/signup', { ...account, ...wrong });
      expect([status, Object.keys(Object(json.error.details['fieldErrors']))[0]]).toEqual([400, Object.keys(wrong)[0]]);
    }
    // Metadata is cleaned, as traits are.
    expect((await post('/signup', { ...account, metadata: { a: ['\0'], 'b\0': 1 } })).status).toBeLessThan(500);
    const settings = { profileTraits: { name: 'a\0' } };
    expect((await send('PUT', '/settings', { key: app.secretKey, body: settings })).status).toBe(400);
  });

  it('I7 an import takes a secret key, 1,000 users and 1 MB, and not one more', async () => {
    const row = (at: number) => ({ externalId: `i${at}`, email: `i${at}@example.com` });
    const users = (count: number) => Array.from({ length: count }, (_, at) => row(at));
    const load = (body: unknown, key = app.secretKey) => post('/users/bulk-import', body, { key });
    expect((await load({ users: users(2) }, app.publicKey)).status).toBe(403);
    expect((await load({ users: users(1_001) })).status).toBe(400);
    const { status, json } = await load({ users: users(1_000) });
    expect([status, json.data]).toEqual([200, expect.objectContaining({ imported: 1_000, failed: 0 })]);
    // Spaces between the members fill the body up to the limit.
    const start = `{"users":[${JSON.stringify(row(0))}]`;
    const sized = (bytes: number) => `${start}${' '.repeat(bytes - start.length - 1)}}`;
    const raw = async (bytes: number) => {
      const url = 'http://test/api/v1/auth-service/users/bulk-import';
      const headers = { 'x-api-key': app.secretKey, 'content-type': 'application/json' };
      return (await handler.fetch(new Request(url, { method: 'POST', headers, body: sized(bytes) }))).status;
    };
    expect([await raw(1_048_576), await raw(1_048_577)]).toEqual([200, 413]);
  });

  it('no response sets a cookie', () => {
    expect(responses.length).toBeGreaterThan(100);
    for (const response of responses) expect(response.headers.get('set-cookie')).toBe(null);
  });
});
