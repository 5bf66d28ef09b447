// Sign-in with an ID token that an app obtained from the provider's own library on the device.

import { sha256Hex } from '../../foundation/hash.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import type { SocialContext, SocialCredentials } from './context.ts';
import { checkIdToken, invalidToken, type Refusal, type TokenReason } from './id-token.ts';
import { identityOf, type SocialIdentity } from './identity.ts';
import { PROVIDERS } from './providers.ts';

/** Source: authentication design, Social providers. */
const MAX_AGE_SECONDS = 600;
/** Chosen: 16 characters of base64url are 96 random bits. */
const NONCE = /^[\x21-\x7e]{16,256}$/;

export type NativeResult = { readonly ok: true; readonly identity: SocialIdentity } | Refusal<TokenReason>;

/**
 * Checks a native ID token: signature, issuer, one of the configured client ids as its audience, a nonce, and an age of 10
 * minutes at most.
 *
 * @param nonce the app's own value. Apple and Google hold its SHA-256 in hex, so who reads a token does not know the nonce.
 * @returns the identity, or the reason to refuse. Providers without ID tokens or nonces are refused. Throws TypeError for an
 * invalid Microsoft tenant in the credentials.
 */
export const verifyNativeToken = async (
  context: SocialContext,
  {
    provider,
    credentials,
    idToken,
    nonce,
  }: {
    readonly provider: SocialProvider;
    readonly credentials: SocialCredentials;
    readonly idToken: string;
    readonly nonce: string;
  },
): Promise<NativeResult> => {
  const { kind, hasNonce, hashesNativeNonce, fieldsOf } = PROVIDERS[provider];
  if (kind !== 'oidc' || !hasNonce) return invalidToken('unsupported');
  if (!NONCE.test(nonce)) return invalidToken('nonce');
  const checked = await checkIdToken(context, {
    provider,
    endpoints: context.endpointsOf(provider, credentials),
    credentials,
    token: idToken,
    audiences: [credentials.clientId, ...(credentials.nativeClientIds ?? [])],
    maxAgeSeconds: MAX_AGE_SECONDS,
  });
  if (!checked.ok) return checked;
  const { claims, issuer } = checked;
  if (claims['nonce'] !== (hashesNativeNonce ? sha256Hex(nonce) : nonce)) return invalidToken('nonce');
  const identity = identityOf(provider, issuer, fieldsOf(claims, undefined), claims);
  return identity === null ? invalidToken('sub') : { ok: true, identity };
};
