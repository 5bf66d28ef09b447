// Made of the schemas in answers.ts by `npm run openapi`.

import type { TokenSet } from '../shapes/answers.generated.ts';

/** A second factor of a user. */
export interface MfaFactor {
  /** Factor id. */
  readonly id: string;
  /** Type of the factor. */
  readonly type: 'totp';
  /** True if the secret is lost after a restore: only a recovery code or a reset helps. */
  readonly lost: boolean;
  /** When the factor was enrolled. */
  readonly createdAt: Date;
  /** When the factor was last used; null if never. */
  readonly lastUsedAt: Date | null;
}

/** An authenticator app that waits for its first code. */
export interface MfaEnrollment {
  /** Factor id. Send it with the first code. */
  readonly factorId: string;
  /** Secret in base32, to enter by hand. It is shown once. */
  readonly secret: string;
  /** URI to show as a QR code. */
  readonly otpauthUri: string;
}

/** New recovery codes. Former ones no longer work. */
export interface RecoveryCodes {
  /** Ten codes that work once each. They are shown once. */
  readonly recoveryCodes: readonly string[];
}

/** An enrolled factor. */
export interface MfaConfirmed {
  /** Ten codes that work once each. They are shown once. */
  readonly recoveryCodes: readonly string[];
  /** New tokens of the session, which now counts as one with two factors. */
  readonly tokens: TokenSet;
}

/** A removed factor. */
export interface FactorDeleted {
  /** Whether the user still has a second factor. */
  readonly mfaEnabled: boolean;
}

/** Second factors of a user, as support staff sees them. */
export interface MfaStatus {
  /** Factors of the user. */
  readonly factors: readonly MfaFactor[];
  /** Recovery codes that were not used. */
  readonly recoveryCodesLeft: number;
  /** Wrong codes since the last reset. At 100 the user is blocked. */
  readonly wrongCodes: number;
  /** Until when no code is checked; null: no wait. */
  readonly waitUntil: Date | null;
  /** When wrong codes blocked the user; null: not blocked. */
  readonly blockedAt: Date | null;
}

/** A reset of the second factors of a user. */
export interface MfaReset {
  /** Sessions that were ended. */
  readonly revoked: number;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly MfaFactor: MfaFactor;
  readonly MfaEnrollment: MfaEnrollment;
  readonly RecoveryCodes: RecoveryCodes;
  readonly MfaConfirmed: MfaConfirmed;
  readonly FactorDeleted: FactorDeleted;
  readonly MfaStatus: MfaStatus;
  readonly MfaReset: MfaReset;
}
