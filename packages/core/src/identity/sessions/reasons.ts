/** Authenticator assurance level: one factor or two. Source: NIST SP 800-63B. */
export type Aal = 'aal1' | 'aal2';
export type RefreshState = 'active' | 'used';

/** Why a session ended before its time. */
export const REVOKE_REASONS = [
  'logout',
  'admin',
  'disabled',
  'scim_deactivated',
  'password',
  'mfa_reset',
  'refresh_reuse',
  'replaced',
  'idle',
  'absolute',
] as const;
export type RevokeReason = (typeof REVOKE_REASONS)[number];

/** Reasons for which `user.session_expired` is raised: those that neither the user nor a password change chose. */
export const REPORTED_REASONS: ReadonlySet<RevokeReason> = new Set([
  'admin',
  'disabled',
  'scim_deactivated',
  'mfa_reset',
  'refresh_reuse',
  'idle',
  'absolute',
]);
