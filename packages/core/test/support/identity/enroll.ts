import type { Beckon } from '../../../src/app/api.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { bytesOfBase32 } from '../../../src/identity/mfa/base32.ts';
import { totpCode, totpStepAt } from '../../../src/identity/mfa/totp.ts';
import type { MfaRequired } from '../../../src/identity/shapes/answers.generated.ts';
import { tokensOf } from './tokens.ts';

const IDLE_MS = 30 * 86_400_000;

/** Enrolls an authenticator app of a user without one, and signs in up to the challenge. */
export const enrollAndSignIn = async (
  { auth }: Pick<Beckon, 'auth'>,
  scope: Scope,
  user: { readonly email: string; readonly password: string },
): Promise<{ readonly factorId: string; readonly challenge: MfaRequired['challenge'] }> => {
  const { accessToken, refreshExpiresAt } = await tokensOf(auth.signIn(scope, user));
  const bearer = await auth.authenticate(scope, accessToken);
  const { factorId, secret } = await auth.enrollTotp(scope, bearer);
  // Sessions end 30 days after they began, so this is the time of the service.
  const step = totpStepAt(refreshExpiresAt.getTime() - IDLE_MS);
  await auth.confirmTotp(scope, bearer, { factorId, code: totpCode(bytesOfBase32(secret) ?? new Uint8Array(), step) });
  const result = await auth.signIn(scope, user);
  if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
  return { factorId, challenge: result.challenge };
};
