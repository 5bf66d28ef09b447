// Made of the schemas in answers.ts by `npm run openapi`.

/** An end user. */
export interface User {
  /** Account id. */
  readonly id: string;
  /** userId of the profile. The external id if the account has one, else the account id. */
  readonly userId: string;
  /** Your id of the user; null if not set. */
  readonly externalId: string | null;
  /** Email address; null for a guest. */
  readonly email: string | null;
  /** Whether the user has proven to own the email address. */
  readonly emailVerified: boolean;
  /** Phone number in E.164 format; null if not set. */
  readonly phone: string | null;
  /** Display name; null if not set. */
  readonly name: string | null;
  /** Language, such as en or pt-BR; null if not set. */
  readonly locale: string | null;
  /** IANA time zone; null if not set. */
  readonly timezone: string | null;
  /** Your own data about the user. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether the user is a guest. */
  readonly isAnonymous: boolean;
  /** Whether sign-in is disabled. */
  readonly disabled: boolean;
  /** Whether the user has a second factor. */
  readonly mfaEnabled: boolean;
  /** How the account was created. */
  readonly source: 'signup' | 'admin' | 'import' | 'social' | 'sso' | 'scim' | 'anonymous';
  /** When the account was created. */
  readonly createdAt: Date;
  /** When the account last changed. */
  readonly updatedAt: Date;
  /** When the user last signed in; null if never. */
  readonly lastSignInAt: Date | null;
}

/** Tokens of a session. */
export interface TokenSet {
  /** JWT that authenticates the user. Send it as `Authorization: Bearer`. */
  readonly accessToken: string;
  /** Type of the access token. */
  readonly tokenType: 'Bearer';
  /** Life of the access token, in seconds. */
  readonly expiresIn: number;
  /** Token for POST /auth-service/token/refresh. Works once. */
  readonly refreshToken: string;
  /** When the session ends unless it is refreshed. */
  readonly refreshExpiresAt: Date;
  /** Session id. */
  readonly sessionId: string;
  /** Token that shows that the user signed in on this device before. Store it and send it at sign-in. */
  readonly deviceToken: string;
  /** The user must enroll a second factor before anything else. Absent if not. */
  readonly mfaEnrollmentRequired?: true | undefined;
  /** The user. */
  readonly user: User;
}

/** A sign-in that needs a second factor. */
export interface MfaRequired {
  /** The user must pass a second factor. */
  readonly mfaRequired: true;
  /** The challenge. */
  readonly challenge: {
    /** Challenge id. */
    readonly id: string;
    /** Secret of the challenge. Send it with each code. */
    readonly token: string;
    /** When the challenge expires. */
    readonly expiresAt: Date;
    /** Factors that the user may use. */
    readonly factors: readonly {
      /** Factor id. */
      readonly id: string;
      /** Type of the factor. */
      readonly type: 'totp' | 'passkey' | 'recovery';
    }[];
    /** Codes that the challenge still accepts. */
    readonly attemptsLeft: number;
  };
}

/** Tokens of a session, or a challenge if the user has a second factor. */
export type AuthResult = TokenSet | MfaRequired;

/** Result of a sign-up without automatic sign-in. */
export interface SignedUp {
  /** The address must be verified. The answer is the same for an address that has an account. */
  readonly status: 'verification_required';
}

/** An email was requested. */
export interface AuthMailSent {
  /** Always true, whether the address has an account or not. */
  readonly sent: true;
}

/** Result of an email verification. */
export interface EmailVerified {
  /** The address is verified. */
  readonly verified: true;
  /** Whether the password of the sign-up is valid. If false, the user must reset the password. */
  readonly passwordKept: boolean;
}

/** Result of undoing a change of the email address. */
export interface EmailRestored {
  /** The former address is in effect again. */
  readonly restored: true;
}

/** Result of ending sessions. */
export interface SessionsRevoked {
  /** Sessions that were ended. */
  readonly revoked: number;
}

/** A session of a user. */
export interface Session {
  /** Session id. */
  readonly id: string;
  /** When the user signed in. */
  readonly createdAt: Date;
  /** When the session was last refreshed. */
  readonly lastSeenAt: Date;
  /** When the session ends unless it is refreshed. */
  readonly expiresAt: Date;
  /** Network of the client, such as 203.0.113.0/24; null if unknown. */
  readonly ipNet: string | null;
  /** User-Agent header of the sign-in; null if it had none. */
  readonly userAgent: string | null;
  /** Assurance level: one factor (aal1) or two (aal2). */
  readonly aal: 'aal1' | 'aal2';
  /** Methods of authentication (RFC 8176). */
  readonly amr: readonly string[];
  /** Whether this session made the request. */
  readonly current: boolean;
}

