import { beforeEach, describe, expect, it } from 'vitest';
import { openSocialAuth, pkce, type SocialAuth } from '../../test/support/identity/social-auth.ts';
import { EMAIL, MINUTE, PAGE, refused, SECOND } from '../../test/support/identity/world.ts';

const VERIFIED = { email: EMAIL, email_verified: true, name: 'Ann' };
const MANY = Array.from({ length: 20 }, (_, index) => index);
const INVALID_STATE = { code: 'VALIDATION_ERROR', ...refused('state_invalid') };

describe('social sign-in', () => {
  let world: SocialAuth;
  beforeEach(async () => {
    world = await openSocialAuth();
    world.says(VERIFIED);
  });

  it('a first sign-in creates a verified account with its profile and raises user.signed_up', async () => {
    const { user } = await world.social();
    expect(user).toMatchObject({ email: EMAIL, emailVerified: true, name: 'Ann', source: 'social' });
    expect(await world.eventsOf(user.userId)).toEqual(['user.signed_up', 'user.signed_in']);
    const { data } = await world.beckon.profiles.events(world.scope, user.userId);
    expect(data.find(({ eventType }) => eventType === 'user.signed_in')?.properties).toMatchObject({
      ...{ method: 'social', provider: 'google', newUser: true },
    });
    const again = await world.social();
    expect(again.user.id).toBe(user.id);
    expect(again.sessionId).not.toBe(user.id);
    expect((await world.users.identities(world.scope, user.id)).data).toEqual([
      expect.objectContaining({ provider: 'google', subject: 'user-1', email: EMAIL, emailVerified: true }),
    ]);
  });

  it('the target of the redirect is the stored page with a code and the hint of the challenge', async () => {
    const begun = await world.begin();
    const target = await world.call('google', { code: 'code-1', state: begun.state });
    expect(`${target.origin}${target.pathname}`).toBe(PAGE);
    expect([...target.searchParams.keys()]).toEqual(['code', 'c']);
    expect(target.searchParams.get('code')).toMatch(/^oc_/);
    expect(new URL(begun.authorizationUrl).searchParams.get('redirect_uri')).toBe(
      'https://beckon.test/api/v1/auth-service/login/social/callback/google',
    );
  });

  it.each(['', 'st_x', `st_${'a'.repeat(43)}`])(
    'O1 the unknown state "%s" is refused without a redirect',
    async (state) => {
      await world.begin();
      await expect(world.call('google', { code: 'code-1', state })).rejects.toMatchObject(INVALID_STATE);
    },
  );

  it('O1 a state works once, for its own provider, and for 10 minutes', async () => {
    const [used, foreign, late] = [await world.begin(), await world.begin(), await world.begin()];
    await world.call('google', { code: 'code-1', state: used.state });
    await expect(world.call('google', { code: 'code-1', state: used.state })).rejects.toMatchObject(INVALID_STATE);
    await world.setUp('gitlab');
    await expect(world.call('gitlab', { code: 'code-1', state: foreign.state })).rejects.toMatchObject(INVALID_STATE);
    world.clock.advance(10 * MINUTE);
    await expect(world.call('google', { code: 'code-1', state: late.state })).rejects.toMatchObject(INVALID_STATE);
  });

  it('O1 one state in 20 callbacks at once gives one code', async () => {
    const { state } = await world.begin();
    const results = await Promise.allSettled(MANY.map(() => world.call('google', { code: 'code-1', state })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('O2 an ID token with another nonce leads to the page with the error invalid_id_token', async () => {
    world.says({ ...VERIFIED, nonce: 'another' });
    const { state } = await world.begin();
    const target = await world.call('google', { code: 'code-1', state });
    expect(target.searchParams.get('error')).toBe('invalid_id_token');
    expect(await world.beckon.auth.audit(world.scope, { action: 'social.sign_in' })).toMatchObject({
      data: [{ result: 'invalid_id_token', detail: { provider: 'google' } }],
    });
  });

  it.each([
    { codeChallenge: pkce().codeChallenge, codeChallengeMethod: 'plain' },
    { codeChallenge: pkce().codeChallenge },
    { codeChallengeMethod: 'S256' },
    { codeChallenge: 'short', codeChallengeMethod: 'S256' },
  ])('O3 a sign-in without a challenge of the method S256 is refused: %o', async (challenge) => {
    const input = { provider: 'google', redirectTo: PAGE, ...challenge };
    await expect(world.auth.signInWithProvider(world.scope, input)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('O4 a callback that names another issuer is refused', async () => {
    const { state } = await world.begin();
    await expect(world.call('google', { code: 'code-1', state, iss: 'https://evil.example' })).rejects.toMatchObject(
      INVALID_STATE,
    );
  });

  it.each([
    '//evil.example/auth',
    'https://app.example.com@evil.example/auth',
    'https:\\\\evil.example',
    'javascript:alert(1)',
    'https://app.example.com.evil.example/auth',
    'https://app.example.com/auth\r\nLocation: https://evil.example',
    'https://app.example.com/auth#x',
    'https://app.example.com/auth?next=x',
  ])('O5 the redirect target %j is refused', async (redirectTo) => {
    const input = { provider: 'google', redirectTo, ...pkce(), codeVerifier: undefined, codeChallengeMethod: 'S256' };
    const { codeVerifier: _, ...body } = input;
    await expect(world.auth.signInWithProvider(world.scope, body)).rejects.toMatchObject(
      refused('redirect_not_allowed'),
    );
  });

  it('O6 an error of the provider leads to the stored page without any text of the provider', async () => {
    const answers = [
      [{ error: 'access_denied', error_description: 'text of the provider' }, 'access_denied'],
      [{ error: 'server_error', error_description: 'text of the provider' }, 'provider_error'],
    ] as const;
    for (const [params, error] of answers) {
      const { state } = await world.begin();
      const target = await world.call('google', { ...params, state });
      expect(target.href).toMatch(new RegExp(`^${PAGE}\\?error=${error}&c=`));
      expect(target.href).not.toContain('text');
    }
    const { data } = await world.auth.audit(world.scope);
    expect(JSON.stringify(data)).not.toContain('text of the provider');
  });

  it('O10 an answer of status 500 leads to the page with the error provider_unavailable', async () => {
    world.idp.behaviour.answers['/token'] = (response) => void response.writeHead(500).end('text of the provider');
    const { state } = await world.begin();
    const target = await world.call('google', { code: 'code-1', state });
    expect(target.searchParams.get('error')).toBe('provider_unavailable');
  });

  it('O10 a provider at a private address that the operator has not allowed is not reached', async () => {
    const closed = await world.start({ outbound: {} });
    const of = await world.scopeIn(closed);
    const { codeChallenge } = pkce();
    const input = { provider: 'google', redirectTo: PAGE, codeChallenge, codeChallengeMethod: 'S256' };
    const started = await closed.auth.signInWithProvider(of, input);
    const url = 'authorizationUrl' in started ? started.authorizationUrl : '';
    const state = world.idp.authorize(url).get('state') ?? '';
    const before = world.idp.requests.length;
    const params = new URLSearchParams({ code: 'code-1', state });
    const target = await closed.auth.handleSocialCallback({ provider: 'google', params });
    expect(new URL(target.url).searchParams.get('error')).toBe('provider_unavailable');
    expect(world.idp.requests).toHaveLength(before);
  });

  it('O11 an ID token that is signed with an unpublished key is refused', async () => {
    world.idp.behaviour.idToken = await world.idp.sign({ sub: 'user-1' }, {}, 'second');
    const { state } = await world.begin();
    const target = await world.call('google', { code: 'code-1', state });
    expect(target.searchParams.get('error')).toBe('invalid_id_token');
  });

  it('O12 a code works once', async () => {
    const begun = await world.begin();
    const code = await world.code(begun);
    await world.exchange(begun, code);
    await expect(world.exchange(begun, code)).rejects.toMatchObject(refused('invalid_grant'));
  });

  it('O12 a code in 20 exchanges at once gives one session', async () => {
    const begun = await world.begin();
    const code = await world.code(begun);
    const results = await Promise.allSettled(MANY.map(() => world.exchange(begun, code)));
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(done).toHaveLength(1);
    const { data } = await world.users.sessions(world.scope, done[0]?.user.id ?? '');
    expect(data).toHaveLength(1);
  });

  it('O12 a code works for 60 seconds', async () => {
    const [first, second] = [await world.begin(), await world.begin()];
    world.idp.authorize(first.authorizationUrl);
    const code = await world.code(first);
    world.clock.advance(59 * SECOND);
    await world.exchange(first, code);
    world.idp.authorize(second.authorizationUrl);
    const late = await world.code(second);
    world.clock.advance(60 * SECOND);
    await expect(world.exchange(second, late)).rejects.toMatchObject(refused('invalid_grant'));
  });

  it('O12 a code with another verifier is refused, and the right verifier still works', async () => {
    const begun = await world.begin();
    const code = await world.code(begun);
    await expect(world.exchange(pkce(), code)).rejects.toMatchObject(refused('invalid_grant'));
    expect((await world.exchange(begun, code)).user.email).toBe(EMAIL);
  });

  it('O12 a code ends with the fifth wrong verifier', async () => {
    const begun = await world.begin();
    const code = await world.code(begun);
    for (let tries = 0; tries < 5; tries += 1)
      await expect(world.exchange(pkce(), code)).rejects.toMatchObject(refused('invalid_grant'));
    await expect(world.exchange(begun, code)).rejects.toMatchObject(refused('invalid_grant'));
  });

  it('T3 a code of one project is refused in another and stays valid', async () => {
    const other = await world.project();
    const begun = await world.begin();
    const code = await world.code(begun);
    await expect(world.exchange(begun, code, other)).rejects.toMatchObject(refused('invalid_grant'));
    expect((await world.exchange(begun, code)).user.email).toBe(EMAIL);
  });

  it('a provider that is unknown, not set up or disabled is refused', async () => {
    const input = { redirectTo: PAGE, codeChallenge: pkce().codeChallenge, codeChallengeMethod: 'S256' };
    const begin = (provider: string) => world.auth.signInWithProvider(world.scope, { ...input, provider });
    await expect(begin('myspace')).rejects.toMatchObject(refused('provider_unknown'));
    const details = { channel: 'auth', provider: 'github', missing: ['credentials'] };
    await expect(begin('github')).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', details });
    await world.auth.updateSocialProvider(world.scope, 'google', { clientId: 'client-1', enabled: false });
    await expect(begin('google')).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
  });

  it('without publicUrl a sign-in is refused, and no header takes its place', async () => {
    const bare = await world.start({ publicUrl: undefined });
    const input = {
      ...{ provider: 'google', redirectTo: PAGE },
      ...{ codeChallenge: pkce().codeChallenge, codeChallengeMethod: 'S256' },
    };
    await expect(bare.auth.signInWithProvider(await world.scopeIn(bare), input)).rejects.toMatchObject({
      ...{ code: 'PROVIDER_NOT_CONFIGURED', details: { channel: 'auth', provider: 'beckon', missing: ['publicUrl'] } },
    });
  });

  it('a native ID token signs in, with the nonce of the app', async () => {
    const { createHash } = await import('node:crypto');
    const nonce = 'n'.repeat(32);
    const seconds = Math.floor(world.clock.now().getTime() / 1_000);
    const claims = {
      ...{ iss: world.idp.endpoints.issuer, sub: 'user-9', aud: 'client-1', iat: seconds, exp: seconds + 600 },
      ...{ nonce: createHash('sha256').update(nonce).digest('hex'), ...VERIFIED },
    };
    const native = (idToken: string, withNonce = nonce) =>
      world.auth.signInWithProvider(world.scope, { provider: 'google', idToken, nonce: withNonce });
    expect(await native(await world.idp.sign(claims))).toMatchObject({ user: { email: EMAIL, emailVerified: true } });
    for (const wrong of [{ aud: 'another-app' }, { nonce: 'x'.repeat(64) }, { iat: seconds - 700 }])
      await expect(native(await world.idp.sign({ ...claims, ...wrong }))).rejects.toMatchObject(
        refused('invalid_id_token'),
      );
    await expect(native(await world.idp.sign(claims), 'm'.repeat(32))).rejects.toMatchObject(
      refused('invalid_id_token'),
    );
  });

  it('O8 an address that the provider calls verified with the text "false" is stored as a label only', async () => {
    world.says({ email: EMAIL, email_verified: 'false' });
    const { user } = await world.social();
    expect(user).toMatchObject({ email: null, emailVerified: false });
    const { data } = await world.users.identities(world.scope, user.id);
    expect(data).toMatchObject([{ email: EMAIL, emailVerified: false }]);
  });

  it('O9 a Microsoft address is matched only if Microsoft has verified its domain', async () => {
    await world.setUp('microsoft');
    await world.register();
    const tid = '11111111-2222-4333-8444-555555555555';
    const iss = `${world.idp.endpoints.issuer}/${tid}/v2.0`;
    world.says({ iss, tid, oid: 'object-1', email: EMAIL, email_verified: true });
    expect((await world.social('microsoft')).user).toMatchObject({ email: null });
    world.says({ iss, tid, oid: 'object-2', email: EMAIL, xms_edov: true });
    await expect(world.social('microsoft')).rejects.toMatchObject(refused('account_exists_link_required'));
  });

  it('Apple sends its callback as a form, with the name of the first sign-in', async () => {
    await world.setUp('apple');
    world.says({ email: EMAIL, email_verified: 'true', name: undefined });
    const begun = await world.begin('apple');
    const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'Example' } });
    const target = await world.call('apple', { code: 'code-1', state: begun.state, user });
    const tokens = await world.exchange(begun, target.searchParams.get('code') ?? '');
    expect(tokens.user).toMatchObject({ email: EMAIL, emailVerified: true, name: 'Ann Example' });
  });

  it('a disabled account is refused, and a project without sign-up creates none', async () => {
    const { user } = await world.social();
    await world.users.update(world.scope, user.id, { disabled: true });
    await expect(world.social()).rejects.toMatchObject(refused('invalid_grant'));
    await world.auth.updateSettings(world.scope, { signup: { mode: 'disabled' } });
    world.says({ sub: 'user-2', email: 'new@example.com', email_verified: true });
    await expect(world.social()).rejects.toMatchObject(refused('signup_disabled'));
  });

  it('K8 no table holds a state, a code, a verifier, a secret of an app or a claim of a token in transit', async () => {
    const begun = await world.begin();
    const waiting = await tablesOf(world);
    const code = await world.code(begun);
    const after = await tablesOf(world);
    const upstream = world.idp.requests.find(({ path }) => path === '/token')?.form.get('code_verifier') ?? '';
    for (const secret of [begun.state, code, begun.codeVerifier, 'secret-1', upstream, 'at-1'])
      expect([secret !== '', waiting.includes(secret), after.includes(secret)]).toEqual([true, false, false]);
  });
});

const tablesOf = async ({ database }: SocialAuth): Promise<string> => {
  const tables = Object.values(database.tables).map((table) => database.storage.db.select().from(table as never));
  return JSON.stringify(await Promise.all(tables));
};

describe('apps at social providers', () => {
  let world: SocialAuth;
  beforeEach(async () => {
    world = await openSocialAuth();
  });

  it('a secret is never returned, and stays when a change leaves it out', async () => {
    const changed = await world.auth.updateSocialProvider(world.scope, 'google', { clientId: 'client-2' });
    expect(changed).toMatchObject({ clientId: 'client-2', hasClientSecret: true, enabled: true });
    expect(JSON.stringify([changed, await world.auth.listSocialProviders(world.scope)])).not.toContain('secret-1');
    expect((await world.auth.socialProviders(world.scope)).data).toEqual([
      { provider: 'google', enabled: true, clientId: 'client-2' },
    ]);
    expect((await world.auth.getSocialProvider(world.scope, 'google')).callbackUrl).toBe(
      'https://beckon.test/api/v1/auth-service/login/social/callback/google',
    );
  });

  it('the first set-up needs a secret, and Apple a key file with team and key id', async () => {
    const put = (provider: string, input: object) =>
      // Safe: the engine validates the input.
      world.auth.updateSocialProvider(world.scope, provider, input as never);
    const invalid = { code: 'VALIDATION_ERROR' };
    await expect(put('github', { clientId: 'x' })).rejects.toMatchObject(invalid);
    await expect(put('apple', { clientId: 'x', clientSecret: 'no key', extra: {} })).rejects.toMatchObject(invalid);
    await expect(
      put('microsoft', { clientId: 'x', clientSecret: 'y', extra: { tenant: '../x' } }),
    ).rejects.toMatchObject(invalid);
    await world.setUp('apple');
  });

  it('a deleted provider signs nobody in, and deleting it again is NOT_FOUND', async () => {
    await world.auth.deleteSocialProvider(world.scope, 'google');
    await expect(world.begin()).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    await expect(world.auth.deleteSocialProvider(world.scope, 'google')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { data } = await world.auth.audit(world.scope, { target: 'google' });
    expect(data.map(({ action }) => action)).toEqual(['social_provider.delete', 'social_provider.update']);
  });

  it('a rotation of the master key keeps the secrets readable', async () => {
    world.says(VERIFIED);
    await world.beckon.secrets.rotateMasterKey();
    expect((await world.social()).user.email).toBe(EMAIL);
  });

  it('apps belong to one environment', async () => {
    const other = await world.project();
    expect((await world.auth.listSocialProviders(other)).data).toEqual([]);
    await expect(world.begin('google', undefined, other)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
  });
});
