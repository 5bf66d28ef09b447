import type { AccountRow } from '../accounts/account.ts';
import type { SessionRow } from '../sessions/session.ts';

/** The user and the session of an access token. */
export type Bearer = { readonly account: AccountRow; readonly session: SessionRow };

/** What a route needs of a session. */
export type BearerNeeds = {
  /** The sign-in, or the last step-up, is at most 10 minutes old. Guests, who cannot repeat theirs, always pass. */
  readonly fresh?: boolean | undefined;
  /** The session passed a second factor, if the user has one. */
  readonly aal2?: boolean | undefined;
  /** Open to users who must still enroll a second factor. */
  readonly beforeEnrollment?: boolean | undefined;
  /** `only`: the user must be a guest; `refused`: must not be one. Absent: either. */
  readonly anonymous?: 'only' | 'refused' | undefined;
};
