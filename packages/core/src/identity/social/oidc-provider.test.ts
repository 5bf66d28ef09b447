import { createHash } from 'node:crypto';
import Provider from 'oidc-provider';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loopback } from '../../../test/support/identity/loopback.ts';
import { systemClock } from '../../foundation/clock.ts';
import { socialContext } from './context.ts';
import { beginFlow, finishFlow } from './flow.ts';

const CREDENTIALS = { clientId: 'client-1', clientSecret: 'secret-1' };
const REDIRECT_URI = 'https://beckon.example/callback/gitlab';
const CODE_CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');

/** A real OpenID provider that requires PKCE, behind the endpoints of GitLab. */
const world = async () => {
  const server = await loopback((issuer) =>
    new Provider(issuer, {
      clients: [
        {
          client_id: CREDENTIALS.clientId,
          client_secret: CREDENTIALS.clientSecret,
          redirect_uris: [REDIRECT_URI],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['cookie-key'] },
      pkce: { required: () => true },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: 'Ada' }),
      }),
    }).callback(),
  );
  onTestFinished(() => server.close());
  const at = (path: string): string => `${server.origin}/${path}`;
  const context = socialContext({
    clock: systemClock,
    net: { allowCidrs: ['127.0.0.0/8'], allowHttp: true },
    endpoints: {
      gitlab: {
        issuer: server.origin,
        authorization: at('auth'),
        token: at('token'),
        jwks: at('jwks'),
        userinfo: at('me'),
      },
    },
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
  return { context, begin };
};

/** A browser whose user signs in and consents at the provider, until it is sent back. */
const browse = async (authorizationUrl: string): Promise<URLSearchParams> => {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      ...(form ? { body: form } : {}),
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`The provider answered ${response.status}.`);
      form = new URLSearchParams({ prompt, login: 'ada', password: 'x' });
      continue;
    }
    form = undefined;
    url = new URL(location, url);
    if (url.href.startsWith(REDIRECT_URI)) return url.searchParams;
  }
  throw new Error('The provider did not send the browser back.');
};

// The provider prints that its defaults are not for production.
beforeEach(() => {
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
});

describe('a sign-in at a real OpenID provider', () => {
  it('a sign-in with PKCE, nonce and issuer returns the identity', async () => {
    const { context, begin } = await world();
    const { authorizationUrl, stored } = begin();
    const params = await browse(authorizationUrl);
    expect(params.has('iss')).toBe(true);
    expect(await finishFlow(context, { provider: 'gitlab', credentials: CREDENTIALS, stored, params })).toMatchObject({
      ok: true,
      identity: { subject: 'ada', email: 'ada@example.com', emailVerified: true, name: 'Ada' },
    });
  });

  it('O1: the code of one browser is refused in the flow of another', async () => {
    const { context, begin } = await world();
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
    const { context, begin } = await world();
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
    const { context, begin } = await world();
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
