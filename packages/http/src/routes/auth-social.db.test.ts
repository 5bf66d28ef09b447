import { createHash, randomBytes } from 'node:crypto';
import { type Beckon, createBeckon, newMasterKey, systemClock } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import {
  type MisbehavingProvider,
  misbehavingProvider,
} from '../../../core/test/support/identity/misbehaving-provider.ts';
import { realProvider } from '../../../core/test/support/identity/real-provider.ts';
import { appleKeys, endpointsFor } from '../../../core/test/support/identity/social-world.ts';
import { createHandler, type Handler } from '../index.ts';

const PAGE = 'https://app.example.com/signed-in';
const BASE = 'https://auth.example/api/v1';
const CALLBACK = `${BASE}/auth-service/login/social/callback`;
const CREDENTIALS = { clientId: 'client-1', clientSecret: 'secret-1' };

// Safe: JSON.parse returns any value; the tests read members that they check.
type Json = { data: Record<string, unknown>; error: { code: string; details: { reason?: string } } };
type Sent = { method?: string; key?: string; token?: string; body?: unknown; headers?: Record<string, string> };
let clients = 0;

describe('social sign-in over HTTP', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let idp: MisbehavingProvider;
  let real: Awaited<ReturnType<typeof realProvider>>;
  let publicKey: string;
  let secretKey: string;
  let orgId: string;

  beforeAll(async () => {
    // The provider prints that its defaults are not for production.
    for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
    idp = await misbehavingProvider(() => systemClock.now());
    real = await realProvider({ ...CREDENTIALS, redirectUri: `${CALLBACK}/gitlab` });
    database = await openTestDatabase();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey(), publicUrl: 'https://auth.example' },
      outbound: { allowCidrs: ['127.0.0.0/8'] },
      auth: {
        providerUrls: {
          ...{ google: endpointsFor(idp, 'google'), apple: endpointsFor(idp, 'apple') },
          gitlab: real.endpoints,
        },
      },
    });
    handler = createHandler(beckon, { trustedProxies: 1 });
    ({ id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' }));
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const grants = [{ orgId, projectId }];
    const keyOf = async (kind: 'public' | 'secret') =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants })).secret;
    [publicKey, secretKey] = [await keyOf('public'), await keyOf('secret')];
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    await beckon.auth.updateSettings(scope, { redirectUris: [PAGE] });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await idp.close();
    await real.close();
  });
  beforeEach(() => {
    idp.behaviour.claims = (correct) => correct;
  });

  const send = async (path: string, { method = 'GET', key, token, body, headers = {} }: Sent = {}) => {
    clients += 1;
    const isForm = body instanceof URLSearchParams;
    const response = await handler.fetch(
      new Request(path.startsWith('https:') ? path : `${BASE}${path}`, {
        method,
        headers: {
          'X-Forwarded-For': `203.0.${Math.floor(clients / 250)}.${clients % 250}`,
          ...(key === undefined ? {} : { 'X-API-Key': key }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: JSON.parse(text || '{}') as Json };
  };
  const setUp = (provider: string, body: object) =>
    send(`/auth-service/social/providers/${provider}`, { method: 'PUT', key: secretKey, body });
  const pkce = () => {
    const codeVerifier = randomBytes(32).toString('base64url');
    return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
  };
  const begin = async (provider: string, { path = '/auth-service/login/social', token = '', headers = {} } = {}) => {
    const { codeVerifier, codeChallenge } = pkce();
    const body = { provider, redirectTo: PAGE, codeChallenge, codeChallengeMethod: 'S256' };
    const begun = await send(path, {
      ...{ method: 'POST', key: publicKey, body, headers },
      ...(token === '' ? {} : { token }),
    });
    expect([begun.status, begun.json.data['expiresIn']]).toEqual([200, 600]);
    return { codeVerifier, codeChallenge, url: String(begun.json.data['authorizationUrl']) };
  };
  /** The code that a redirect to the stored page carries. */
  const codeOf = (answer: Awaited<ReturnType<typeof send>>): string => {
    expect(answer.status).toBe(303);
    const target = new URL(answer.headers.get('location') ?? '');
    expect(`${target.origin}${target.pathname}`).toBe(PAGE);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    // H3: the page that the user came from learns nothing of the code.
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('set-cookie')).toBeNull();
    return target.searchParams.get('code') ?? `error ${target.searchParams.get('error')}`;
  };
  const exchange = (code: string, codeVerifier: string, token?: string) =>
    send('/auth-service/token/exchange', {
      ...{ method: 'POST', key: publicKey, body: { code, codeVerifier } },
      ...(token === undefined ? {} : { token }),
    });

  it('an operator sets up providers, and no response holds a secret', async () => {
    const set = await setUp('gitlab', CREDENTIALS);
    expect([set.status, set.json.data['callbackUrl'], set.json.data['hasClientSecret']]).toEqual([
      ...[200, `${CALLBACK}/gitlab`, true],
    ]);
    expect((await setUp('google', CREDENTIALS)).status).toBe(200);
    const clientSecret = appleKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const extra = { teamId: 'TEAM123456', keyId: 'KEY1234567' };
    expect((await setUp('apple', { clientId: 'client-1', clientSecret, extra })).status).toBe(200);
    expect((await setUp('myspace', CREDENTIALS)).json.error.details.reason).toBe('provider_unknown');
    const listed = await send('/auth-service/social/providers', { key: secretKey });
    const one = await send(`/orgs/${orgId}/auth-service/social/providers/gitlab`, { key: secretKey });
    expect(JSON.stringify([set, listed, one])).not.toMatch(/secret-1|PRIVATE KEY/);
    expect(one.json.data['clientId']).toBe('client-1');
    const shown = await send('/auth-service/login/social/providers', { key: publicKey });
    expect(shown.json.data).toEqual(
      expect.arrayContaining([{ provider: 'gitlab', enabled: true, clientId: 'client-1' }]),
    );
    expect((await send('/auth-service/social/providers', { key: publicKey })).status).toBe(403);
  });

  it('a user signs in at a real OpenID provider, from the button to the access token', async () => {
    const begun = await begin('gitlab');
    const returned = await real.browse(begun.url);
    const answer = await send(returned.href);
    const code = codeOf(answer);
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('c')).toBe(begun.codeChallenge.slice(0, 8));
    // The same callback a second time, and another client's verifier.
    const again = await send(returned.href);
    expect([again.status, again.json.error.details.reason, again.headers.get('location')]).toEqual([
      ...[400, 'state_invalid', null],
    ]);
    expect((await exchange(code, pkce().codeVerifier)).json.error.details.reason).toBe('invalid_grant');
    const tokens = await exchange(code, begun.codeVerifier);
    expect([tokens.status, tokens.json.data['user']]).toMatchObject([
      200,
      { email: 'ada@example.com', emailVerified: true },
    ]);
    const token = String(tokens.json.data['accessToken']);
    const mine = await send('/auth-service/identities', { key: publicKey, token });
    expect(mine.json.data).toMatchObject([{ provider: 'gitlab', subject: 'ada' }]);
    const { id } = tokens.json.data['user'] as { id: string }; // The response was checked above.
    const theirs = await send(`/auth-service/users/${id}/identities`, { key: secretKey });
    expect(theirs.json.data).toEqual(mine.json.data);
  });

  it("Apple's form leads to the stored page", async () => {
    idp.behaviour.claims = (correct) => ({ ...correct, email: 'eve@example.com', email_verified: 'true' });
    const begun = await begin('apple');
    const state = idp.authorize(begun.url).get('state') ?? '';
    const body = new URLSearchParams({ code: 'code-1', state });
    const code = codeOf(await send(`${CALLBACK}/apple`, { method: 'POST', body }));
    expect((await exchange(code, begun.codeVerifier)).json.data['user']).toMatchObject({ email: 'eve@example.com' });
    const large = new URLSearchParams({ code: 'x'.repeat(65_536), state });
    expect((await send(`${CALLBACK}/apple`, { method: 'POST', body: large })).status).toBe(413);
  });

  it('a failure at a misbehaving provider leads to the stored page, without any text of the provider', async () => {
    idp.behaviour.claims = (correct) => ({ ...correct, nonce: 'another' });
    const begun = await begin('google');
    const state = idp.authorize(begun.url).get('state') ?? '';
    const wrong = await send(`${CALLBACK}/google?code=code-1&state=${state}`);
    expect(codeOf(wrong)).toBe('error invalid_id_token');
    const other = idp.authorize((await begin('google')).url).get('state') ?? '';
    const declined = await send(`${CALLBACK}/google?error=access_denied&error_description=evil%20text&state=${other}`);
    expect(codeOf(declined)).toBe('error access_denied');
    expect(declined.headers.get('location')).not.toContain('evil');
  });

  it('O1 an invalid state is answered as JSON and never redirects', async () => {
    for (const query of ['', '?state=x', `?code=a&state=st_${'a'.repeat(43)}`, '?state=a&state=b']) {
      const answer = await send(`${CALLBACK}/google${query}`);
      expect([answer.status, answer.json.error.details.reason, answer.headers.get('location')]).toEqual([
        ...[400, 'state_invalid', null],
      ]);
    }
    expect((await send(`${CALLBACK}/myspace?state=x`)).json.error.details.reason).toBe('provider_unknown');
  });

  it('H1 forged headers change neither the callback URL nor the target', async () => {
    const headers = {
      ...{ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' },
      ...{ Forwarded: 'host=evil.example', Origin: 'https://evil.example', Referer: 'https://evil.example' },
    };
    const begun = await begin('google', { headers });
    expect(new URL(begun.url).searchParams.get('redirect_uri')).toBe(`${CALLBACK}/google`);
    expect(begun.url).not.toContain('evil');
  });

  it('a signed-in user links an identity with the session that began the link', async () => {
    idp.behaviour.claims = (correct) => ({ ...correct, sub: 'linker', email: 'li@example.com', email_verified: true });
    const first = await begin('google');
    const state = idp.authorize(first.url).get('state') ?? '';
    const signedIn = await exchange(
      codeOf(await send(`${CALLBACK}/google?code=code-1&state=${state}`)),
      first.codeVerifier,
    );
    const token = String(signedIn.json.data['accessToken']);
    idp.behaviour.claims = (correct) => ({ ...correct, sub: 'second', email: 'li@example.com', email_verified: true });
    const link = await begin('google', { path: '/auth-service/identities/link', token });
    const linkState = idp.authorize(link.url).get('state') ?? '';
    const code = codeOf(await send(`${CALLBACK}/google?code=code-1&state=${linkState}`));
    expect((await exchange(code, link.codeVerifier)).json.error.details.reason).toBe('invalid_grant');
    expect((await exchange(code, link.codeVerifier, 'x.y.z')).json.error.details.reason).toBe('token_invalid');
    const linked = await exchange(code, link.codeVerifier, token);
    expect(linked.json.data).toMatchObject({ linked: { provider: 'google', subject: 'second' } });
    const { id } = linked.json.data['linked'] as { id: string }; // The response was checked above.
    const gone = await send(`/auth-service/identities/${id}`, { method: 'DELETE', key: publicKey, token });
    expect(gone.json.data).toEqual({ unlinked: true });
    const stranger = await send(`/auth-service/identities/${id}`, { method: 'DELETE', key: publicKey });
    expect(stranger.status).toBe(401);
  });
});
