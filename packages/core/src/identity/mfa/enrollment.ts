import type { AccountRow } from '../accounts/account.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { Aal } from '../sessions/reasons.ts';

/** True if the project requires a second factor and the user has none. Throws nothing. */
export const mustEnroll = (
  { mfaEnabledAt }: Pick<AccountRow, 'mfaEnabledAt'>,
  { aal }: { readonly aal: Aal },
  { mfa }: Pick<AuthSettings, 'mfa'>,
): boolean => mfa.mode === 'required' && mfaEnabledAt === null && aal !== 'aal2';
