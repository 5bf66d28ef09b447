import type { z } from 'zod';
import type { Frozen } from '../foundation/frozen.ts';
import type { ListQuery, Page } from '../foundation/page.ts';
import type { Scope } from '../foundation/scope.ts';
import type { JoinOptions } from '../platform/idempotency/api.ts';
import type { ClientInfo } from './audit/client.ts';
import type { AuthSettings, authSettingsChange } from './auth-settings/schema.ts';
import type { PasskeyApi, PasskeyUsersApi } from './authenticators/api.ts';
import type { ClaimsApi } from './claims/api.ts';
import type { Identity } from './exchange/answers.generated.ts';
import type { MfaApi, MfaUsersApi } from './factors/api.ts';
import type { GuestsApi } from './guests/api.ts';
import type { UsersImportApi } from './import/api.ts';
import type { LinksApi } from './links/api.ts';
import type { ScimApi } from './scim/api.ts';
import type {
  AuthAuditEntry,
  AuthConfig,
  AuthJwks,
  AuthMailSent,
  AuthOpenIdConfiguration,
  AuthResult,
  AuthSigningKey,
  AuthUserDeleted,
  EmailRestored,
  EmailVerified,
  Impersonation,
  Session,
  SessionsRevoked,
  SignedUp,
  TokenSet,
  User,
} from './shapes/answers.generated.ts';
import type { Bearer, BearerNeeds } from './shapes/bearer.ts';
import type * as bodies from './shapes/bodies.ts';
import type { UserQuery } from './shapes/queries.ts';
import type { SocialApi } from './social/api.ts';
import type { SsoApi } from './sso/api.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;

export type SignUpInput = Input<typeof bodies.signUpBody>;
export type SignInInput = Input<typeof bodies.signInBody>;
export type ForgotPasswordInput = Input<typeof bodies.forgotBody>;
export type ResetPasswordInput = Input<typeof bodies.resetBody>;
export type ChangePasswordInput = Input<typeof bodies.changePasswordBody>;
export type ReauthenticateInput = Input<typeof bodies.reauthenticateBody>;
export type VerificationInput = Input<typeof bodies.verificationBody>;
export type VerifyEmailInput = Input<typeof bodies.verifyEmailBody>;
export type ChangeEmailInput = Input<typeof bodies.changeEmailBody>;
export type UndoEmailInput = Input<typeof bodies.undoEmailBody>;
export type RefreshInput = Input<typeof bodies.refreshBody>;
export type LogoutInput = Input<typeof bodies.logoutBody>;
export type MeInput = Input<typeof bodies.meBody>;
export type UserInput = Input<typeof bodies.userBody>;
export type UserPatch = Input<typeof bodies.userPatch>;
export type ImpersonateInput = Input<typeof bodies.impersonateBody>;
export type AuthSettingsInput = Input<typeof authSettingsChange>;

/** Where a request comes from, and whether its caller is still there. */
export type AuthCall = Partial<ClientInfo>;
/** Who acts: `key:` and the id of a secret key. Default: `system`. */
export type AdminCall = { readonly actor?: string | undefined };

/**
 * Sign-up, passwords, sessions and the own account. Every function throws VALIDATION_ERROR for invalid input, and
 * UNAUTHORIZED and FORBIDDEN with a `reason` in the details.
 */
