// Sign-ins with a social provider of this machine, for tests that call the operations of sign-in.

import { createHash } from 'node:crypto';
import type { Beckon, Scope } from '@beckon/core';
import type { Bearer } from '@beckon/core/identity';
import type { MisbehavingProvider } from '../../../../core/test/support/identity/misbehaving-provider.ts';
import { endpointsFor } from '../../../../core/test/support/identity/social-world.ts';

const VERIFIER = 'v'.repeat(43);
const NONCE = 'n'.repeat(32);
const sha256 = (text: string, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(text).digest(encoding);
const CHALLENGE = { codeChallenge: sha256(VERIFIER, 'base64url'), codeChallengeMethod: 'S256' };
const PROVIDERS = ['google', 'github'] as const;
const APP = { clientId: 'client-1', clientSecret: 'secret-1' };
let made = 0;

/** Options of a service whose provider is on this machine. */
export const socialOptions = (idp: MisbehavingProvider) => ({
  outbound: { allowCidrs: ['127.0.0.1/32'] },
  auth: { providerUrls: { google: endpointsFor(idp, 'google') } },
});

/** Flows of social sign-in in one environment. */
export const socialWorld = (beckon: Beckon, scope: Scope, idp: MisbehavingProvider, redirectTo: string) => {
  const setUp = async (): Promise<void> => {
    for (const provider of PROVIDERS) await beckon.auth.updateSocialProvider(scope, provider, APP);
  };
  /** A code of a user with this address; null: the user has none. */
  const code = async (email: string | null = null, bearer?: Bearer) => {
    await setUp();
    const sub = `subject-${++made}`;
    idp.behaviour.claims = (correct) => ({ ...correct, sub, ...(email !== null && { email, email_verified: true }) });
    const input = { provider: 'google', redirectTo, ...CHALLENGE };
    const begun = bearer
      ? await beckon.auth.linkIdentity(scope, bearer, input)
      : await beckon.auth.signInWithProvider(scope, input);
    const state = 'authorizationUrl' in begun ? (idp.authorize(begun.authorizationUrl).get('state') ?? '') : '';
    const params = new URLSearchParams({ code: 'code-1', state });
    const { url } = await beckon.auth.handleSocialCallback({ provider: 'google', params });
    return { code: new URL(url).searchParams.get('code') ?? '', codeVerifier: VERIFIER };
  };
  const link = async (bearer: Bearer): Promise<string> => {
    const result = await beckon.auth.exchangeCode(scope, await code(null, bearer), {}, bearer);
    if ('linked' in result) return result.linked.id;
    throw new Error('the code was not of a link');
  };
  return {
    ...{ setUp, code, link },
    /** A native sign-in with this address. */
    native: async (email: string) => {
      const seconds = Math.floor(idp.now().getTime() / 1_000);
      const idToken = await idp.sign({
        ...{ iss: idp.endpoints.issuer, sub: `subject-${++made}`, aud: APP.clientId, iat: seconds, exp: seconds + 600 },
        ...{ nonce: sha256(NONCE, 'hex'), email, email_verified: true },
      });
      return { provider: 'google', idToken, nonce: NONCE };
    },
    /** A user whose only way to sign in is an identity: its id and an access token. */
    onlyIdentity: async () => {
      const result = await beckon.auth.exchangeCode(scope, await code());
      if (!('accessToken' in result)) throw new Error('the code was not of a sign-in');
      const bearer = await beckon.auth.authenticate(scope, result.accessToken);
      const { data } = await beckon.auth.identities(scope, bearer);
      return { id: data[0]?.id ?? '', accessToken: result.accessToken };
    },
  };
};