/** An access token with which somebody acts as a user. */
export interface Impersonation {
  /** JWT that acts as the user. Its claim `act` names who impersonates. It cannot be refreshed. */
  readonly accessToken: string;
  /** Type of the access token. */
  readonly tokenType: 'Bearer';
  /** Life of the access token, in seconds. */
  readonly expiresIn: number;
  /** When the session ends. */
  readonly expiresAt: Date;
  /** Session id. */
  readonly sessionId: string;
  /** The user. */
  readonly user: User;
}

/** What a sign-in page needs to know. Public. */
export interface AuthConfig {
  /** Whether users may sign up. */
  readonly signup: 'open' | 'disabled';
  /** Shortest new password, in characters. */
  readonly passwordMinLength: number;
  /** Captcha whose response requests send as captchaToken; null: none. */
  readonly captcha: {
    /** Service of the widget. */
    readonly type: 'turnstile' | 'hcaptcha' | 'recaptcha';
    /** Public key of the widget. */
    readonly siteKey: string;
  } | null;
  /** Methods of sign-in that a page may offer. Social providers are listed apart. */
  readonly methods: {
    /** Email address and password. */
    readonly password: boolean;
    /** Link in an email. */
    readonly magicLink: boolean;
    /** Code in an email. */
    readonly emailCode: boolean;
    /** Guests without credentials. */
    readonly anonymous: boolean;
  };
}

/** Sign-in settings of an environment, with defaults filled in. */
export interface AuthSettings {
  /** Who may sign up, and how. */
  readonly signup: {
    /** Whether new users may create accounts (open) or secret keys only (disabled). Default: open. */
    readonly mode: 'open' | 'disabled';
    /**
     * Whether a sign-up starts a session at once. It then shows whether an address has an account. Default: false.
     */
    readonly autoSignIn: boolean;
    /** Whether users must verify their email address before they sign in with a password. Default: true. */
    readonly requireVerifiedEmail: boolean;
    /** Days after which an account that was never verified or used is erased. 1 to 365. Default: 30. */
    readonly unverifiedDays: number;
  };
  /** Rules of new passwords. */
  readonly password: {
    /** Shortest new password, in characters. 8 to 64. Default: 8. */
    readonly minLength: number;
  };
  /** Access tokens. */
  readonly token: {
    /** Life of an access token, in seconds. 300 to 3,600. Default: 900. */
    readonly accessTtlSeconds: number;
    /** Signature algorithm of access tokens. A change begins a rotation of the signing key. Default: ES256. */
    readonly alg: 'ES256' | 'EdDSA' | 'RS256';
  };
  /** Life and number of sessions. */
  readonly session: {
    /** Days without a refresh after which a session ends. 1 to 365. Default: 30. */
    readonly idleDays: number;
    /** Days after which a session ends in any case. 1 to 365. Default: 90. */
    readonly absoluteDays: number;
    /** Sessions per user. A further sign-in ends the oldest session. 1 to 1,000. Default: 100. */
    readonly maxPerUser: number;
  };
  /** URLs that sign-in may redirect to, compared exactly. At most 50. Default: none. */
  readonly redirectUris: readonly string[];
  /** Guests. */
  readonly anonymous: {
    /** Whether guests may sign in without credentials. Default: false. */
    readonly enabled: boolean;
    /** Days after which an idle guest is erased. 1 to 365. Default: 90. */
    readonly keepDays: number;
  };
  /** Second factors. */
  readonly mfa: {
    /**
     * Whether second factors are not used (off), used by users who enroll one (optional), or required of all users.
     * Default: optional.
     */
    readonly mode: 'off' | 'optional' | 'required';
  };
  /** Links between social sign-ins and existing accounts. */
  readonly linking: {
    /**
     * Social providers whose verified email address links a sign-in to the account with the same verified address.
     * Default: none.
     */
    readonly autoLinkProviders: readonly ('google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify')[];
  };
  /** Passkeys. Sign-in does not use them yet; authenticator apps show rpName. */
  readonly passkey: {
    /** Domain that passkeys belong to. A change makes existing passkeys useless. Default: the host of publicUrl. */
    readonly rpId: string | null;
    /** Name that the browser shows for your service. Default: the project's name. */
    readonly rpName: string | null;
    /**
     * Origins of pages and Android apps that use passkeys. At most 5. Origins outside of rpId need a file
     * /.well-known/webauthn there. Default: the origin of publicUrl.
     */
    readonly origins: readonly string[];
    /** Whether passkeys work in a frame of another origin. Default: false. */
    readonly allowCrossOrigin: boolean;
  };
  /** Emails of sign-in. */
  readonly mail: {
    /** Ids of email templates that replace the built-in ones, by kind of email. Default: none. */
    readonly templates: Readonly<Partial<Record<'verify' | 'exists' | 'magic_link' | 'otp' | 'reset' | 'email_change' | 'reauth' | 'email_changed_notice' | 'mfa_wrong_code' | 'password_changed' | 'mfa_removed' | 'passkey_added', string>>>;
    /** Security notices that users receive. Default: all. */
    readonly notices: readonly ('email_changed_notice' | 'mfa_wrong_code' | 'password_changed' | 'mfa_removed' | 'passkey_added')[];
    /** Sign-in emails of the project per hour. 1 to 100,000. Default: 3,000. */
    readonly perHour: number;
  };
  /** Captcha of sign-in. Its secret is never returned. */
  readonly captcha: {
    /** Service that verifies captchaToken on requests that sign up, sign in or send email. Default: none. */
    readonly type: 'none' | 'turnstile' | 'hcaptcha' | 'recaptcha';
    /** Public key of the widget on your page. Required with a service. Default: none. */
    readonly siteKey: string | null;
  };
  /** Traits that follow the account. */
  readonly profileTraits: {
    /** Trait of the profile that follows the account's name. Default: none. */
    readonly name: string | null;
  };
}

