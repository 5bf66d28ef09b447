// The public names of sign-in, exported by the index of the library.

export type { AccountCall, AccountDecision, AccountEvent, AccountHook } from './app/host/hooks.ts';
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
  ImpersonateInput,
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
export type { ClaimsPreview, ClaimsTemplate } from './identity/claims/answers.generated.ts';
export type { ClaimsApi, ClaimsTemplateInput, PreviewClaimsInput } from './identity/claims/api.ts';
export type {
  AuthAuditEntry,
  AuthConfig,
  AuthJwks,
  AuthMailSent,
  AuthOpenIdConfiguration,
  AuthResult,
  AuthSettings,
  AuthSigningKey,
  AuthUserDeleted,
  EmailRestored,
  EmailVerified,
  Impersonation,
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
