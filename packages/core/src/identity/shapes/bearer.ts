import type { AccountRow } from '../accounts/account.ts';
import type { SessionRow } from '../sessions/session.ts';

/** The user and the session of an access token. */
export type Bearer = { readonly account: AccountRow; readonly session: SessionRow };

/** What a route needs of a session. */
export type BearerNeeds = {
  /** The sign-in, or the last step-up, is at most 10 minutes old. */
  readonly fresh?: boolean | undefined;
  /** `only`: the user must be a guest; `refused`: must not be one. Absent: either. */
  readonly anonymous?: 'only' | 'refused' | undefined;
};