/** A deleted user. */
export interface AuthUserDeleted {
  /** Id of the erasure. */
  readonly erasureId: string;
}

/** A key that signs access tokens. The private part is never returned. */
export interface AuthSigningKey {
  /** Key id: the RFC 7638 thumbprint. */
  readonly kid: string;
  /** Signature algorithm. */
  readonly alg: 'ES256' | 'EdDSA' | 'RS256';
  /** Stage of the key: next, active, retiring or retired. */
  readonly state: 'next' | 'active' | 'retiring' | 'retired';
  /** When the key begins to sign, or began. */
  readonly activateAt: Date;
  /** When the key is no longer published; null if not retiring. */
  readonly retireAt: Date | null;
  /** When the key was created. */
  readonly createdAt: Date;
}

/** JSON Web Key Set. */
export interface AuthJwks {
  /** Public keys that verify access tokens. */
  readonly keys: readonly {
    /** Key id. */
    readonly kid: string;
    /** Key type. */
    readonly kty: string;
    readonly [name: string]: unknown;
  }[];
}

/** Metadata of the issuer of access tokens (OpenID Connect Discovery). */
export interface AuthOpenIdConfiguration {
  /** Value of the claim `iss` of access tokens. */
  readonly issuer: string;
  /** URL of the public keys. */
  readonly jwks_uri: string;
  /** Signature algorithms. */
  readonly id_token_signing_alg_values_supported: readonly ('ES256' | 'EdDSA' | 'RS256')[];
  /** Always empty: Beckon is not an OAuth authorization server. */
  readonly response_types_supported: readonly string[];
  /** Always `public`. */
  readonly subject_types_supported: readonly ('public')[];
}

/** An entry of the audit log of sign-in. */
export interface AuthAuditEntry {
  /** Id of the entry. */
  readonly id: string;
  /** Who acted: `user:` and an account id, `key:` and a key id, `system`, or `anonymous` for a failed sign-in. */
  readonly actor: string;
  /** What was done, such as password.change. */
  readonly action: string;
  /** Account or setting concerned; null if none. */
  readonly target: string | null;
  /** Outcome: ok, or the reason of the failure. */
  readonly result: string;
  /** Network of the client; null if unknown. */
  readonly ipNet: string | null;
  /** Further facts. Never secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** When it happened. */
  readonly at: Date;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly User: User;
  readonly TokenSet: TokenSet;
  readonly MfaRequired: MfaRequired;
  readonly AuthResult: AuthResult;
  readonly SignedUp: SignedUp;
  readonly AuthMailSent: AuthMailSent;
  readonly EmailVerified: EmailVerified;
  readonly EmailRestored: EmailRestored;
  readonly SessionsRevoked: SessionsRevoked;
  readonly Session: Session;
  readonly Impersonation: Impersonation;
  readonly AuthConfig: AuthConfig;
  readonly AuthSettings: AuthSettings;
  readonly AuthUserDeleted: AuthUserDeleted;
  readonly AuthSigningKey: AuthSigningKey;
  readonly AuthJwks: AuthJwks;
  readonly AuthOpenIdConfiguration: AuthOpenIdConfiguration;
  readonly AuthAuditEntry: AuthAuditEntry;
}
