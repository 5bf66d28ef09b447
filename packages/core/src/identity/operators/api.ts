import type { ListQuery, Page } from '../../foundation/page.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { Session, SessionsRevoked } from '../shapes/answers.generated.ts';

/** Somebody who runs this deployment. */
export type Operator = {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
};

/** A link of an operator that works once. Its secret exists nowhere else. */
export type OperatorLink = { readonly token: string; readonly expiresAt: Date };

/** `link` is null if the call set a password. */
export type OperatorWithLink = { readonly operator: Operator; readonly link: OperatorLink | null };

export type OperatorInput = {
  readonly email: string;
  /** Default: none. The answer then has a link with which the operator sets one. */
  readonly password?: string | undefined;
};

/** Which operator a call acts for, and in which session. */
export type SignedInOperator = { readonly operator: Operator; readonly session: Session };

export type OperatorCheck = {
  /** Whether the sign-in, or the last step-up, must be at most 10 minutes old. Default: false. */
  readonly fresh?: boolean | undefined;
  /** Whether the call keeps the session alive. Default: true. */
  readonly isActivity?: boolean | undefined;
};

/**
 * The accounts of those who run this deployment. They belong to no organization: no key, list or scope leads to them, and
 * nobody can sign up. A session ends after 2 hours without use, and after 12 hours.
 */
export type OperatorsApi = {
  /** Throws VALIDATION_ERROR for an invalid address and for a weak password, CONFLICT `account_exists`, OVERLOADED. */
  create(input: OperatorInput): Promise<OperatorWithLink>;
  /** Newest first. Throws VALIDATION_ERROR for an invalid limit or cursor. */
  list(query?: ListQuery): Promise<Page<Operator>>;
  /**
   * Sets a password and ends all sessions of the operator. Without a password the present one stays valid until the link of
   * the answer is used. Throws as `create`, and NOT_FOUND.
   */
  resetPassword(input: OperatorInput): Promise<OperatorWithLink>;
  /** Sets a password with the token of a link, and ends all sessions. Throws UNAUTHORIZED `token_invalid`, VALIDATION_ERROR, OVERLOADED. */
  useLink(input: { readonly token: string; readonly password: string }, client?: ClientInfo): Promise<Operator>;
  /** Creates a link that signs the operator in within 10 minutes; an earlier one ends. Throws VALIDATION_ERROR, NOT_FOUND. */
  createLoginLink(input: { readonly email: string }): Promise<OperatorWithLink>;
  /** Signs in with the token of such a link. Throws UNAUTHORIZED `token_invalid`. */
  signInWithLink(
    input: { readonly token: string },
    client?: ClientInfo,
  ): Promise<SignedInOperator & { readonly token: string }>;
  /** Returns the token of a new session. Throws UNAUTHORIZED `invalid_credentials`, OVERLOADED. */
  signIn(
    input: { readonly email: string; readonly password: string },
    client?: ClientInfo,
  ): Promise<SignedInOperator & { readonly token: string }>;
  /** Checks the token of a session. Throws UNAUTHORIZED `session_expired`, FORBIDDEN `reauth_required`. */
  authenticate(token: string, check?: OperatorCheck): Promise<SignedInOperator>;
  /** Confirms the password for what needs a recent sign-in. Throws as `authenticate` and `signIn`. */
  reauthenticate(token: string, input: { readonly password: string }): Promise<SignedInOperator>;
  /** Live sessions of the operator, last used first. Throws as `authenticate`. */
  sessions(token: string): Promise<Page<Session>>;
  /** Ends one session of the operator. Throws as `authenticate`, and NOT_FOUND. */
  revokeSession(token: string, id: string): Promise<SessionsRevoked>;
  /** Ends the session of the token. A token that is not valid is answered alike. Throws errors of the database. */
  logout(token: string): Promise<SessionsRevoked>;
};
