import type { Beckon } from '../../../src/app/api.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import type { Passkey } from '../../../src/identity/authenticators/answers.generated.ts';
import type { TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import { type Ceremony, type SoftAlgorithm, softAuthenticator } from './soft-authenticator.ts';

type Auth = Pick<Beckon, 'auth'>;
export type SoftDevice = ReturnType<typeof softAuthenticator>;
type Registration = Partial<Ceremony> & { readonly algorithm?: SoftAlgorithm; readonly device?: SoftDevice };

/** The page of a relying party. */
export const siteOf = (rpId: string): Pick<Ceremony, 'origin' | 'rpId'> => ({ origin: `https://${rpId}`, rpId });
/** The page of the tests: `publicUrl` of the world. */
export const SITE = siteOf('beckon.test');

/** A passkey that is registered. */
export type Device = {
  readonly passkey: Passkey;
  readonly device: SoftDevice;
  readonly handle: Uint8Array;
};

/** The body that adds a passkey of a new device, or of this one, to the user of an access token. */
export const newPasskey = async (
  { auth }: Auth,
  scope: Scope,
  accessToken: string,
  { algorithm = 'ES256', device = softAuthenticator(algorithm), ...ceremony }: Registration = {},
) => {
  const bearer = await auth.authenticate(scope, accessToken, { fresh: true, beforeEnrollment: true });
  const { challengeId, publicKey } = await auth.requestPasskey(scope, bearer);
  const response = device.register({ ...siteOf(publicKey.rp.id), challenge: publicKey.challenge, ...ceremony });
  const handle = Buffer.from(publicKey.user.id, 'base64url');
  return { bearer, device, handle, body: { challengeId, response, name: 'Laptop' } };
};

/** Adds a passkey of the user of an access token. */
export const addPasskey = async (
  beckon: Auth,
  scope: Scope,
  accessToken: string,
  registration: Registration = {},
): Promise<Device> => {
  const { bearer, device, handle, body } = await newPasskey(beckon, scope, accessToken, registration);
  return { passkey: await beckon.auth.addPasskey(scope, bearer, body), device, handle };
};

/** The body that signs in with a passkey; what the authenticator reports may differ. */
export const passkeySignIn = async (
  { auth }: Auth,
  scope: Scope,
  { device, handle }: Pick<Device, 'device' | 'handle'>,
  ceremony: Partial<Ceremony> = {},
) => {
  const { challengeId, publicKey } = await auth.requestPasskeySignIn(scope);
  const page = { ...siteOf(publicKey.rpId), challenge: publicKey.challenge };
  return { challengeId, response: device.signIn({ ...page, ...ceremony }, handle) };
};

/** Signs in with a passkey. */
export const signInWith = async (
  beckon: Auth,
  scope: Scope,
  device: Pick<Device, 'device' | 'handle'>,
  ceremony: Partial<Ceremony> = {},
): Promise<TokenSet> => beckon.auth.signInWithPasskey(scope, await passkeySignIn(beckon, scope, device, ceremony));
