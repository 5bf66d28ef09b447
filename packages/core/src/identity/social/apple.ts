import type { Clock } from '../../foundation/clock.ts';
import { memberAt } from '../../foundation/json.ts';

/** Life of a client secret. Chosen: Apple accepts six months; a secret here serves one request. */
const LIFE_SECONDS = 300;
const AUDIENCE = 'https://appleid.apple.com';

/** A key of "Sign in with Apple". */
export type AppleKey = {
  /** The Services ID, or the bundle id of an app. */
  readonly clientId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** Content of the .p8 file. */
  readonly privateKey: string;
};

/**
 * The client secret of Apple: a JWT of 5 minutes, signed with ES256.
 *
 * @throws TypeError if the private key is not a P-256 key in PKCS #8
 * Source: Apple, "Creating a client secret".
 */
export const appleClientSecret = async (
  { clientId, teamId, keyId, privateKey }: AppleKey,
  clock: Clock,
): Promise<string> => {
  const { importPKCS8, SignJWT } = await import('jose');
  const key = await importPKCS8(privateKey, 'ES256').catch((cause: unknown) => {
    throw new TypeError('The private key of Apple is not a P-256 key in PKCS #8.', { cause });
  });
  const issuedAt = Math.floor(clock.now().getTime() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_SECONDS)
    .setAudience(AUDIENCE)
    .setSubject(clientId)
    .sign(key);
};

/** Characters of the name that Apple's form may hold. Chosen. */
const MAX_FORM_CHARACTERS = 4_096;

/**
 * The name of Apple's form field `user`. Apple sends it with the first sign-in only and does not sign it, so it is only a
 * label; null if there is none. Throws nothing.
 */
export const appleNameOf = (field: string | null): string | null => {
  if (field === null || field.length > MAX_FORM_CHARACTERS) return null;
  try {
    const name = memberAt(JSON.parse(field), 'name');
    const parts = [memberAt(name, 'firstName'), memberAt(name, 'lastName')].filter((part) => typeof part === 'string');
    return parts.join(' ').trim() || null;
  } catch {
    return null;
  }
};
