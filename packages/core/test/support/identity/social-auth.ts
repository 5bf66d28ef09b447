import { createHash, randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { BeckonOptions } from '../../../src/app/options.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { SOCIAL_PROVIDERS, type SocialProvider } from '../../../src/identity/auth-settings/social-providers.ts';
import type { TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import type { Bearer } from '../../../src/identity/shapes/bearer.ts';
import { unchecked } from '../unchecked.ts';
import { type Claims, misbehavingProvider } from './misbehaving-provider.ts';
import { credentialsFor, endpointsFor } from './social-world.ts';
import { openAuth, PAGE } from './world.ts';

export const pkce = () => {
  const codeVerifier = randomBytes(32).toString('base64url');
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
};

/** A redirect that a client began. */
export type Begun = { readonly state: string; readonly codeVerifier: string; readonly authorizationUrl: string };

export type SocialAuth = Awaited<ReturnType<typeof openSocialAuth>>;

/** A whole service whose social providers are all one misbehaving provider of this machine. */
export const openSocialAuth = async (more: Partial<BeckonOptions> = {}) => {
  // The provider's tokens follow the service's clock, which exists only afterwards.
  let now = (): Date => new Date();
  const idp = await misbehavingProvider(() => now());
  onTestFinished(() => idp.close());
  const providerUrls = Object.fromEntries(SOCIAL_PROVIDERS.map((name) => [name, endpointsFor(idp, name)]));
  const world = await openAuth({ outbound: { allowCidrs: ['127.0.0.0/8'] }, auth: { providerUrls }, ...more });
  onTestFinished(() => world.close());
  now = world.clock.now;
  const { auth, scope } = world;

  const setUp = async (provider: SocialProvider, of: Scope = scope): Promise<void> => {
    const { clientId, clientSecret, teamId, keyId } = credentialsFor(provider);
    const extra = provider === 'apple' ? { teamId, keyId } : {};
    await auth.updateSocialProvider(of, provider, { clientId, clientSecret, extra: unchecked(extra) });
  };
  /** The claims of the next sign-in. */
  const says = (claims: Claims): void => {
    idp.behaviour.claims = (correct) => ({ ...correct, ...claims });
  };
  const begin = async (provider: SocialProvider = 'google', bearer?: Bearer, of: Scope = scope): Promise<Begun> => {
    const { codeVerifier, codeChallenge } = pkce();
    const input = { provider, redirectTo: PAGE, codeChallenge, codeChallengeMethod: 'S256' };
    const started = bearer ? await auth.linkIdentity(of, bearer, input) : await auth.signInWithProvider(of, input);
    // Safe: without an ID token the answer is the URL.
    const { authorizationUrl } = started as { authorizationUrl: string };
    const state = idp.authorize(authorizationUrl).get('state') ?? '';
    return { state, codeVerifier, authorizationUrl };
  };
  const call = (provider: string, params: Readonly<Record<string, string>>): Promise<URL> =>
    auth.handleSocialCallback({ provider, params: new URLSearchParams(params) }).then(({ url }) => new URL(url));
  /** The callback of a user who agreed: the one-time code. */
  const code = async ({ state }: Pick<Begun, 'state'>, provider: SocialProvider = 'google'): Promise<string> => {
    const target = await call(provider, { code: 'code-1', state });
    const found = target.searchParams.get('code');
    if (found === null) throw new Error(`the callback failed: ${target.searchParams.get('error')}`);
    return found;
  };
  const exchange = async ({ codeVerifier }: Pick<Begun, 'codeVerifier'>, oneTimeCode: string, of: Scope = scope) => {
    const result = await auth.exchangeCode(of, { code: oneTimeCode, codeVerifier });
    // Safe: the flow was a sign-in of a user without a second factor.
    return result as TokenSet;
  };
  const signIn = async (provider: SocialProvider = 'google'): Promise<TokenSet> => {
    const begun = await begin(provider);
    return exchange(begun, await code(begun, provider));
  };
  const bearerOf = ({ accessToken }: TokenSet, of: Scope = scope): Promise<Bearer> =>
    auth.authenticate(of, accessToken);

  await setUp('google');
  return { ...world, idp, setUp, says, begin, call, code, exchange, social: signIn, bearerOf };
};
