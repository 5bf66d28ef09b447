import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import type {
  MfaPasskeyRequest,
  Passkey,
  PasskeyDeleted,
  PasskeyRegistration,
  PasskeyRequest,
} from './answers.generated.ts';
import type { mfaPasskeyBody, newPasskeyBody, passkeyPatch, passkeySignInBody } from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
export type PasskeySignInInput = Input<typeof passkeySignInBody>;
export type PasskeyInput = Input<typeof newPasskeyBody>;
export type PasskeyPatch = Input<typeof passkeyPatch>;
export type MfaPasskeyInput = Input<typeof mfaPasskeyBody>;

type Call = Partial<ClientInfo>;

/** Passkeys. Each function throws PROVIDER_NOT_CONFIGURED without `publicUrl`. */
export type PasskeyApi = {
  /** Options to sign in with a passkey. They are the same for every user. */
  requestPasskeySignIn(scope: Scope): Promise<PasskeyRequest>;
  /**
   * Signs a user in with a passkey, which counts as two factors. Throws UNAUTHORIZED `passkey_invalid`, FORBIDDEN
   * `email_not_verified` or `mfa_blocked`.
   */
  signInWithPasskey(scope: Scope, input: PasskeySignInInput, call?: Call): Promise<TokenSet>;
  /** Options to add a passkey. Throws CONFLICT `too_many`. */
  requestPasskey(scope: Scope, bearer: Bearer): Promise<PasskeyRegistration>;
  /** Adds a passkey. Throws UNAUTHORIZED `passkey_invalid`, CONFLICT `credential_exists` or `too_many`. */
  addPasskey(scope: Scope, bearer: Bearer, input: PasskeyInput, call?: Call): Promise<Passkey>;
  listPasskeys(scope: Scope, bearer: Bearer): Promise<Page<Passkey>>;
  /** Throws NOT_FOUND. */
  updatePasskey(scope: Scope, bearer: Bearer, id: string, input: PasskeyPatch): Promise<Passkey>;
  /** Throws NOT_FOUND, CONFLICT `last_method`. */
  deletePasskey(scope: Scope, bearer: Bearer, id: string, call?: Call): Promise<PasskeyDeleted>;
  /** Options to confirm the identity with a passkey. */
  requestPasskeyReauthentication(scope: Scope, bearer: Bearer): Promise<PasskeyRequest>;
  /** Options to use a passkey as a second factor. Throws UNAUTHORIZED `challenge_expired`. */
  requestMfaPasskey(scope: Scope, challengeId: string, input: MfaPasskeyInput): Promise<MfaPasskeyRequest>;
};

/** Passkeys of users, as an operator's program sees them. */
export type PasskeyUsersApi = {
  /** Throws NOT_FOUND. */
  passkeys(scope: Scope, id: string): Promise<Page<Passkey>>;
};
