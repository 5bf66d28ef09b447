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
export type { ClaimsPreview, ClaimsTemplate } from './identity/claims/answers.generated.ts';
export type { ClaimsApi, ClaimsTemplateInput, PreviewClaimsInput } from './identity/claims/api.ts';
export type {
  CodeExchanged,
  Identity,
  IdentityLinked,
  IdentityUnlinked,
} from './identity/exchange/answers.generated.ts';
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
export type { GuestInput, GuestsApi, GuestUpgradeInput } from './identity/guests/api.ts';
export type { UsersImported } from './identity/import/answers.generated.ts';
export type {
  PortableUser,
  UsersExport,
  UsersImportApi,
  UsersImportInput,
  UsersImportOptions,
} from './identity/import/api.ts';
export type { AuthChallengeSent } from './identity/links/answers.generated.ts';
export type {
  EmailOtpInput,
  EmailOtpVerifyInput,
  LinksApi,
  MagicLinkInput,
  MagicLinkVerifyInput,
} from './identity/links/api.ts';
export type {
  Operator,
  OperatorCheck,
  OperatorInput,
  OperatorLink,
  OperatorsApi,
  OperatorWithLink,
  SignedInOperator,
} from './identity/operators/api.ts';
export type {
  NewScimToken,
  ScimDirectory,
  ScimDirectoryDeleted,
  ScimToken,
  ScimTokenDeleted,
} from './identity/scim/answers.generated.ts';
export type {
  ScimApi,
  ScimDirectoryInput,
  ScimDirectoryPatch,
  ScimTokenInput,
  ScimTokenQuery,
} from './identity/scim/api.ts';
export type {
  ScimCaller,
  ScimEndpoint,
  ScimOperation,
  ScimRequest,
  ScimResponse,
} from './identity/scim/request.ts';
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
export type { AuthOptions, ProviderUrls } from './identity/shapes/options.ts';
export type { UserQuery } from './identity/shapes/queries.ts';
export type {
  SocialProviderDeleted,
  SocialProviderEnabled,
  SocialProviderSettings,
  SocialSignIn,
  SocialStarted,
} from './identity/social/answers.generated.ts';
export type {
  CodeExchangeInput,
  LinkIdentityInput,
  SocialApi,
  SocialProviderInput,
  SocialSignInInput,
} from './identity/social/api.ts';
export type {
  SsoCertificate,
  SsoConnection,
  SsoConnectionDeleted,
  SsoConnectionDomain,
  SsoDomain,
  SsoDomainChecked,
  SsoDomainDeleted,
  SsoOidc,
  SsoSaml,
  SsoStarted,
} from './identity/sso/answers.generated.ts';
export type {
  SamlResponseInput,
  SsoApi,
  SsoConnectionInput,
  SsoConnectionPatch,
  SsoDomainInput,
  SsoStartInput,
} from './identity/sso/api.ts';
