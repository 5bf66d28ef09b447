// The public names of sign-in, exported by the index of the library.

export { ACCOUNT_SOURCES, type AccountSource } from './identity/accounts/sources.ts';
export type { UserQuery } from './identity/admin/users.ts';
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
export type {
  MfaPasskeyRequest,
  Passkey,
  PasskeyDeleted,
  PasskeyRegistration,
  PasskeyRequest,
} from './identity/authenticators/answers.generated.ts';
export type {
  MfaPasskeyInput,
  PasskeyApi,
  PasskeyInput,
  PasskeyPatch,
  PasskeySignInInput,
  PasskeyUsersApi,
} from './identity/authenticators/api.ts';
export type {
  FactorDeleted,
  MfaConfirmed,
  MfaEnrollment,
  MfaFactor,
  MfaReset,
  MfaStatus,
  RecoveryCodes,
} from './identity/factors/answers.generated.ts';
export type {
  ConfirmFactorInput,
  DeleteFactorInput,
  MfaApi,
  MfaUsersApi,
  VerifyMfaInput,
} from './identity/factors/api.ts';
export type { Bearer, BearerNeeds } from './identity/flow/bearer.ts';
export type { AuthOptions } from './identity/module.ts';
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
