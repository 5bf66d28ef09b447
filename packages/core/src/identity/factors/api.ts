import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import type {
  FactorDeleted,
  MfaConfirmed,
  MfaEnrollment,
  MfaFactor,
  MfaReset,
  MfaStatus,
  RecoveryCodes,
} from './answers.generated.ts';
import type { confirmFactorBody, deleteFactorBody, verifyMfaBody } from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
export type VerifyMfaInput = Input<typeof verifyMfaBody>;
export type ConfirmFactorInput = Input<typeof confirmFactorBody>;
export type DeleteFactorInput = Input<typeof deleteFactorBody>;

type Call = Partial<ClientInfo>;

/** Second factors of a signed-in user, and the end of a sign-in with one. */
export type MfaApi = {
  /**
   * Ends a sign-in with a second factor. Throws UNAUTHORIZED `challenge_expired` or `code_invalid`, RATE_LIMITED
   * `mfa_wait`, FORBIDDEN `mfa_blocked`.
   */
  verifyMfa(scope: Scope, challengeId: string, input: VerifyMfaInput, call?: Call): Promise<TokenSet>;
  listFactors(scope: Scope, bearer: Bearer): Promise<Page<MfaFactor>>;
  /** Begins the enrollment of an authenticator app. Throws CONFLICT `too_many`. */
  enrollTotp(scope: Scope, bearer: Bearer): Promise<MfaEnrollment>;
  /** Ends an enrollment with the first code of the app. Throws UNAUTHORIZED `code_invalid`, CONFLICT `too_many`. */
  confirmTotp(scope: Scope, bearer: Bearer, input: ConfirmFactorInput, call?: Call): Promise<MfaConfirmed>;
  /** Throws NOT_FOUND, and for a code as `verifyMfa`, for a password UNAUTHORIZED `invalid_credentials`. */
  deleteFactor(scope: Scope, bearer: Bearer, id: string, input: DeleteFactorInput, call?: Call): Promise<FactorDeleted>;
  /** Replaces the recovery codes. Throws VALIDATION_ERROR for a user without a second factor. */
  renewRecoveryCodes(scope: Scope, bearer: Bearer, call?: Call): Promise<RecoveryCodes>;
};

/** Second factors of users, as an operator's program manages them. */
export type MfaUsersApi = {
  /** Throws NOT_FOUND. */
  factors(scope: Scope, id: string): Promise<MfaStatus>;
  /** Removes factors, recovery codes, counters and the block, and ends all sessions. Throws NOT_FOUND. */
  resetMfa(scope: Scope, id: string, call?: { readonly actor?: string | undefined }): Promise<MfaReset>;
};
