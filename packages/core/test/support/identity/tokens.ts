import type { AuthResult, TokenSet } from '../../../src/identity/shapes/answers.generated.ts';

/** The tokens of a sign-in. Throws an Error if a second factor is asked for. */
export const tokensOf = async (result: AuthResult | Promise<AuthResult>): Promise<TokenSet> => {
  const signedIn = await result;
  if ('mfaRequired' in signedIn) throw new Error('the sign-in needs a second factor');
  return signedIn;
};
