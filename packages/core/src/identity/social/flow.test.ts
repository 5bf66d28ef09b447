import { describe, expect, it } from 'vitest';
import {
  CODE_CHALLENGE,
  CREDENTIALS,
  type SocialWorld,
  socialWorld,
} from '../../../test/support/identity/social-world.ts';
import { registeredRedirectOf } from '../auth-settings/redirect-uris.ts';
import { SOCIAL_PROVIDERS } from '../auth-settings/social-providers.ts';
import { beginFlow, finishFlow, flowRedirect, stateHashOf } from './flow.ts';

const refused = (reason: string, detail?: string) =>
  expect.objectContaining({ ok: false, reason, ...(detail === undefined ? {} : { detail }) });

const finish = (world: SocialWorld, begun: ReturnType<SocialWorld['begin']>, params: URLSearchParams) =>
  finishFlow(world.context, {
    provider: begun.stored.provider,
    credentials: CREDENTIALS,
    stored: begun.stored,
    params,
  });

describe('beginFlow', () => {
  it('beginFlow asks each provider for what its row supports', async () => {
    const { begin } = await socialWorld();
    const rows = SOCIAL_PROVIDERS.map((provider) => {
      const { query, stored } = begin(provider);
      expect(query.get('redirect_uri')).toBe(`https://beckon.example/callback/${provider}`);
      expect(query.get('code_challenge_method')).toBe(stored.codeVerifier && 'S256');
      return [provider, query.has('code_challenge'), query.has('nonce')];
    });
    expect(rows).toEqual([
      ['google', true, true],
      ['apple', false, true],
      ['microsoft', true, true],
      ['facebook', false, false],
      ['github', true, false],
      ['gitlab', true, true],
      ['discord', true, false],
      ['linkedin', false, false],
      ['x', true, false],
      ['twitch', false, false],
      ['slack', false, true],
      ['spotify', true, false],
    ]);
  });

  it('beginFlow stores neither the state nor the client secret, and draws all of them anew', async () => {
    const { begin } = await socialWorld();
    const [first, second] = [begin('google'), begin('google')];
    expect(JSON.stringify(first.stored)).not.toContain(first.query.get('state'));
    expect(first.authorizationUrl).not.toContain(CREDENTIALS.clientSecret);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(first.query.get(name)).not.toBe(second.query.get(name));
    expect(first.stored.expiresAt).toBe('2026-03-01T12:10:00.000Z');
    expect(stateHashOf(first.query)).toBe(first.stored.stateHash);
  });

  it.each([
    ['plain', CODE_CHALLENGE],
    [undefined, CODE_CHALLENGE],
    ['S256', undefined],
    ['S256', 'short'],
    ['S256', `${CODE_CHALLENGE}=`],
  ])('O3: a client challenge with method %s and value %s is refused', async (codeChallengeMethod, codeChallenge) => {
    const { context } = await socialWorld();
    const redirectUri = 'https://beckon.example/callback/google';
    const input = {
      provider: 'google',
      credentials: CREDENTIALS,
      redirectUri,
      codeChallenge,
      codeChallengeMethod,
    } as const;
    expect(() => beginFlow(context, input)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it.each(['../evil', 'a/b', 'a?b', '', 'a#b', '{tenant}'])(
    'beginFlow refuses the Microsoft tenant "%s"',
    async (tenant) => {
      const { begin } = await socialWorld();
      expect(() => begin('microsoft', { ...CREDENTIALS, tenant })).toThrow(TypeError);
    },
  );
});

describe('finishFlow', () => {
  it('finishFlow returns the identity of an ID token', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.claims = (correct) => ({ ...correct, email: 'Ada@Example.com', email_verified: true, name: ' Ada ' });
    expect(await signIn('google')).toEqual({
      ok: true,
      identity: {
        provider: 'google',
        issuer: idp.endpoints.issuer,
        subject: 'user-1',
        email: 'Ada@example.com',
        emailVerified: true,
        name: 'Ada',
        raw: expect.not.objectContaining({ nonce: expect.anything() }),
      },
    });
  });

  it('O1: a callback with a missing, foreign, repeated or malformed state sends no request', async () => {
    const world = await socialWorld();
    const begun = world.begin('google');
    const other = world.begin('google');
    const repeated = world.agreed(begun.query);
    repeated.append('state', begun.query.get('state') ?? '');
    for (const params of [
      new URLSearchParams({ code: 'code-1' }),
      world.agreed(other.query),
      new URLSearchParams({ code: 'code-1', state: 'x' }),
      repeated,
    ])
      expect(await finish(world, begun, params)).toEqual(refused('state_invalid', 'state'));
    expect(world.idp.requests).toEqual([]);
  });

  it('O1: a state expires after ten minutes', async () => {
    const world = await socialWorld();
    const begun = world.begin('google');
    world.clock.advance(600_000 - 1);
    expect(await finish(world, begun, world.agreed(begun.query))).toMatchObject({ ok: true });
    world.clock.advance(1);
    expect(await finish(world, begun, world.agreed(begun.query))).toEqual(refused('state_invalid', 'expired'));
  });

  it('O1: the state of one provider is refused at the callback of another', async () => {
    const { context, begin, agreed } = await socialWorld();
    const { stored, query } = begin('google');
    const input = { provider: 'gitlab', credentials: CREDENTIALS, stored, params: agreed(query) } as const;
    expect(await finishFlow(context, input)).toEqual(refused('state_invalid', 'provider'));
  });

  it.each([
    ['a wrong nonce', { nonce: 'other' }, 'nonce'],
    ['no nonce', { nonce: undefined }, undefined],
  ])('O2: an ID token with %s is refused', async (_, change, detail) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.claims = (correct) => ({ ...correct, ...change });
    for (const provider of ['google', 'apple', 'gitlab', 'slack'] as const)
      expect(await signIn(provider)).toEqual(refused('invalid_id_token', detail));
  });

  it('O3: the token request carries the verifier of the challenge, and a wrong verifier is refused by the provider', async () => {
    const world = await socialWorld();
    const begun = world.begin('google');
    const stored = { ...begun.stored, codeVerifier: 'w'.repeat(43) };
    expect(await finish(world, { ...begun, stored }, world.agreed(begun.query))).toEqual(refused('provider_error'));
    expect(await finish(world, begun, world.agreed(begun.query))).toMatchObject({ ok: true });
    expect(world.idp.requests.map(({ form }) => form.get('code_verifier')).filter(Boolean)).toEqual([
      stored.codeVerifier,
      begun.stored.codeVerifier,
    ]);
  });

  it('O4: a callback from another issuer is refused before the code is sent', async () => {
    const world = await socialWorld();
    const begun = world.begin('google');
    const params = world.agreed(begun.query, { iss: 'https://evil.example' });
    expect(await finish(world, begun, params)).toEqual(refused('state_invalid', 'OAUTH_INVALID_RESPONSE'));
    expect(world.idp.requests).toEqual([]);
    expect(await world.signIn('google', { more: { iss: world.idp.endpoints.issuer } })).toMatchObject({ ok: true });
  });

  it('O5: a redirect goes to a registered target only', () => {
    const registered = ['https://a.com/done'];
    for (const target of [
      '//evil',
      'https://a.com@evil/done',
      '\\\\evil',
      'javascript:alert(1)',
      'https://a.com.evil/done',
      'https://a.com/done\r\nx: y',
      'https://a.com/done#x',
      'https://a.com/done?next=//evil',
    ])
      expect([target, registeredRedirectOf(target, registered)]).toEqual([target, null]);
  });

  it.each([
    ['access_denied', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['server_error', 'provider_error'],
    ['<script>', 'provider_error'],
  ])('O6: the error %s of a provider becomes %s, without its text', async (error, reason) => {
    const world = await socialWorld();
    const begun = world.begin('google');
    const params = new URLSearchParams({
      error,
      error_description: 'evil text',
      state: begun.query.get('state') ?? '',
    });
    const result = await finish(world, begun, params);
    expect(result).toEqual(refused(reason, 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'));
    expect(JSON.stringify(result)).not.toMatch(/evil|script/);
  });

  it('O6: a redirect holds the reason and the hint of the challenge', () => {
    const stored = { codeChallenge: CODE_CHALLENGE };
    const c = CODE_CHALLENGE.slice(0, 8);
    expect(flowRedirect('https://a.com/done?x=1', stored, { error: 'provider_error' })).toBe(
      `https://a.com/done?x=1&error=provider_error&c=${c}`,
    );
    expect(flowRedirect('app:/done', stored, { code: 'oc_1' })).toBe(`app:/done?code=oc_1&c=${c}`);
  });

  it.each([
    ['google', 'true', false],
    ['google', 'false', false],
    ['google', 1, false],
    ['google', true, true],
    ['apple', 'true', true],
    ['apple', 'false', false],
    ['gitlab', 'true', false],
    ['linkedin', 'true', false],
    ['slack', true, true],
  ] as const)('O8: an address of %s with email_verified %j is verified: %s', async (provider, value, isVerified) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.claims = (correct) => ({ ...correct, email: 'ada@example.com', email_verified: value });
    const result = await signIn(provider);
    expect(result).toMatchObject({ ok: true, identity: { email: 'ada@example.com', emailVerified: isVerified } });
  });
});
