import { createHmac } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Behaviour, Claims } from '../../test/support/identity/misbehaving-provider.ts';
import { DOMAIN, openSsoAuth, type SsoAuth } from '../../test/support/identity/sso-auth.ts';
import { MINUTE, PAGE, refused } from '../../test/support/identity/world.ts';
import type { SsoConnection } from './sso/answers.generated.ts';

const ADA = `ada@${DOMAIN}`;
const STATE_INVALID = { code: 'VALIDATION_ERROR', ...refused('state_invalid') };
const MANY = Array.from({ length: 8 }, (_, index) => index);

describe('sign-in by OpenID Connect', () => {
  let world: SsoAuth;
  let connection: SsoConnection;
  beforeEach(async () => {
    world = await openSsoAuth();
    world.says({ email: ADA, name: 'Ada', locale: 'en', groups: ['admins'] });
    connection = await world.connectOidc();
    await world.prove(connection);
  });
  /** The error with which a sign-in ends; null: it succeeded. */
  const errorOf = async (params: Readonly<Record<string, string>> = { code: 'code-1' }): Promise<string | null> => {
    const { state } = await world.start({ connectionId: connection.id });
    return (await world.callBack(connection, { ...params, state })).searchParams.get('error');
  };

  it('a first sign-in creates a verified account, and the next one finds it', async () => {
    const started = await world.start({ email: ADA });
    const request = new URL(started.authorizationUrl).searchParams;
    expect(Object.fromEntries(request)).toMatchObject({
      ...{ response_type: 'code', client_id: 'client-1', scope: 'openid email profile', login_hint: ADA },
      redirect_uri: `https://beckon.test/api/v1/auth-service/sso/oidc/${connection.id}/callback`,
      ...{ code_challenge_method: 'S256', nonce: expect.stringMatching(/^[\w-]{43}$/) },
    });
    const url = await world.callBack(connection, { code: 'code-1', state: started.state });
    expect(url.href).toMatch(new RegExp(`^${PAGE}\\?code=oc_[\\w-]{43}&c=[\\w-]{8}$`));
    const { user } = await world.finish(url, started.codeVerifier);
    expect(user).toMatchObject({ email: ADA, emailVerified: true, name: 'Ada', locale: 'en', source: 'sso' });
    expect((await world.signInByOidc(connection)).user.id).toBe(user.id);
    expect((await world.users.identities(world.scope, user.id)).data).toMatchObject([
      { provider: 'oidc', connectionId: connection.id, subject: 'user-1', email: ADA, emailVerified: true },
    ]);
    const token = world.idp.requests.find(({ path }) => path === '/token');
    expect(token?.authorization).toMatch(/^Basic /);
    expect(token?.form.get('client_secret')).toBeNull();
  });

  it('an address that the provider calls unverified is only a label', async () => {
    for (const email_verified of [false, 'false']) {
      world.says({ email: ADA, email_verified, sub: `user-${email_verified}-${typeof email_verified}` });
      expect((await world.signInByOidc(connection)).user.email).toBeNull();
    }
  });

  it('scope-userinfo-claims: claims that the ID token lacks come from userinfo, and the signed ones win', async () => {
    world.says({ name: 'Signed' });
    world.idp.behaviour.userinfo = { sub: 'user-1', email: ADA, name: 'Unsigned' };
    expect((await world.signInByOidc(connection)).user).toMatchObject({ email: ADA, name: 'Signed' });
  });

  it('userinfo-invalid-sub: userinfo of another subject is refused', async () => {
    world.says({});
    world.idp.behaviour.userinfo = { sub: 'user-2', email: ADA };
    expect(await errorOf()).toBe('provider_error');
  });

  it('client-secret-post: the secret is posted if the provider supports nothing else', async () => {
    world.idp.behaviour.discovery = (correct) => ({
      ...correct,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
    await world.signInByOidc(connection);
    expect(world.idp.requests.find(({ path }) => path === '/token')?.form.get('client_secret')).toBe('secret-1');
  });

  const seconds = (): number => Math.floor(world.clock.now().getTime() / 1_000);
  it.each<[string, (correct: Claims) => Claims]>([
    ['nonce-invalid', (correct) => ({ ...correct, nonce: 'another' })],
    ['nonce-missing', ({ nonce: _, ...correct }) => correct],
    ['invalid-iss', (correct) => ({ ...correct, iss: 'https://evil.example' })],
    ['missing-iss', ({ iss: _, ...correct }) => correct],
    ['invalid-aud', (correct) => ({ ...correct, aud: 'client-2' })],
    ['several audiences', (correct) => ({ ...correct, aud: ['client-1', 'client-2'], azp: 'client-1' })],
    ['missing-aud', ({ aud: _, ...correct }) => correct],
    ['missing-iat', ({ iat: _, ...correct }) => correct],
    ['missing-exp', ({ exp: _, ...correct }) => correct],
    ['missing-sub', ({ sub: _, ...correct }) => correct],
    ['empty sub', (correct) => ({ ...correct, sub: '' })],
    ['number as sub', (correct) => ({ ...correct, sub: 7 })],
    ['long sub', (correct) => ({ ...correct, sub: 'x'.repeat(256) })],
    ['expired', (correct) => ({ ...correct, iat: seconds() - 700, exp: seconds() - 100 })],
    ['not yet valid', (correct) => ({ ...correct, nbf: seconds() + 300 })],
  ])('%s: the ID token is refused', async (_, claims) => {
    world.idp.behaviour.claims = claims;
    expect(await errorOf()).toBe('invalid_id_token');
    expect((await world.refusals())[0]).toMatch(/^invalid_id_token: \w+$/);
  });

  const unsigned = (claims: Claims): string => new UnsecuredJWT({ ...claims }).encode();
  const symmetric = (claims: Claims): string => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256', kid: 'first' })}.${part(claims)}`;
    return `${text}.${createHmac('sha256', 'secret-1').update(text).digest('base64url')}`;
  };
  it.each<[string, (claims: Claims) => string | Promise<string>]>([
    ['idtoken-sig-none', unsigned],
    ['invalid-sig-hs256', symmetric],
    ['invalid-sig-es256', (claims) => world.idp.sign(claims, { kid: 'first' }, 'second')],
    ['unknown key', (claims) => world.idp.sign(claims, { kid: 'second' }, 'second')],
    ['unknown crit', (claims) => world.idp.sign(claims, { crit: ['evil'], evil: true })],
    ['no token', () => 'no token'],
  ])('%s: the ID token is refused', async (_, tokenOf) => {
    const { state, authorizationUrl } = await world.start({ connectionId: connection.id });
    const nonce = new URL(authorizationUrl).searchParams.get('nonce');
    const { issuer: iss } = world.idp.endpoints;
    const claims = { iss, sub: 'user-1', aud: 'client-1', iat: seconds(), exp: seconds() + 600, nonce, email: ADA };
    world.idp.behaviour.idToken = await Promise.resolve()
      .then(() => tokenOf(claims))
      .catch(() => 'not signed');
    const url = await world.callBack(connection, { code: 'code-1', state });
    expect(url.searchParams.get('error')).toBe('invalid_id_token');
  });

  it('signing-key-rotation: a new key is fetched when a token names it', async () => {
    await world.signInByOidc(connection);
    world.clock.advance(MINUTE);
    // The library that reads keys waits 30 seconds between two requests, by the clock of the system.
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000);
    onTestFinished(() => now.mockRestore());
    world.idp.behaviour.publishedKeys = ['second'];
    const { state, authorizationUrl, codeVerifier } = await world.start({ connectionId: connection.id });
    const nonce = new URL(authorizationUrl).searchParams.get('nonce');
    const { issuer: iss } = world.idp.endpoints;
    const claims = { iss, sub: 'user-1', aud: 'client-1', iat: seconds(), exp: seconds() + 600, nonce, email: ADA };
    world.idp.behaviour.idToken = await world.idp.sign(claims, { kid: 'second' }, 'second');
    const url = await world.callBack(connection, { code: 'code-1', state });
    await world.finish(url, codeVerifier);
  });

  it('O1 a state works once, for its own connection, and for 10 minutes', async () => {
    const [used, foreign, late] = [
      await world.start({ connectionId: connection.id }),
      await world.start({ connectionId: connection.id }),
      await world.start({ connectionId: connection.id }),
    ];
    await world.callBack(connection, { code: 'code-1', state: used.state });
    await expect(world.callBack(connection, { code: 'code-1', state: used.state })).rejects.toMatchObject(
      STATE_INVALID,
    );
    const other = await world.connectOidc();
    await expect(world.callBack(other, { code: 'code-1', state: foreign.state })).rejects.toMatchObject(STATE_INVALID);
    world.clock.advance(10 * MINUTE);
    await expect(world.callBack(connection, { code: 'code-1', state: late.state })).rejects.toMatchObject(
      STATE_INVALID,
    );
    for (const state of ['', 'st_x', `st_${'a'.repeat(43)}`])
      await expect(world.callBack(connection, { code: 'code-1', state })).rejects.toMatchObject(STATE_INVALID);
  });

  it('O1 a state of one kind of sign-in is none of another kind', async () => {
    const oidc = await world.start({ connectionId: connection.id });
    const saml = await world.connectSaml();
    const started = await world.start({ connectionId: saml.id });
    const social = await world.begin();
    await expect(world.post(world.respond(saml, started.requestId), oidc.state)).rejects.toMatchObject(
      refused('saml_invalid'),
    );
    for (const { state } of [started, social])
      await expect(world.callBack(connection, { code: 'code-1', state })).rejects.toMatchObject(STATE_INVALID);
    for (const { state } of [oidc, started])
      await expect(world.call('google', { code: 'code-1', state })).rejects.toMatchObject(STATE_INVALID);
  });

  it('O1 one state in 8 callbacks at once gives one code', async () => {
    const { state } = await world.start({ connectionId: connection.id });
    const results = await Promise.allSettled(MANY.map(() => world.callBack(connection, { code: 'code-1', state })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('O4 a callback that names another issuer is refused, and one without an issuer where the provider sends it', async () => {
    const iss = 'https://evil.example';
    await expect(errorOf({ code: 'code-1', iss })).rejects.toMatchObject(STATE_INVALID);
    expect(await errorOf({ code: 'code-1', iss: world.idp.endpoints.issuer })).toBeNull();
    world.idp.behaviour.discovery = (correct) => ({
      ...correct,
      authorization_response_iss_parameter_supported: true,
    });
    world.clock.advance(11 * MINUTE);
    await expect(errorOf()).rejects.toMatchObject(STATE_INVALID);
  });

  it('O6 an error of the provider leads to the stored page without any text of the provider', async () => {
    const error_description = 'text of the provider';
    expect(await errorOf({ error: 'access_denied', error_description })).toBe('access_denied');
    expect(await errorOf({ error: 'server_error', error_description })).toBe('provider_error');
    expect(await errorOf({})).toBe('provider_error');
    expect(JSON.stringify((await world.auth.audit(world.scope)).data)).not.toContain('text of the provider');
  });

  it('discovery-issuer-mismatch: a discovery document of another issuer or with unusable endpoints is refused', async () => {
    for (const change of [
      { issuer: 'https://evil.example' },
      { issuer: `${world.idp.endpoints.issuer}/` },
      { token_endpoint: undefined },
      { jwks_uri: 'ftp://example.com/keys' },
      { authorization_endpoint: 'javascript:alert(1)' },
      { userinfo_endpoint: 7 },
    ]) {
      world.idp.behaviour.discovery = (correct) => ({ ...correct, ...change });
      await expect(world.start({ connectionId: connection.id })).rejects.toMatchObject({
        code: 'PROVIDER_NOT_CONFIGURED',
      });
    }
  });

  it.each<[string, Behaviour['answers'][string], object]>([
    ['an answer of status 500', (response) => void response.writeHead(500).end('evil'), { code: 'OVERLOADED' }],
    [
      'a redirect',
      (response) => void response.writeHead(302, { location: '/keys' }).end(),
      { code: 'PROVIDER_NOT_CONFIGURED' },
    ],
    ['more than 256 KB', (response) => void response.end('x'.repeat(262_145)), { code: 'PROVIDER_NOT_CONFIGURED' }],
    ['no JSON', (response) => void response.end('<html>'), { code: 'PROVIDER_NOT_CONFIGURED' }],
  ])('O10 a discovery document with %s is not used', async (_, answer, error) => {
    world.idp.behaviour.answers['/.well-known/openid-configuration'] = answer;
    await expect(world.start({ connectionId: connection.id })).rejects.toMatchObject(error);
  });

  it('O10 a provider at a private address that the operator has not allowed is not reached', async () => {
    const closed = await world.startAt({ outbound: {} });
    await expect(closed(connection.id)).rejects.toMatchObject({ code: 'OVERLOADED' });
  });

  it('the discovery document is read once in 10 minutes', async () => {
    const reads = () => world.idp.requests.filter(({ path }) => path.startsWith('/.well-known')).length;
    await world.signInByOidc(connection);
    await world.signInByOidc(connection);
    expect(reads()).toBe(1);
    world.clock.advance(10 * MINUTE);
    await world.start({ connectionId: connection.id });
    expect(reads()).toBe(2);
  });

  it('the issuer cannot be changed, and the secret is replaced without being shown', async () => {
    const { id } = connection;
    const issuer = 'https://evil.example';
    // @ts-expect-error the issuer is no part of a change
    const change = world.auth.updateSsoConnection(world.scope, id, { oidc: { issuer } });
    await expect(change).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const changed = await world.auth.updateSsoConnection(world.scope, id, { oidc: { clientSecret: 'secret-2' } });
    expect(JSON.stringify(changed)).not.toContain('secret-2');
    await world.signInByOidc(connection);
    const token = world.idp.requests.find(({ path }) => path === '/token');
    const basic = Buffer.from(token?.authorization?.slice(6) ?? '', 'base64').toString();
    expect(decodeURIComponent(basic)).toBe('client-1:secret-2');
  });

  it('a connection of the same provider does not sign in the users of another one', async () => {
    const { user } = await world.signInByOidc(connection);
    const other = await world.connectOidc();
    await expect(world.signInByOidc(other)).rejects.toMatchObject(refused('invalid_grant'));
    expect((await world.signInByOidc(connection)).user.id).toBe(user.id);
  });

  it('claims that PostgreSQL cannot store are left out', async () => {
    world.says({ email: ADA, note: 'a\u0000b', half: '\ud800' });
    expect((await world.signInByOidc(connection)).user.email).toBe(ADA);
  });
});
