// The public names of sign-in, exported by the index of the library.

export { ACCOUNT_SOURCES, type AccountSource } from './identity/accounts/sources.ts';
export type {
  AdminCall,
  AuditQuery,
  AuthApi,
  AuthCall,
  AuthIssuer,
  AuthSettingsInput,
  ChangeEmailInput,
  ChangePasswordInput,
  ForgotPasswordInput,
  LogoutInput,
  MeInput,
  ReauthenticateInput,
  RefreshInput,
  ResetPasswordInput,
  SignInInput,
  SignUpInput,
  UndoEmailInput,
  UserInput,
  UserPatch,
  UsersApi,
  VerificationInput,
  VerifyEmailInput,
} from './identity/api.ts';
export type { GuestInput, GuestsApi, GuestUpgradeInput } from './identity/guests/api.ts';
export type { AuthChallengeSent } from './identity/links/answers.generated.ts';
export type {
  EmailOtpInput,
  EmailOtpVerifyInput,
  LinksApi,
  MagicLinkInput,
  MagicLinkVerifyInput,
} from './identity/links/api.ts';
export type {
  AuthAuditEntry,
  AuthJwks,
  AuthMailSent,
  AuthOpenIdConfiguration,
  AuthResult,
  AuthSettings,
  AuthSigningKey,
  AuthUserDeleted,
  EmailRestored,
  EmailVerified,
  MfaRequired,
  Session,
  SessionsRevoked,
  SignedUp,
  TokenSet,
  User,
} from './identity/shapes/answers.generated.ts';
export type { Bearer, BearerNeeds } from './identity/shapes/bearer.ts';
export type { AuthOptions } from './identity/shapes/options.ts';
export type { UserQuery } from './identity/shapes/queries.ts';
