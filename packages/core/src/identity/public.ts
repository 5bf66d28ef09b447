// The public names of sign-in, exported by the index of the library.

export { ACCOUNT_SOURCES, type AccountSource } from './accounts/sources.ts';
export type { UserQuery } from './admin/users.ts';
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
  VerificationInput,
  VerifyEmailInput,
} from './api.ts';
export type { Bearer, BearerNeeds } from './flow/bearer.ts';
export type { AuthOptions } from './module.ts';
export type {
  AuthAuditEntry,
  AuthJwks,
  AuthMailSent,
  AuthOpenIdConfiguration,
  AuthSettings,
  AuthSigningKey,
  AuthUserDeleted,
  EmailRestored,
  EmailVerified,
  Session,
  SessionsRevoked,
  SignedUp,
  TokenSet,
  User,
} from './shapes/answers.generated.ts';
