import type {
  AuthMailSent,
  AuthResult,
  AuthUserDeleted,
  ChangeEmailInput,
  ChangePasswordInput,
  EmailRestored,
  EmailVerified,
  ForgotPasswordInput,
  MeInput,
  ResetPasswordInput,
  Session,
  SessionsRevoked,
  SignedUp,
  SignInInput,
  SignUpInput,
  TokenSet,
  UndoEmailInput,
  User,
  VerificationInput,
  VerifyEmailInput,
} from '../generated/wire.ts';
import type {
  AuthChange,
  ChallengeSent,
  Factor,
  Identity,
  MfaChallenge,
  Passkey,
  Proof,
  RecoveryCodes,
  Redirect,
  SocialProvider,
  SocialStart,
  TotpConfirmed,
  TotpEnrollment,
} from './shapes.ts';

type Named<T, Name extends string> = Omit<T, Name> & { readonly c?: string | undefined };

/**
 * Sign-in of a page. Methods that get tokens store them, and reject with ApiError. Those of signed-in users reject with
 * `details.reason` `signed_out` without a session.
 */
export type Auth = {
  /** An access token that is valid now, for calls to your own server; null without a session. */
  getAccessToken(): Promise<string | null>;
  /** The stored session without a request; null without one. */
  session(): TokenSet | null;
  /** Calls the listener after each change of the session, in any tab. Returns a function that ends it. */
  onChange(listener: (change: AuthChange) => void): () => void;
  /** Reads and removes what a provider or an email added to the URL; null if there is nothing. */
  takeRedirect(): Redirect | null;
  /** Ends listeners and a waiting passkey request. The session stays. */
  close(): void;

  signUp(input: SignUpInput): Promise<SignedUp | TokenSet>;
  signIn(input: SignInInput): Promise<AuthResult>;
  forgotPassword(input: ForgotPasswordInput): Promise<AuthMailSent>;
  resetPassword(input: ResetPasswordInput): Promise<AuthResult>;
  changePassword(input: ChangePasswordInput): Promise<SessionsRevoked>;
  requestVerification(input: VerificationInput): Promise<AuthMailSent>;
  /** Verifies by the link's `token` and `c`, or by `email` and `code`. */
  verifyEmail(input: Named<VerifyEmailInput, 'codeVerifier'>): Promise<EmailVerified>;
  changeEmail(input: ChangeEmailInput): Promise<AuthMailSent>;
  undoEmailChange(input: UndoEmailInput): Promise<EmailRestored>;
  /** Proves again who the user is, for changes that need a fresh sign-in. */
  reauthenticate(proof: Proof): Promise<TokenSet>;
  reauthenticateWithPasskey(): Promise<TokenSet>;
  requestReauthenticationCode(): Promise<ChallengeSent>;

  requestMagicLink(input: {
    readonly email: string;
    readonly redirectTo: string;
    readonly createUser?: boolean;
  }): Promise<ChallengeSent>;
  verifyMagicLink(input: { readonly token: string; readonly c?: string | undefined }): Promise<AuthResult>;
  requestEmailCode(input: { readonly email: string; readonly createUser?: boolean }): Promise<ChallengeSent>;
  verifyEmailCode(input: {
    readonly challengeId: string;
    readonly email: string;
    readonly code: string;
  }): Promise<AuthResult>;

  listProviders(): Promise<readonly SocialProvider[]>;
  /** Begins a sign-in at a provider: send the browser to `authorizationUrl`. */
  startSocial(input: { readonly provider: string; readonly redirectTo: string }): Promise<SocialStart>;
  /** Signs in with an ID token that the page got from the provider itself. */
  signInWithIdToken(input: {
    readonly provider: string;
    readonly idToken: string;
    readonly nonce: string;
    readonly accessToken?: string;
  }): Promise<AuthResult>;
  /** Ends a sign-in at a provider, or the linking of an identity. */
  exchange(redirect: {
    readonly code: string;
    readonly c: string;
  }): Promise<AuthResult | { readonly linked: Identity }>;
  listIdentities(): Promise<readonly Identity[]>;
  startLink(input: { readonly provider: string; readonly redirectTo: string }): Promise<SocialStart>;
  unlinkIdentity(id: string): Promise<unknown>;

  /**
   * Signs in with a passkey. `isAutofill` waits until the user picks one in a field with `autocomplete="username
   * webauthn"`; null if the browser cannot do that.
   */
  signInWithPasskey(options?: { readonly isAutofill?: boolean }): Promise<TokenSet | null>;
  createPasskey(name: string): Promise<Passkey>;
  listPasskeys(): Promise<readonly Passkey[]>;
  renamePasskey(id: string, name: string): Promise<Passkey>;
  deletePasskey(id: string): Promise<void>;

  /** Creates a guest; what the Beckon client tracked before belongs to the guest. */
  signInAsGuest(input?: { readonly metadata?: Readonly<Record<string, unknown>> }): Promise<TokenSet>;
  /** Makes an account of a guest: by email and password, or with the code of a provider or email. */
  upgradeGuest(
    input:
      | { readonly email: string; readonly password: string }
      | { readonly code: string; readonly c?: string | undefined },
  ): Promise<SignedUp | TokenSet>;

  verifyMfa(
    challenge: Pick<MfaChallenge, 'id' | 'token'>,
    input: { readonly code: string; readonly factorId?: string },
  ): Promise<TokenSet>;
  verifyMfaWithPasskey(challenge: Pick<MfaChallenge, 'id' | 'token'>): Promise<TokenSet>;
  listFactors(): Promise<readonly Factor[]>;
  deleteFactor(id: string, proof: { readonly code: string } | { readonly password: string }): Promise<unknown>;
  enrollTotp(): Promise<TotpEnrollment>;
  confirmTotp(input: { readonly factorId: string; readonly code: string }): Promise<TotpConfirmed>;
  createRecoveryCodes(): Promise<RecoveryCodes>;

  listSessions(): Promise<readonly Session[]>;
  revokeSession(id: string): Promise<SessionsRevoked>;
  me(): Promise<User>;
  updateMe(input: MeInput): Promise<User>;
  deleteMe(): Promise<AuthUserDeleted>;
  /** Signs out here (default), on other devices, or everywhere. The page forgets its session even without a network. */
  logout(scope?: 'current' | 'others' | 'all'): Promise<SessionsRevoked | null>;
};
