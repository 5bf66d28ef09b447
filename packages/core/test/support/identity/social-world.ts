import { createHash, generateKeyPairSync } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { SOCIAL_PROVIDERS, type SocialProvider } from '../../../src/identity/auth-settings/social-providers.ts';
import { type SocialCredentials, socialContext } from '../../../src/identity/social/context.ts';
import { beginFlow, finishFlow } from '../../../src/identity/social/flow.ts';
import type { ProviderHttpOptions } from '../../../src/identity/social/http.ts';
import { type MisbehavingProvider, misbehavingProvider } from './misbehaving-provider.ts';

export const CODE_CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
export const CREDENTIALS: SocialCredentials = { clientId: 'client-1', clientSecret: 'secret-1' };

export const appleKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const APPLE: SocialCredentials = {
  clientId: 'client-1',
  clientSecret: appleKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  teamId: 'TEAM123456',
  keyId: 'KEY1234567',
};
/** Credentials of a correctly configured provider. */
export const credentialsFor = (provider: SocialProvider): SocialCredentials =>
  provider === 'apple' ? APPLE : CREDENTIALS;

/** The endpoints of a provider for which the misbehaving one stands. */
export const endpointsFor = ({ endpoints }: Pick<MisbehavingProvider, 'endpoints'>, provider: SocialProvider) => {
  const { emails, userinfo, issuer, ...others } = endpoints;
  return {
    ...others,
    issuer: provider === 'microsoft' ? `${issuer}/{tenantid}/v2.0` : issuer,
    ...(['google', 'apple', 'microsoft'].includes(provider) ? {} : { userinfo }),
    ...(provider === 'github' ? { emails } : {}),
  };
};

/** Social sign-in with all providers served by one misbehaving provider. */
export const socialWorld = async (net: ProviderHttpOptions = {}) => {
  const clock = virtualClock('2026-03-01T12:00:00Z');
  const idp = await misbehavingProvider(clock.now);
  onTestFinished(() => idp.close());
  const context = socialContext({
    clock,
    net: { allowCidrs: ['127.0.0.0/8'], allowHttp: true, ...net },
    endpoints: Object.fromEntries(SOCIAL_PROVIDERS.map((name) => [name, endpointsFor(idp, name)])),
  });
  onTestFinished(() => context.close());

  const begin = (provider: SocialProvider, credentials = CREDENTIALS) => {
    const flow = beginFlow(context, {
      provider,
      credentials,
      redirectUri: `https://beckon.example/callback/${provider}`,
      codeChallenge: CODE_CHALLENGE,
      codeChallengeMethod: 'S256',
    });
    return { ...flow, query: idp.authorize(flow.authorizationUrl) };
  };
  /** The callback of a user who agreed. */
  const agreed = (query: URLSearchParams, more: Readonly<Record<string, string>> = {}): URLSearchParams =>
    new URLSearchParams({ code: 'code-1', state: query.get('state') ?? '', ...more });
  const signIn = (
    provider: SocialProvider,
    {
      credentials = credentialsFor(provider),
      more = {},
    }: { credentials?: SocialCredentials; more?: Record<string, string> } = {},
  ) => {
    const { stored, query } = begin(provider, credentials);
    return finishFlow(context, { provider, credentials, stored, params: agreed(query, more) });
  };
  return { clock, idp, context, begin, agreed, signIn };
};

export type SocialWorld = Awaited<ReturnType<typeof socialWorld>>;