type AccountApi = {
  /**
   * Signs a user up. The answer is the same for an address that has an account. Throws FORBIDDEN `signup_disabled`,
   * `captcha_failed` or `denied`, PROVIDER_NOT_CONFIGURED without an email provider or `publicUrl`, OVERLOADED; with
   * `signup.autoSignIn` CONFLICT `account_exists`.
   */
  signUp(scope: Scope, input: SignUpInput, call?: AuthCall): Promise<SignedUp | AuthResult>;
  /**
   * Throws UNAUTHORIZED `invalid_credentials`, FORBIDDEN `email_not_verified`, `captcha_failed` or `denied`, OVERLOADED.
   */
  signIn(scope: Scope, input: SignInInput, call?: AuthCall): Promise<AuthResult>;
  /** Exchanges a refresh token. Throws UNAUTHORIZED with the reason, CONFLICT `refresh_in_progress`. */
  refresh(scope: Scope, input: RefreshInput, call?: AuthCall): Promise<TokenSet>;
  /** Emails a link to set a new password. */
  forgotPassword(scope: Scope, input: ForgotPasswordInput, call?: AuthCall): Promise<AuthMailSent>;
  /** Sets a new password and signs the user in. Throws UNAUTHORIZED `token_invalid`. */
  resetPassword(scope: Scope, input: ResetPasswordInput, call?: AuthCall): Promise<AuthResult>;
  /** Emails a link and a code to verify an address. */
  requestVerification(scope: Scope, input: VerificationInput, call?: AuthCall): Promise<AuthMailSent>;
  /** Throws UNAUTHORIZED `token_invalid` or `code_invalid`. */
  verifyEmail(scope: Scope, input: VerifyEmailInput, call?: AuthCall): Promise<EmailVerified>;
  /** Restores the former address. Throws UNAUTHORIZED `token_invalid`. */
  undoEmailChange(scope: Scope, input: UndoEmailInput, call?: AuthCall): Promise<EmailRestored>;
  /**
   * The user and the session of an access token. One read each, without a cache. Throws UNAUTHORIZED `token_invalid` or
   * `session_expired`, FORBIDDEN `reauth_required`.
   */
  authenticate(scope: Scope, accessToken: string | null, needs?: BearerNeeds): Promise<Bearer>;
  changePassword(scope: Scope, bearer: Bearer, input: ChangePasswordInput, call?: AuthCall): Promise<SessionsRevoked>;
  /**
   * Renews the time of authentication of a session: with the password, a code of a second factor, a passkey, or the
   * code of an email. Throws UNAUTHORIZED `invalid_credentials`, `code_invalid`, `passkey_invalid`, and for a second factor
   * as `verifyMfa`.
   */
  reauthenticate(scope: Scope, bearer: Bearer, input: ReauthenticateInput, call?: AuthCall): Promise<TokenSet>;
  changeEmail(scope: Scope, bearer: Bearer, input: ChangeEmailInput, call?: AuthCall): Promise<AuthMailSent>;
  me(scope: Scope, bearer: Bearer): Promise<User>;
  updateMe(scope: Scope, bearer: Bearer, input: MeInput): Promise<User>;
  /** Ends the sessions of the caller and erases the caller's data. */
  deleteMe(scope: Scope, bearer: Bearer): Promise<AuthUserDeleted>;
  sessions(scope: Scope, bearer: Bearer): Promise<Page<Session>>;
  logout(scope: Scope, bearer: Bearer, input?: LogoutInput): Promise<SessionsRevoked>;
  /** Throws NOT_FOUND. */
  revokeSession(scope: Scope, bearer: Bearer, id: string): Promise<SessionsRevoked>;

  /** What a sign-in page needs to know: sign-up, captcha, methods. Not secret. */
  getConfig(scope: Scope): Promise<AuthConfig>;
  getSettings(scope: Scope): Promise<AuthSettings>;
  /** Replaces the groups that the input names. Throws CONFLICT `version_changed`. */
  updateSettings(scope: Scope, input: AuthSettingsInput, call?: AdminCall): Promise<AuthSettings>;
  /** Public keys that verify access tokens. */
  jwks(scope: Scope): Promise<AuthJwks>;
  /** As `jwks`, for an issuer: no key names the organization. Throws NOT_FOUND. */
  issuerJwks(issuer: AuthIssuer): Promise<AuthJwks>;
  /** Metadata by which clients find the public keys of an issuer. Throws NOT_FOUND, PROVIDER_NOT_CONFIGURED. */
  openIdConfiguration(issuer: AuthIssuer): Promise<AuthOpenIdConfiguration>;
  listSigningKeys(scope: Scope): Promise<Page<AuthSigningKey>>;
  /** Begins a rotation of the signing key. Throws CONFLICT `rotation_running`. */
  rotateSigningKey(scope: Scope, call?: AdminCall): Promise<Page<AuthSigningKey>>;
  /** The audit log of sign-in, newest first. */
  audit(scope: Scope, query?: AuditQuery): Promise<Page<AuthAuditEntry>>;
};

/** Sign-in of a product's end users. */
export type AuthApi = AccountApi &
  ClaimsApi &
  GuestsApi &
  LinksApi &
  MfaApi &
  PasskeyApi &
  ScimApi &
  SocialApi &
  SsoApi;

/** The end users of an environment, as an operator's program manages them. Throws VALIDATION_ERROR for invalid input. */
export type UsersApi = MfaUsersApi &
  PasskeyUsersApi &
  UsersImportApi & {
    /** Users, newest first. */
    list(scope: Scope, query?: UserQuery): Promise<Page<User>>;
    /** Throws NOT_FOUND. */
    get(scope: Scope, id: string): Promise<User>;
    /**
     * Creates a user who can sign in at once. With `client` in the host's transaction, where the host's hooks do not run.
     * Throws CONFLICT `account_exists`, and what `JoinOptions.client` names.
     */
    create(scope: Scope, input: UserInput, call?: AdminCall & JoinOptions): Promise<User>;
    /** Throws NOT_FOUND, CONFLICT `account_exists`. */
    update(scope: Scope, id: string, input: UserPatch, call?: AdminCall): Promise<User>;
    /** Erases a user everywhere, as an erasure of the profile does. Throws NOT_FOUND. */
    delete(scope: Scope, id: string, call?: AdminCall): Promise<AuthUserDeleted>;
    sessions(scope: Scope, id: string): Promise<Page<Session>>;
    revokeSessions(scope: Scope, id: string, call?: AdminCall): Promise<SessionsRevoked>;
    /** Emails the user a link to set a new password. */
    sendReset(scope: Scope, id: string, call?: AdminCall): Promise<AuthMailSent>;
    /**
     * Issues an access token of 15 minutes with which an administrator acts as the user. It has the claim `act`, cannot
     * be refreshed and never counts as a recent sign-in; the audit log has the reason. Throws NOT_FOUND, CONFLICT
     * `user_disabled`.
     */
    impersonate(scope: Scope, id: string, input: ImpersonateInput, call?: AdminCall & AuthCall): Promise<Impersonation>;
    /** Identities of a user at providers. Throws NOT_FOUND. */
    identities(scope: Scope, id: string): Promise<Page<Identity>>;
  };

/** What the issuer of access tokens names: a project and an environment, as texts of a path. */
export type AuthIssuer = { readonly projectId: string; readonly environment: string };

/** Which entries of the audit log to list. */
export type AuditQuery = ListQuery & {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly result?: string | undefined;
};
