import type { Beckon } from '../../../src/app/api.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import type { Passkey } from '../../../src/identity/authenticators/answers.generated.ts';
import type { TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import { type Ceremony, type SoftAlgorithm, softAuthenticator } from './soft-authenticator.ts';

/** The page of the tests: `publicUrl` of the world. */
export const SITE = { origin: 'https://beckon.test', rpId: 'beckon.test' };

/** A passkey that is registered. */
export type Device = {
  readonly passkey: Passkey;
  readonly device: ReturnType<typeof softAuthenticator>;
  readonly handle: Uint8Array;
};

/** Adds a passkey of the user of an access token. */
export const addPasskey = async (
  { auth }: Pick<Beckon, 'auth'>,
  scope: Scope,
  accessToken: string,
  { algorithm = 'ES256', ...ceremony }: Partial<Ceremony> & { readonly algorithm?: SoftAlgorithm } = {},
): Promise<Device> => {
  const bearer = await auth.authenticate(scope, accessToken, { fresh: true, beforeEnrollment: true });
  const { challengeId, publicKey } = await auth.requestPasskey(scope, bearer);
  const device = softAuthenticator(algorithm);
  const response = device.register({ ...SITE, challenge: publicKey.challenge, ...ceremony });
  const passkey = await auth.addPasskey(scope, bearer, { challengeId, response, name: 'Laptop' });
  return { passkey, device, handle: Buffer.from(publicKey.user.id, 'base64url') };
};

/** Signs in with a passkey; what the authenticator reports may differ. */
export const signInWith = async (
  { auth }: Pick<Beckon, 'auth'>,
  scope: Scope,
  { device, handle }: Pick<Device, 'device' | 'handle'>,
  ceremony: Partial<Ceremony> = {},
): Promise<TokenSet> => {
  const { challengeId, publicKey } = await auth.requestPasskeySignIn(scope);
  const response = device.signIn({ ...SITE, challenge: publicKey.challenge, ...ceremony }, handle);
  return auth.signInWithPasskey(scope, { challengeId, response });
};
