import type { MfaRequired, TokenSet } from '../generated/wire.ts';

// Inputs and answers of sign-in methods.

/** Result of `takeRedirect`: what a provider or the link of an email added to the page's URL. */
export type Redirect =
  /** Pass it to `exchange`, or to `upgradeGuest`. */
  | { readonly type: 'code'; readonly code: string; readonly c: string }
  /** The provider or the user ended the sign-in, such as `access_denied`. */
  | { readonly type: 'error'; readonly error: string; readonly c: string }
  /** Pass it to the method of its kind when the user clicks, because email scanners open links too. */
  | {
      readonly type: 'magic_link' | 'reset' | 'verification' | 'email_change' | 'email_change_undo';
      readonly token: string;
      readonly c: string | undefined;
    };

/** A provider of social sign-in. */
export type SocialProvider = {
  readonly provider: string;
  readonly enabled: boolean;
  readonly clientId?: string;
};
/** An account of a provider or connection that belongs to the user. */
export type Identity = {
  readonly id: string;
  readonly provider: string;
  readonly email: string | null;
  readonly linkedAt: string;
};
/** Where to send the browser; the URL works for `expiresIn` seconds. */
export type SocialStart = { readonly authorizationUrl: string; readonly expiresIn: number };
/** An email was requested. The answer is the same for an address without account. */
export type ChallengeSent = { readonly sent: true; readonly challengeId: string };

export type Passkey = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  readonly aaguid: string;
};
/** Options of a WebAuthn ceremony; binary values are base64url. */
export type Ceremony = {
  readonly challengeId: string;
  readonly publicKey: Readonly<Record<string, unknown>>;
};
export type Factor = {
  readonly id: string;
  readonly type: string;
  /** Its secret was lost in a restore: only a recovery code helps. */
  readonly lost: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};
/** A secret for an authenticator app. Show `otpauthUri` as QR code. */
export type TotpEnrollment = { readonly factorId: string; readonly secret: string; readonly otpauthUri: string };
export type RecoveryCodes = { readonly recoveryCodes: readonly string[] };
/** A confirmed factor. The client has stored the tokens. */
export type TotpConfirmed = RecoveryCodes & { readonly tokens: TokenSet };

export type MfaChallenge = MfaRequired['challenge'];
/** One way to prove again who the user is. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string; readonly factorId?: string }
  | { readonly emailCode: string; readonly challengeId: string };

/** A change of the session, by this page or another one. */
export type AuthChange = {
  /** `refreshed` also follows a change of the user, and a new proof in the same session. */
  readonly type: 'signed_in' | 'refreshed' | 'signed_out';
  /** The session after the change; null when signed out. */
  readonly session: TokenSet | null;
  /** Why the service ended the session: refresh_invalid, session_expired or refresh_reused. */
  readonly reason?: string | undefined;
  /** Whether this page made the change. */
  readonly isOwn: boolean;
};
