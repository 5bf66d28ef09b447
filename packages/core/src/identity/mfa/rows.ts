import type { MfaTables } from './tables.ts';

export type { PendingSignIn } from './tables.ts';

export type FactorRow = MfaTables['authFactors']['$inferSelect'];
export type RecoveryCodeRow = MfaTables['authRecoveryCodes']['$inferSelect'];
export type MfaStateRow = MfaTables['authMfaState']['$inferSelect'];
export type MfaChallengeRow = MfaTables['authMfaChallenges']['$inferSelect'];

/** True for a factor that is in use; lost ones are. Throws nothing. */
export const isConfirmed = ({ confirmedAt }: Pick<FactorRow, 'confirmedAt'>): boolean => confirmedAt !== null;
