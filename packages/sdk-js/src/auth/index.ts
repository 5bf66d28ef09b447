import { type AuthOptions, type AuthTarget, makeAuth } from './auth.ts';
import type { Auth } from './auth-types.ts';

// Sign-in of end users in a page.

export { ApiError } from '../errors.ts';
export type {
  AuthMailSent,
  AuthResult,
  EmailVerified,
  MfaRequired,
  Session,
  SessionsRevoked,
  SignedUp,
  TokenSet,
  User,
} from '../generated/wire.ts';
export type { StorageArea } from '../slots.ts';
export type { AuthOptions, AuthTarget } from './auth.ts';
export type { Auth } from './auth-types.ts';
export type {
  AuthChange,
  ChallengeSent,
  Factor,
  Identity,
  MfaChallenge,
  Passkey,
  Proof,
  RecoveryCodes,
  Redirect,
  SocialProvider,
  SocialStart,
  TotpEnrollment,
} from './shapes.ts';

/**
 * Signs users in with a public key. With a client of `createClient`, a sign-in also identifies the user and the end of
 * the session resets the client.
 *
 * @param target a client, or `{ apiKey, baseUrl }`
 * @throws TypeError for a secret key in a browser
 */
export const createAuth = (target: AuthTarget, options: AuthOptions = {}): Auth =>
  makeAuth(target, options, globalThis);
