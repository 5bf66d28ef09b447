import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { credentialsFor, type SocialWorld, socialWorld } from '../../../test/support/identity/social-world.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import { verifyNativeToken } from './native.ts';

const NONCE = 'nonce-of-the-app-123';
const TENANT = '11111111-2222-3333-4444-555555555555';
const HASHED = createHash('sha256').update(NONCE).digest('hex');

const verify = async (
  { idp, clock, context }: SocialWorld,
  change: Readonly<Record<string, unknown>> = {},
  { provider = 'google', nonce = NONCE }: { provider?: SocialProvider; nonce?: string } = {},
) => {
  const now = clock.now().getTime() / 1_000;
  const claims = {
    iss: idp.endpoints.issuer,
    sub: 'user-1',
    aud: 'ios-app',
    iat: now,
    exp: now + 3_600,
    nonce: HASHED,
  };
  const idToken = await idp.sign({ ...claims, ...change });
  const credentials = { ...credentialsFor(provider), nativeClientIds: ['ios-app'] };
  return verifyNativeToken(context, { provider, credentials, idToken, nonce });
};

describe('verifyNativeToken', () => {
  it.each(['google', 'apple'] as const)(
    'O7: a token of %s with the SHA-256 of the nonce is accepted',
    async (provider) => {
      const world = await socialWorld();
      expect(await verify(world, {}, { provider })).toMatchObject({
        ok: true,
        identity: { provider, subject: 'user-1' },
      });
      expect(await verify(world, { aud: 'client-1' }, { provider })).toMatchObject({ ok: true });
    },
  );

  it.each([
    ['a wrong audience', { aud: 'other-app' }],
    ['several audiences', { aud: ['ios-app', 'other-app'] }],
    ['no audience', { aud: undefined }],
    ['a wrong nonce', { nonce: createHash('sha256').update('other').digest('hex') }],
    ['the nonce in plain text', { nonce: NONCE }],
    ['no nonce', { nonce: undefined }],
    ['a wrong issuer', { iss: 'https://evil.example' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['no time', { iat: undefined }],
  ])('O7: a native token with %s is refused', async (_, change) => {
    expect(await verify(await socialWorld(), change)).toMatchObject({ ok: false, reason: 'invalid_id_token' });
  });

  it.each(['', 'short', 'with a blank in its text'])('O7: the nonce "%s" is refused', async (nonce) => {
    expect(await verify(await socialWorld(), {}, { nonce })).toMatchObject({ ok: false, detail: 'nonce' });
  });

  it('O7: a native token is accepted for ten minutes, although it expires later', async () => {
    const world = await socialWorld();
    const now = world.clock.now().getTime() / 1_000;
    expect(await verify(world, { iat: now - 600 })).toMatchObject({ ok: true });
    expect(await verify(world, { iat: now - 631 })).toMatchObject({ ok: false, detail: 'iat' });
    expect(await verify(world, { iat: now + 31 })).toMatchObject({ ok: false, detail: 'iat' });
    expect(await verify(world, { exp: now - 31 })).toMatchObject({ ok: false, detail: 'exp' });
  });

  it.each(['facebook', 'github', 'linkedin', 'x'] as const)('O7: a native token of %s is refused', async (provider) => {
    expect(await verify(await socialWorld(), {}, { provider })).toMatchObject({ ok: false, detail: 'unsupported' });
  });

  it.each([
    ['of the tenant', TENANT, true],
    ['of another tenant', '99999999-2222-3333-4444-555555555555', false],
  ])('O9: a native Microsoft token with the issuer %s is accepted: %s', async (_, tenant, ok) => {
    const world = await socialWorld();
    const iss = `${world.idp.endpoints.issuer}/${tenant}/v2.0`;
    const claims = { iss, tid: TENANT, oid: 'object-1', nonce: NONCE };
    expect(await verify(world, claims, { provider: 'microsoft' })).toMatchObject({ ok });
  });

  it('O7: an algorithm that is not listed is refused, even if the keys of the provider support it', async () => {
    const world = await socialWorld();
    const secret = Buffer.alloc(32, 1);
    const context = { ...world.context, keysAt: async () => async () => secret };
    const now = world.clock.now().getTime() / 1_000;
    const claims = {
      iss: world.idp.endpoints.issuer,
      sub: 'u',
      aud: 'client-1',
      iat: now,
      exp: now + 60,
      nonce: HASHED,
    };
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    const credentials = credentialsFor('google');
    expect(await verifyNativeToken(context, { provider: 'google', credentials, idToken, nonce: NONCE })).toMatchObject({
      ok: false,
      detail: 'ERR_JOSE_ALG_NOT_ALLOWED',
    });
  });

  it('O10: a native token is refused as unavailable if the keys cannot be read', async () => {
    const world = await socialWorld();
    world.idp.behaviour.answers['/keys'] = (response) => response.destroy();
    expect(await verify(world)).toMatchObject({ ok: false, reason: 'provider_unavailable' });
  });

  it('O7: other providers hold the nonce itself', async () => {
    const world = await socialWorld();
    expect(await verify(world, { nonce: NONCE }, { provider: 'gitlab' })).toMatchObject({ ok: true });
    expect(await verify(world, {}, { provider: 'gitlab' })).toMatchObject({ ok: false, detail: 'nonce' });
  });

  it('the older issuer of Google is stored as the newer one', async () => {
    const world = await socialWorld();
    expect(await verify(world, { iss: 'accounts.google.com' })).toMatchObject({
      identity: { issuer: world.idp.endpoints.issuer },
    });
  });
});
