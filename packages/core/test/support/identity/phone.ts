import { bytesOfBase32 } from '../../../src/identity/mfa/base32.ts';
import { totpCode, totpStepAt } from '../../../src/identity/mfa/totp.ts';
import type { MfaRequired, TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import { type AuthWorld, EMAIL, PASSWORD } from './world.ts';

/** An authenticator app that is enrolled. */
export type Phone = {
  readonly userId: string;
  readonly factorId: string;
  readonly recoveryCodes: readonly string[];
  readonly tokens: TokenSet;
  /** The code of the present time step; advances the clock by a step if it was used. */
  nextCode(): string;
  lastCode(): string;
};

/** Enrolls an app of the user of an access token; by default of a new sign-in. */
export const appOf = async (world: AuthWorld, accessToken?: string): Promise<Phone> => {
  const { auth, clock, scope } = world;
  const token = accessToken ?? (await world.signIn()).accessToken;
  const bearer = await auth.authenticate(scope, token, { fresh: true, beforeEnrollment: true });
  const { factorId, secret } = await auth.enrollTotp(scope, bearer);
  const key = bytesOfBase32(secret);
  if (!key) throw new Error('the secret is not base32');
  let used = -1;
  const nextCode = (): string => {
    while (totpStepAt(clock.now().getTime()) <= used) clock.advance(30_000);
    used = totpStepAt(clock.now().getTime());
    return totpCode(key, used);
  };
  const { recoveryCodes, tokens } = await auth.confirmTotp(scope, bearer, { factorId, code: nextCode() });
  return {
    ...{ userId: bearer.account.id, factorId, recoveryCodes, tokens, nextCode },
    lastCode: () => totpCode(key, used),
  };
};

/** The challenge of a sign-in with the right password. */
export const challengeOf = async ({ auth, scope }: AuthWorld): Promise<MfaRequired['challenge']> => {
  const result = await auth.signIn(scope, { email: EMAIL, password: PASSWORD });
  if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
  return result.challenge;
};
