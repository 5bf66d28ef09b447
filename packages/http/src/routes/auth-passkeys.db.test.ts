import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { enrollAndSignIn } from '../../../core/test/support/identity/enroll.ts';
import { SITE } from '../../../core/test/support/identity/passkey.ts';
import { softAuthenticator } from '../../../core/test/support/identity/soft-authenticator.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import { createHandler, type Handler } from '../index.ts';

const PASSWORD = 'correct horse battery staple';
const MINUTE = 60_000;

// Safe: JSON.parse returns any value; the tests read members that they check.
type Json = {
  data: Record<string, unknown> & Partial<Options>;
  error: { code: string; details: Record<string, unknown> };
};
type Options = {
  readonly challengeId: string;
  readonly publicKey: { readonly challenge: string; readonly user: { readonly id: string } };
};
type Sent = { readonly token?: string; readonly body?: unknown; readonly ip?: string; readonly to?: Handler };

describe('passkeys over HTTP', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const masterKey = newMasterKey();
  const folder = mkdtempSync(join(tmpdir(), 'beckon-passkeys-'));
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  let calls = 0;

  beforeAll(async () => {
    // A file: in memory, each Beckon would have a database of its own.
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'passkeys.db')}` });
    beckon = await createBeckon({ db: database.url, masterKey, clock, publicUrl: SITE.origin });
    handler = createHandler(beckon, { clock, trustedProxies: 1 });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    key = (await beckon.tenancy.createKey({ kind: 'public', environment: 'test', grants })).secret;
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (method: string, path: string, { token, body, ip, to = handler }: Sent = {}) => {
    calls += 1;
    const response = await to.fetch(
      new Request(`http://test/api/v1/auth-service${path}`, {
        method,
        headers: {
          ...{ 'x-api-key': key, 'x-forwarded-for': ip ?? `10.2.${calls >> 8}.${calls & 255}` },
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, json: JSON.parse(await response.text()) as Json };
  };
  const post = (path: string, sent: Sent = {}) => send('POST', path, sent);
  /** Options of a ceremony. */
  const optionsOf = async (path: string, sent: Sent = {}): Promise<Options> => {
    const { challengeId = '', publicKey } = (await post(path, sent)).json.data;
    if (!publicKey) throw new Error('no options');
    return { challengeId, publicKey };
  };
  const user = async (email: string) => {
    await beckon.users.create(scope, { email, emailVerified: true, password: PASSWORD });
    return tokensOf(beckon.auth.signIn(scope, { email, password: PASSWORD }));
  };
  /** Adds a passkey. */
  const register = async (token: string) => {
    const device = softAuthenticator();
    const { challengeId, publicKey } = await optionsOf('/passkeys/options', { token });
    const response = device.register({ ...SITE, challenge: publicKey.challenge });
    const added = await post('/passkeys', { token, body: { challengeId, response, name: 'Laptop' } });
    return { device, added, handle: Buffer.from(publicKey.user.id, 'base64url') };
  };
  const reasonOf = ({ status, json }: Awaited<ReturnType<typeof send>>) => [status, json.error.details['reason']];

  it('a user adds a passkey, signs in with it, renames it and removes it', async () => {
    const { accessToken, user: ann } = await user('ann@example.com');
    const { device, added, handle } = await register(accessToken);
    expect(added).toMatchObject({ status: 201, json: { data: { name: 'Laptop', lastUsedAt: null } } });

    const { challengeId, publicKey } = await optionsOf('/login/passkey/options');
    const response = device.signIn({ ...SITE, challenge: publicKey.challenge }, handle);
    const signedIn = await post('/login/passkey/verify', { body: { challengeId, response } });
    expect(signedIn).toMatchObject({ status: 200, json: { data: { tokenType: 'Bearer', user: { id: ann.id } } } });
    const token = String(signedIn.json.data['accessToken']);
    const again = await post('/login/passkey/verify', { body: { challengeId, response } });
    expect(reasonOf(again)).toEqual([401, 'passkey_invalid']);

    const path = `/passkeys/${String(added.json.data['id'])}`;
    expect((await send('PATCH', path, { token, body: { name: 'Phone' } })).json.data).toMatchObject({ name: 'Phone' });
    expect((await send('GET', '/passkeys', { token })).json.data).toMatchObject([{ name: 'Phone' }]);
    expect((await send('DELETE', path, { token })).json.data).toEqual({ rpId: SITE.rpId, credentialId: device.id });
    expect((await send('GET', '/passkeys', { token })).json.data).toEqual([]);
  });

  it('changes of passkeys need a recent sign-in, which a passkey renews', async () => {
    const { accessToken: token } = await user('ben@example.com');
    const { device, added } = await register(token);
    clock.advance(11 * MINUTE);
    const path = `/passkeys/${String(added.json.data['id'])}`;
    const writes = [
      post('/passkeys/options', { token }),
      post('/passkeys', { token, body: { challengeId: scope.projectId, response: {} } }),
      send('PATCH', path, { token, body: { name: 'Phone' } }),
      send('DELETE', path, { token }),
    ];
    for (const answer of await Promise.all(writes)) expect(reasonOf(answer)).toEqual([403, 'reauth_required']);
    expect((await send('GET', '/passkeys', { token })).status).toBe(200);

    const { challengeId, publicKey } = await optionsOf('/reauthenticate/passkey/options', { token });
    const response = device.signIn({ ...SITE, challenge: publicKey.challenge }, null);
    const renewed = await post('/reauthenticate', { token, body: { passkey: { challengeId, response } } });
    expect(renewed.status).toBe(200);
    const fresh = String(renewed.json.data['accessToken']);
    expect((await send('DELETE', path, { token: fresh })).status).toBe(200);
  });

  it('a passkey is a second factor, and adding one needs the second factor', async () => {
    const account = { email: 'cy@example.com', password: PASSWORD };
    const { accessToken } = await user(account.email);
    const { device } = await register(accessToken);
    const { challenge } = await enrollAndSignIn(beckon, scope, account);
    const { id, token } = challenge;
    const { publicKey } = await optionsOf(`/mfa/challenge/${id}/passkey-options`, { body: { token } });
    const passkey = device.signIn({ ...SITE, challenge: publicKey.challenge }, null);
    const done = await post(`/mfa/challenge/${id}/verify`, { body: { token, passkey } });
    expect(done.status).toBe(200);
    expect((await post('/passkeys/options', { token: String(done.json.data['accessToken']) })).status).toBe(200);
    expect(reasonOf(await post('/passkeys/options', { token: accessToken }))).toEqual([403, 'reauth_required']);
  });

  it('a user who must enroll a second factor reaches passkeys', async () => {
    const { accessToken: token } = await user('dee@example.com');
    await beckon.auth.updateSettings(scope, { mfa: { mode: 'required' } });
    expect((await register(token)).added.status).toBe(201);
    expect(reasonOf(await send('PATCH', '/me', { token, body: {} }))).toEqual([403, 'mfa_enrollment_required']);
    await beckon.auth.updateSettings(scope, { mfa: null });
  });

  it('one address has 30 attempts with passkeys', async () => {
    const body = { challengeId: scope.projectId, response: {} };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 31; attempt += 1)
      statuses.push((await post('/login/passkey/verify', { body, ip: '203.0.113.7' })).status);
    expect(statuses.slice(0, 30).every((status) => status === 401)).toBe(true);
    expect(statuses[30]).toBe(429);
  });

  it('passkeys need publicUrl, and say so', async () => {
    const { accessToken: token } = await user('eve@example.com');
    const without = await createBeckon({ db: database.url, masterKey, clock });
    const to = createHandler(without, { clock, trustedProxies: 1 });
    for (const [path, sent] of [
      ['/login/passkey/options', {}],
      ['/login/passkey/verify', { body: { challengeId: scope.projectId, response: {} } }],
      ['/passkeys/options', { token }],
    ] as const) {
      const { status, json } = await post(path, { ...sent, to });
      expect([status, json.error.details['missing']], path).toEqual([412, ['publicUrl']]);
    }
    await without.close();
  });
});
