import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { realProvider } from '../../../test/support/identity/real-provider.ts';
import { systemClock } from '../../foundation/clock.ts';
import { socialContext } from './context.ts';
import { beginFlow, finishFlow } from './flow.ts';

const CREDENTIALS = { clientId: 'client-1', clientSecret: 'secret-1' };
const REDIRECT_URI = 'https://beckon.example/callback/gitlab';
const CODE_CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');

/** A real OpenID provider behind the endpoints of GitLab. */
const world = async () => {
  const idp = await realProvider({ ...CREDENTIALS, redirectUri: REDIRECT_URI });
  onTestFinished(() => idp.close());
  const context = socialContext({
    clock: systemClock,
    net: { allowCidrs: ['127.0.0.0/8'], allowHttp: true },
    endpoints: { gitlab: idp.endpoints },
  });
  onTestFinished(() => context.close());
  const begin = () =>
    beginFlow(context, {
      provider: 'gitlab',
      credentials: CREDENTIALS,
      redirectUri: REDIRECT_URI,
      codeChallenge: CODE_CHALLENGE,
      codeChallengeMethod: 'S256',
    });
  return { context, begin, browse: async (url: string) => (await idp.browse(url)).searchParams };
};

// The provider prints that its defaults are not for production.
beforeEach(() => {
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
});

describe('a sign-in at a real OpenID provider', () => {
  it('a sign-in with PKCE, nonce and issuer returns the identity', async () => {
    const { context, begin, browse } = await world();
    const { authorizationUrl, stored } = begin();
    const params = await browse(authorizationUrl);
    expect(params.has('iss')).toBe(true);
    expect(await finishFlow(context, { provider: 'gitlab', credentials: CREDENTIALS, stored, params })).toMatchObject({
      ok: true,
      identity: { subject: 'ada', email: 'ada@example.com', emailVerified: true, name: 'Ada' },
    });
  });

  it('O1: the code of one browser is refused in the flow of another', async () => {
    const { context, begin, browse } = await world();
    const [victim, attacker] = [begin(), begin()];
    const stolen = (await browse(attacker.authorizationUrl)).get('code') ?? '';
    const state = new URL(victim.authorizationUrl).searchParams.get('state') ?? '';
    const params = new URLSearchParams({ code: stolen, state });
    const { stored } = victim;
    expect(await finishFlow(context, { provider: 'gitlab', credentials: CREDENTIALS, stored, params })).toEqual({
      ok: false,
      reason: 'provider_error',
      detail: 'OAUTH_RESPONSE_BODY_ERROR',
    });
  });

  it('O1: a code that was exchanged is refused the second time', async () => {
    const { context, begin, browse } = await world();
    const { authorizationUrl, stored } = begin();
    const input = {
      provider: 'gitlab',
      credentials: CREDENTIALS,
      stored,
      params: await browse(authorizationUrl),
    } as const;
    expect(await finishFlow(context, input)).toMatchObject({ ok: true });
    expect(await finishFlow(context, input)).toMatchObject({ ok: false, reason: 'provider_error' });
  });

  it.each(['nonce', 'codeVerifier'] as const)('O2, O3: a flow with another %s is refused', async (name) => {
    const { context, begin, browse } = await world();
    const { authorizationUrl, stored } = begin();
    const params = await browse(authorizationUrl);
    const changed = { ...stored, [name]: 'w'.repeat(43) };
    expect(
      await finishFlow(context, { provider: 'gitlab', credentials: CREDENTIALS, stored: changed, params }),
    ).toMatchObject({
      ok: false,
      reason: name === 'nonce' ? 'invalid_id_token' : 'provider_error',
    });
  });
});
