// Made of the description of the interface by `npm run openapi`.

/** Credentials of one provider, without the credentials themselves. */
export interface ProviderState {
  /** Name of the provider, such as `ses`. */
  readonly provider: string;
  /** Whether credentials are stored. */
  readonly configured: boolean;
  /** Last characters of an id that identifies the credentials; null if there are none. */
  readonly lastFour: string | null;
  /** When the provider last accepted a message with these credentials; null if it never did. */
  readonly verifiedAt: string | null;
  /** When the credentials were last changed; null if there are none. */
  readonly updatedAt: string | null;
  /** Increases with every change of the credentials; null if there are none. */
  readonly version: number | null;
}

/** Result of a test of the credentials of one provider. */
export interface ProviderTest {
  /** Name of the provider; `sandbox` in the environment `test`. */
  readonly provider: string;
  /** Whether the provider accepts the credentials; null if it cannot be asked without a recipient. */
  readonly ok: boolean | null;
  /** Error code of the failed test; null if it passed. */
  readonly code: string | null;
  /** What failed, in one sentence; null if the test passed. */
  readonly message: string | null;
}

/** How messages of one channel were delivered recently. */
export interface DeliveryHealth {
  /** Length of the period that the figures cover, in minutes. */
  readonly windowMinutes: number;
  /** Messages that a provider accepted. */
  readonly sent: number;
  /** Messages whose last attempt failed, including those that are retried. */
  readonly failed: number;
  /** Failed messages that are retried. */
  readonly retrying: number;
  /** Share of attempted messages that failed, 0 to 1; 0 if none was attempted. */
  readonly failureRate: number;
  /** Failed messages by `errorCode`; `unknown` counts those without a code. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Push messages by device platform. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>>;
  /** Messages by provider. */
  readonly byProvider: Readonly<Partial<Record<'apns' | 'fcm' | 'webpush' | 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'mailgun' | 'resend' | 'twilio' | 'telnyx' | 'sandbox', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>>;
  /** Device tokens that a provider reported as invalid. */
  readonly tokensInvalidated: number;
  /** Age of the oldest due message, in seconds; 0 if none is due. */
  readonly oldestQueuedAgeSeconds: number;
  /** Providers that receive no messages, because they refuse their credentials or do not respond. */
  readonly openCircuits: readonly {
    /** Name of the provider. */
    readonly provider: string;
    /** When the next message is tried. */
    readonly until: string;
    /** Error code that opened the circuit. */
    readonly code: string;
  }[];
  /** `degraded` from a failure rate of 5 %, `failing` from 50 %. */
  readonly status: 'ok' | 'degraded' | 'failing';
}

/** An email as its provider receives it. */
export interface EmailContent {
  /** Addresses of the SMTP envelope. */
  readonly envelope: {
    /** Return path: the address that receives bounces. */
    readonly from: string;
    /** Address that the server delivers to. */
    readonly to: string;
  };
  /** The From header. */
  readonly from: {
    /** Email address of the sender. */
    readonly email: string;
    /** Display name of the sender; null if there is none. */
    readonly name: string | null;
  };
  /** The To header; in a copy it names the main recipient. */
  readonly to: {
    /** Email address of the recipient. */
    readonly email: string;
    /** Display name of the recipient; null if there is none. */
    readonly name: string | null;
  };
  /** The Cc header. */
  readonly cc: readonly {
    /** Email address of the copied recipient. */
    readonly email: string;
    /** Display name of the copied recipient; null if there is none. */
    readonly name: string | null;
  }[];
  /** The Reply-To header; null if none is set. */
  readonly replyTo: {
    /** Email address of the person who receives replies. */
    readonly email: string;
    /** Display name of the person who receives replies; null if there is none. */
    readonly name: string | null;
  } | null;
  /** Rendered subject. */
  readonly subject: string;
  /** Rendered plain text part; null if there is none. */
  readonly text: string | null;
  /** Rendered HTML part; null if there is none. */
  readonly html: string | null;
  /** Further headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attached files, without their contents. */
  readonly attachments: readonly {
    /** Name of the file. */
    readonly filename: string;
    /** Media type without parameters, such as `application/pdf`. */
    readonly contentType: string;
    /** Content id that the HTML refers to as `cid:...`; null for an ordinary attachment. */
    readonly cid: string | null;
    /** Size of the file, in bytes. */
    readonly bytes: number;
  }[];
}

/** A push as its provider receives it. */
export interface PushContent {
  /** Platform of the device. */
  readonly platform: 'ios' | 'android' | 'web';
  /** Device token; of a browser the JSON of its push subscription. */
  readonly token: string;
  /** APNs host of the token; null if unknown or not iOS. */
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
  /** Rendered title; null if there is none. */
  readonly title: string | null;
  /** Rendered text; null if there is none. */
  readonly body: string | null;
  /** Custom data for the app. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Action buttons, at most 4. */
  readonly actions: readonly {
    /** Id that is reported when the button is tapped. */
    readonly id: string;
    /** Label of the button. */
    readonly title: string;
    /** URL that the button opens; missing if it opens none. */
    readonly url?: string;
    /** URL of the icon; missing if there is none. */
    readonly icon?: string;
  }[];
  /** Critical alert of iOS, which ignores the mute switch; null for an ordinary push. */
  readonly criticalAlert: {
    /** Name of the sound file. */
    readonly soundName: string;
    /** Volume, 0 to 1. */
    readonly volumeRatio: number;
  } | null;
  /** Interruption level of iOS; null for the default. */
  readonly interruptionLevel: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
  /** A later push with the same key replaces this one; null if nothing replaces it. */
  readonly collapseKey: string | null;
  /** Group in the notification list; null for the default group. */
  readonly threadId: string | null;
  /** How long the provider tries to deliver, in seconds. */
  readonly ttlSeconds: number;
  /** Delivery priority. */
  readonly priority: 'high' | 'normal';
  /** Number on the app icon; null if it stays unchanged. */
  readonly badge: number | null;
  /** Name of the sound; null for no sound. */
  readonly sound: string | null;
  /** URL of the image; null if there is none. */
  readonly imageUrl: string | null;
  /** Present if the push starts, updates or ends a Live Activity. */
  readonly liveActivity?: {
    /** What the push does to the Live Activity. */
    readonly event: 'start' | 'update' | 'end';
    /** Unix time in seconds; a device ignores pushes that are not newer than the last one. */
    readonly timestamp: number;
    /** State that the app displays; null if it stays unchanged. */
    readonly contentState: Readonly<Record<string, unknown>> | null;
    /** When the state is outdated, in Unix seconds; null if never. */
    readonly staleDate: number | null;
    /** Order among several Live Activities; null for the default. */
    readonly relevanceScore: number | null;
    /** Alert that accompanies the push; null if it is silent. */
    readonly alert: {
      /** Title of the alert. */
      readonly title: string;
      /** Text of the alert. */
      readonly body: string;
      /** Name of the sound file; missing for no sound. */
      readonly sound?: string;
    } | null;
    /** When iOS removes the ended activity, in Unix seconds; null for the default. */
    readonly dismissalDate: number | null;
    /** Name of the app's attributes type; null unless the activity starts. */
    readonly attributesType: string | null;
    /** Data of the activity that never changes; null unless it starts. */
    readonly attributes: Readonly<Record<string, unknown>> | null;
    /** APNs priority: 5 saves battery, 10 is immediate. */
    readonly priority: 5 | 10;
  };
}

/** An SMS as its provider receives it. */
export interface SmsContent {
  /** Recipient number in E.164 format. */
  readonly to: string;
  /** Sender number or name; null if a messaging service sends it. */
  readonly from: string | null;
  /** Id of the provider's messaging service; null if `from` sends it. */
  readonly messagingServiceId: string | null;
  /** Rendered text. */
  readonly body: string;
  /** URLs of attached media. */
  readonly mediaUrls: readonly string[];
  /** URL for delivery reports; null if none are requested. */
  readonly statusCallback: string | null;
  /** How long the provider tries to deliver, in seconds; null for the provider's default. */
  readonly validitySeconds: number | null;
}

/** A push in the outbox, with the request to its provider. */
export interface OutboxPushContent extends PushContent {
  /** Request that the provider of the platform would receive. */
  readonly request?: {
    /** Provider of the platform. */
    readonly provider: 'apns' | 'fcm' | 'webpush';
    /** Headers of the request, without credentials. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body of the request. */
    readonly payload: unknown;
    /** Size of the body, in bytes of UTF-8. */
    readonly bytes: number;
  };
}

/** An email in the outbox. */
export interface OutboxEmail {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: string;
  /** Channel. */
  readonly channel: 'email';
  /** The message as its provider would receive it. */
  readonly content: EmailContent;
}

/** A push in the outbox. */
export interface OutboxPush {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: string;
  /** Channel. */
  readonly channel: 'push';
  /** The message as its provider would receive it. */
  readonly content: OutboxPushContent;
}

/** An SMS in the outbox. */
export interface OutboxSms {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: string;
  /** Channel. */
  readonly channel: 'sms';
  /** The message as its provider would receive it. */
  readonly content: SmsContent;
}

/** A message in the outbox of `test`; `channel` determines the type of `content`. */
export type OutboxMessage = OutboxEmail | OutboxPush | OutboxSms;

/** Result of an import of users. It never contains a hash. */
export interface UsersImported {
  /** Rows of the request. */
  readonly total: number;
  /** Users created. */
  readonly imported: number;
  /** Users updated. */
  readonly updated: number;
  /** Rows whose user exists. */
  readonly skipped: number;
  /** Rows that were not imported. */
  readonly failed: number;
  /** One entry per row, in the order of the request. */
  readonly results: readonly {
    /** Position of the row in the request, from 0. */
    readonly index: number;
    /** What happened to the row. */
    readonly status: 'imported' | 'updated' | 'skipped' | 'failed';
    /** Account id. */
    readonly id?: string;
    /** userId of the profile. */
    readonly userId?: string;
    /** Algorithm of the password hash. */
    readonly algorithm?: string;
    /** For failed rows. */
    readonly error?: {
      /** Why the row was not imported. */
      readonly reason: 'invalid' | 'account_exists' | 'identity_exists' | 'unsupported_hash' | 'hash_over_cap' | 'passkey_exists';
      /** The same in words. */
      readonly message: string;
    };
  }[];
}

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
  readonly createdAt: string;
  /** When the account last changed. */
  readonly updatedAt: string;
  /** When the user last signed in; null if never. */
  readonly lastSignInAt: string | null;
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
  readonly refreshExpiresAt: string;
  /** Session id. */
  readonly sessionId: string;
  /** Token that shows that the user signed in on this device before. Store it and send it at sign-in. */
  readonly deviceToken: string;
  /** The user must enroll a second factor before anything else. Absent if not. */
  readonly mfaEnrollmentRequired?: true;
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
    readonly expiresAt: string;
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
  readonly createdAt: string;
  /** When the session was last refreshed. */
  readonly lastSeenAt: string;
  /** When the session ends unless it is refreshed. */
  readonly expiresAt: string;
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
  readonly expiresAt: string;
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
    /** Passkey. */
    readonly passkey: boolean;
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
  /** Passkeys. Authenticator apps show rpName, too. */
  readonly passkey: {
    /** Domain that passkeys belong to. A change makes existing passkeys useless. Default: the host of publicUrl. */
    readonly rpId: string | null;
    /** Name that the browser shows for your service. Default: rpId. */
    readonly rpName: string | null;
    /**
     * Origins of pages and Android apps that use passkeys. At most 5. Origins outside of rpId must be listed in the
     * file /.well-known/webauthn of rpId. Default: the origin of publicUrl.
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
  readonly activateAt: string;
  /** When the key is no longer published; null if not retiring. */
  readonly retireAt: string | null;
  /** When the key was created. */
  readonly createdAt: string;
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
  readonly at: string;
}

/** Claims template of an environment. */
export interface ClaimsTemplate {
  /** Claims that access tokens get in addition, by name; null: none. */
  readonly template: Readonly<Record<string, unknown>> | null;
  /** When the template was last changed; null without a template. */
  readonly updatedAt: string | null;
}

/** Claims as an access token would have them. */
export interface ClaimsPreview {
  /** Rendered claims; null if tokens are issued without them. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /** Why tokens are issued without the claims: more than 4 KB, or the profile cannot be read. */
  readonly skipped: 'too_large' | 'profile_unreadable' | null;
}

/** An identity of a user at a provider. */
export interface Identity {
  /** Identity id. */
  readonly id: string;
  /** Social provider, or the protocol of a connection. */
  readonly provider: string;
  /** Connection of an organization's own provider; null if social. */
  readonly connectionId: string | null;
  /** The provider's id of the user. */
  readonly subject: string;
  /** Email address as the provider states it; null if none. */
  readonly email: string | null;
  /** Whether the provider states that the user owns the address. */
  readonly emailVerified: boolean;
  /** When the identity was linked. */
  readonly linkedAt: string;
}

/** Result of linking an identity. */
export interface IdentityLinked {
  /** The identity that was linked. */
  readonly linked: Identity;
}

/** Result of unlinking an identity. */
export interface IdentityUnlinked {
  /** The identity is no longer linked. */
  readonly unlinked: true;
}

/** The result of the sign-in; for a link, the linked identity. */
export type CodeExchanged = AuthResult | IdentityLinked;

/** A directory of an identity provider, which provisions users by SCIM. */
export interface ScimDirectory {
  /** Id of the directory. */
  readonly id: string;
  /** Name of the directory. */
  readonly name: string;
  /** SSO connection with which its users sign in; null: none is named. */
  readonly connectionId: string | null;
  /** Base URL to enter at the identity provider; null if publicUrl is not set. */
  readonly baseUrl: string | null;
  /** When the directory was created. */
  readonly createdAt: string;
  /** When the directory last changed. */
  readonly updatedAt: string;
}

/** Result of deleting a directory. */
export interface ScimDirectoryDeleted {
  /** The directory and its tokens are gone. */
  readonly deleted: true;
}

/** A token of a directory. The token itself is returned once, when it is created. */
export interface ScimToken {
  /** Id of the token. */
  readonly id: string;
  /** Directory that the token gives access to. */
  readonly directoryId: string;
  /** Last four characters of the token. */
  readonly last4: string;
  /** When the token was created. */
  readonly createdAt: string;
  /** When the token expires. */
  readonly expiresAt: string;
  /** When the token was last used, to the hour; null: never. */
  readonly lastUsedAt: string | null;
}

/** A new token of a directory. */
export interface NewScimToken extends ScimToken {
  /** The token, for the header Authorization. It is shown once. */
  readonly token: string;
}

/** Result of deleting a token. */
export interface ScimTokenDeleted {
  /** The token no longer works. */
  readonly deleted: true;
}

/** A sign-in at a provider that has begun. */
export interface SocialStarted {
  /** URL to open in the browser. */
  readonly authorizationUrl: string;
  /** Seconds within which the user must finish. */
  readonly expiresIn: number;
}

/** The URL to open; with an ID token, the result of the sign-in. */
export type SocialSignIn = SocialStarted | AuthResult;

/** A social provider that users can sign in with. */
export interface SocialProviderEnabled {
  /** Social provider. */
  readonly provider: 'google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify';
  /** Always true: other providers are not listed. */
  readonly enabled: true;
  /** Client id of the app at the provider, for native sign-in. */
  readonly clientId: string;
}

/** An app that is registered with a social provider. */
export interface SocialProviderSettings {
  /** Social provider. */
  readonly provider: 'google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify';
  /** Whether users may sign in with this provider. */
  readonly enabled: boolean;
  /** Client id of your app at the provider. */
  readonly clientId: string;
  /** Whether a client secret is stored. The secret is never returned. */
  readonly hasClientSecret: boolean;
  /** Scopes that are requested in addition. */
  readonly scopes: readonly string[];
  /** Facts that only some providers need. */
  readonly extra: {
    /** Apple only: team id. */
    readonly teamId?: string;
    /** Apple only: id of the key. */
    readonly keyId?: string;
    /** Microsoft only: tenant id or domain, `organizations`, `consumers` or `common`. Default: common. */
    readonly tenant?: string;
    /** Client ids of apps that send native ID tokens, in addition to clientId. At most 10. Default: none. */
    readonly nativeClientIds?: readonly string[];
  };
  /** Callback URL to enter at the provider; null if publicUrl is not set. */
  readonly callbackUrl: string | null;
  /** When the settings last changed. */
  readonly updatedAt: string;
}

/** Result of deleting a provider. */
export interface SocialProviderDeleted {
  /** The provider is no longer set up. */
  readonly deleted: true;
}

/** Signing certificate of an identity provider. */
export interface SsoCertificate {
  /** Certificate in PEM. */
  readonly pem: string;
  /** SHA-256 of the certificate, as identity providers show it. */
  readonly fingerprint: string;
  /** Afterwards its signatures are refused. */
  readonly expiresAt: string;
}

/** Settings of a SAML connection. */
export interface SsoSaml {
  /** Entity id of the identity provider; null: not known yet. */
  readonly entityId: string | null;
  /** URL of the identity provider for the redirect binding; null: not known yet. */
  readonly ssoUrl: string | null;
  /** Signing certificates of the identity provider. */
  readonly certificates: readonly SsoCertificate[];
  /** Whether assertions must be encrypted. */
  readonly wantEncrypted: boolean;
  /** Whether the identity provider may start a sign-in. */
  readonly idpInitiated: boolean;
  /** Page that such a sign-in ends at; null: the first of the redirectUris. */
  readonly idpInitiatedRedirectTo: string | null;
  /** Entity id (audience) of Beckon; null if publicUrl is not set. */
  readonly spEntityId: string | null;
  /** URL that responses are posted to; null if publicUrl is not set. */
  readonly acsUrl: string | null;
  /** URL of the metadata of Beckon; null if publicUrl is not set. */
  readonly metadataUrl: string | null;
}

/** Settings of an OpenID Connect connection. */
export interface SsoOidc {
  /** Issuer of the provider. */
  readonly issuer: string;
  /** Client id of your app at the provider. */
  readonly clientId: string;
  /** Whether a client secret is stored. The secret is never returned. */
  readonly hasClientSecret: boolean;
  /** Scopes that are requested in addition. */
  readonly scopes: readonly string[];
  /** Callback URL to enter at the provider; null if publicUrl is not set. */
  readonly callbackUrl: string | null;
}

/** Domain of a connection. */
export interface SsoConnectionDomain {
  /** Domain id. */
  readonly id: string;
  /** Email domain. */
  readonly domain: string;
  /** Whether the DNS record was found. */
  readonly isVerified: boolean;
}

/** Connection to the identity provider of an organization. */
export interface SsoConnection {
  /** Connection id. */
  readonly id: string;
  /** Protocol. */
  readonly type: 'saml' | 'oidc';
  /** Name of the connection. */
  readonly name: string;
  /** Whether users may sign in with it. */
  readonly enabled: boolean;
  /** Product of the identity provider; null: unknown. */
  readonly provider: 'okta' | 'entra' | 'google' | 'keycloak' | 'auth0' | null;
  /** Names of attributes or claims that are read. */
  readonly attributes: {
    /** Names of the email address, in the order in which they are tried. */
    readonly email: readonly string[];
    /** Names of the display name, in the order in which they are tried. */
    readonly name: readonly string[];
    /** Names of the language, in the order in which they are tried. */
    readonly locale: readonly string[];
    /** Names of the externalId, in the order in which they are tried. */
    readonly externalId: readonly string[];
    /** Names of the groups, in the order in which they are tried. */
    readonly groups: readonly string[];
  };
  /** Settings of SAML; null: another protocol. */
  readonly saml: SsoSaml | null;
  /** Settings of OpenID Connect; null: another protocol. */
  readonly oidc: SsoOidc | null;
  /** Domains of the connection. */
  readonly domains: readonly SsoConnectionDomain[];
  /** When the connection was created. */
  readonly createdAt: string;
  /** When the connection last changed. */
  readonly updatedAt: string;
}

/** Result of deleting a connection. */
export interface SsoConnectionDeleted {
  /** The connection, its domains and its identities are gone. */
  readonly deleted: true;
}

/** Email domain of a connection. */
export interface SsoDomain {
  /** Domain id. */
  readonly id: string;
  /** Connection id. */
  readonly connectionId: string;
  /** Email domain. */
  readonly domain: string;
  /** Whether the DNS record was found: only then accounts are linked by address. */
  readonly isVerified: boolean;
  /** Name of the TXT record to publish. */
  readonly txtName: string;
  /** Value of the TXT record to publish. */
  readonly txtValue: string;
  /** When the domain was added. */
  readonly createdAt: string;
  /** When the record was first found; null: not proven. */
  readonly verifiedAt: string | null;
  /** When the record was last looked up; null: never. */
  readonly checkedAt: string | null;
}

/** Email domain of a connection, with the result of its check. */
export interface SsoDomainChecked extends SsoDomain {
  /** What the look-up of the record found. */
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown';
  /** What to do. */
  readonly message: string;
}

/** Result of deleting a domain. */
export interface SsoDomainDeleted {
  /** The domain is gone. */
  readonly deleted: true;
}

/** A sign-in at an identity provider that has begun. */
export interface SsoStarted {
  /** URL to open in the browser. */
  readonly authorizationUrl: string;
  /** Connection that the sign-in uses. */
  readonly connectionId: string;
  /** Seconds within which the user must finish. */
  readonly expiresIn: number;
}

/** A second factor of a user. */
export interface MfaFactor {
  /** Factor id. */
  readonly id: string;
  /** Type of the factor. */
  readonly type: 'totp';
  /** True if the secret is lost after a restore: only a recovery code or a reset helps. */
  readonly lost: boolean;
  /** When the factor was enrolled. */
  readonly createdAt: string;
  /** When the factor was last used; null if never. */
  readonly lastUsedAt: string | null;
}

/** An authenticator app that waits for its first code. */
export interface MfaEnrollment {
  /** Factor id. Send it with the first code. */
  readonly factorId: string;
  /** Secret in base32, to enter by hand. It is shown once. */
  readonly secret: string;
  /** URI to show as a QR code. */
  readonly otpauthUri: string;
}

/** New recovery codes. Former ones no longer work. */
export interface RecoveryCodes {
  /** Ten codes that work once each. They are shown once. */
  readonly recoveryCodes: readonly string[];
}

/** An enrolled factor. */
export interface MfaConfirmed {
  /** Ten codes that work once each. They are shown once. */
  readonly recoveryCodes: readonly string[];
  /** New tokens of the session, which now counts as one with two factors. */
  readonly tokens: TokenSet;
}

/** A removed factor. */
export interface FactorDeleted {
  /** Whether the user still has a second factor. */
  readonly mfaEnabled: boolean;
}

/** Second factors of a user, as support staff sees them. */
export interface MfaStatus {
  /** Factors of the user. */
  readonly factors: readonly MfaFactor[];
  /** Recovery codes that were not used. */
  readonly recoveryCodesLeft: number;
  /** Wrong codes since the last reset. At 100 the user is blocked. */
  readonly wrongCodes: number;
  /** Until when no code is checked; null: no wait. */
  readonly waitUntil: string | null;
  /** When wrong codes blocked the user; null: not blocked. */
  readonly blockedAt: string | null;
}

/** A reset of the second factors of a user. */
export interface MfaReset {
  /** Sessions that were ended. */
  readonly revoked: number;
}

/** A passkey of a user. */
export interface Passkey {
  /** Passkey id. */
  readonly id: string;
  /** Name that the user sees. */
  readonly name: string;
  /** When the passkey was added. */
  readonly createdAt: string;
  /** When the passkey was last used; null if never. */
  readonly lastUsedAt: string | null;
  /** Whether the passkey is copied to other devices of the user. */
  readonly backedUp: boolean;
  /** How the browser reaches the authenticator. */
  readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
  /** Model of the authenticator; zeros if it does not tell. */
  readonly aaguid: string;
}

/** Options to use a passkey. */
export interface PasskeyRequest {
  /** Challenge id. Send it with the response. It works once, for 5 minutes. */
  readonly challengeId: string;
  /** Input of `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  readonly publicKey: {
    /** Domain that the passkeys belong to. */
    readonly rpId: string;
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that are accepted. Empty: any passkey of the domain. */
    readonly allowCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** The authenticator verifies the user. */
    readonly userVerification: 'required';
  };
}

/** Options to create a passkey. */
export interface PasskeyRegistration {
  /** Challenge id. Send it with the response. It works once, for 5 minutes. */
  readonly challengeId: string;
  /** Input of `navigator.credentials.create`, after `PublicKeyCredential.parseCreationOptionsFromJSON`. */
  readonly publicKey: {
    /** Your service. */
    readonly rp: {
      /** Domain that the passkey will belong to. */
      readonly id: string;
      /** Name that the browser shows. */
      readonly name: string;
    };
    /** The user. */
    readonly user: {
      /** Random handle of the user in base64url. */
      readonly id: string;
      /** Email address or user id. */
      readonly name: string;
      /** Name that the browser shows. */
      readonly displayName: string;
    };
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Signature algorithms in order of preference: ES256, Ed25519, RS256. */
    readonly pubKeyCredParams: readonly {
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** COSE number of the algorithm. */
      readonly alg: -7 | -8 | -257;
    }[];
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that the user has. */
    readonly excludeCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** What the authenticator must do. */
    readonly authenticatorSelection: {
      /** The passkey should work without a user name. */
      readonly residentKey: 'preferred';
      /** Always false. */
      readonly requireResidentKey: false;
      /** The authenticator verifies the user. */
      readonly userVerification: 'required';
    };
    /** No statement about the authenticator is asked for. */
    readonly attestation: 'none';
  };
}

/** Options to use a passkey as a second factor. */
export interface MfaPasskeyRequest {
  /** Input of `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  readonly publicKey: {
    /** Domain that the passkeys belong to. */
    readonly rpId: string;
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that are accepted. Empty: any passkey of the domain. */
    readonly allowCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** The authenticator verifies the user. */
    readonly userVerification: 'required';
  };
}

/** A deleted passkey: input of `PublicKeyCredential.signalUnknownCredential`. */
export interface PasskeyDeleted {
  /** Domain that the passkey belonged to. */
  readonly rpId: string;
  /** Credential id in base64url. */
  readonly credentialId: string;
}

/** An address to verify, or with the code of a redirect tokens of the same session. */
export type GuestUpgraded = SignedUp | TokenSet;

/** An email with a code was requested. */
export interface AuthChallengeSent {
  /** Always true, whether the address has an account or not. */
  readonly sent: true;
  /** Send it with the code of the email. */
  readonly challengeId: string;
}

/** A send of channel `email`. */
export interface EmailSend {
  /** Id of the send. */
  readonly id: string;
  /** Organization of the send. */
  readonly orgId: string;
  /** Project of the send. */
  readonly projectId: string;
  /** Environment of the send. */
  readonly environment: 'prod' | 'test';
  /** Status; a scheduled send is `queued`. */
  readonly status: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled';
  /** Origin: an API request, a workflow step, a request for an audience, or sign-in of an end user. */
  readonly source: 'api' | 'workflow' | 'audience' | 'auth';
  /** Class; frequency caps and quiet hours apply to `marketing`. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** Labels that the caller set. */
  readonly tags: Readonly<Record<string, string>>;
  /** A/B test of the send; null if there is none. */
  readonly abTestId: string | null;
  /** Audience whose members receive the send; null if the request named its recipients. */
  readonly audienceId: string | null;
  /** Messages of the send: one for each address or device. */
  readonly tokenCount: number;
  /** Workflow run that sent it; null if no workflow did. */
  readonly workflowRunId: string | null;
  /** Workflow step that sent it; null if no workflow did. */
  readonly stepPath: string | null;
  /** Stored template of the content; null if there is none. */
  readonly templateId: string | null;
  /** Version of the template at acceptance; null without a template. */
  readonly templateVersion: number | null;
  /** Requested start; null if the send starts at once. */
  readonly scheduledFor: string | null;
  /** When the send was accepted. */
  readonly createdAt: string;
  /** When the first message was sent; null before that. */
  readonly startedAt: string | null;
  /** When the last message ended; null before that. */
  readonly finishedAt: string | null;
  /** When the send was cancelled; null if it was not. */
  readonly cancelledAt: string | null;
  /** Numbers of messages by result, and of opens and clicks. */
  readonly counts: {
    /** Messages of the send. */
    readonly targeted: number;
    /** Messages that wait to be sent. */
    readonly queued: number;
    /** Messages that wait for the end of quiet hours; `queued` does not include them. */
    readonly deferred: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed. */
    readonly failed: number;
    /** Messages that Beckon did not send, for example because of an opt-out. */
    readonly suppressed: number;
    /** Opens by people, repeated ones included. */
    readonly opened: number;
    /** Clicks by people, repeated ones included. */
    readonly clicked: number;
    /** Messages that were opened at least once. */
    readonly uniqueOpened: number;
    /** Messages that were clicked at least once. */
    readonly uniqueClicked: number;
    /** Emails opened by programs such as privacy proxies; no other count includes these opens. */
    readonly machineOpened: number;
  };
  /** Suppressed messages by reason; null beyond 10,000 messages of a send or a page. */
  readonly suppressedByReason: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out', number>>> | null;
  /** Push messages by device platform, empty for other channels; null as in `suppressedByReason`. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>> | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** `no_recipients`, or the code of the first failed message or of a retried attempt; null if nothing failed. */
  readonly errorCode: string | null;
  /** Ignored keys of the request and unresolved variables; only in the response to a send request. */
  readonly warnings?: readonly string[];
  /** Channel. */
  readonly channel: 'email';
  /** Subject before variables are replaced; null if a template provides it. */
  readonly subject: string | null;
}

/** A send of channel `push` or `sms`. */
export interface PushOrSmsSend {
  /** Id of the send. */
  readonly id: string;
  /** Organization of the send. */
  readonly orgId: string;
  /** Project of the send. */
  readonly projectId: string;
  /** Environment of the send. */
  readonly environment: 'prod' | 'test';
  /** Status; a scheduled send is `queued`. */
  readonly status: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled';
  /** Origin: an API request, a workflow step, a request for an audience, or sign-in of an end user. */
  readonly source: 'api' | 'workflow' | 'audience' | 'auth';
  /** Class; frequency caps and quiet hours apply to `marketing`. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** Labels that the caller set. */
  readonly tags: Readonly<Record<string, string>>;
  /** A/B test of the send; null if there is none. */
  readonly abTestId: string | null;
  /** Audience whose members receive the send; null if the request named its recipients. */
  readonly audienceId: string | null;
  /** Messages of the send: one for each address or device. */
  readonly tokenCount: number;
  /** Workflow run that sent it; null if no workflow did. */
  readonly workflowRunId: string | null;
  /** Workflow step that sent it; null if no workflow did. */
  readonly stepPath: string | null;
  /** Stored template of the content; null if there is none. */
  readonly templateId: string | null;
  /** Version of the template at acceptance; null without a template. */
  readonly templateVersion: number | null;
  /** Requested start; null if the send starts at once. */
  readonly scheduledFor: string | null;
  /** When the send was accepted. */
  readonly createdAt: string;
  /** When the first message was sent; null before that. */
  readonly startedAt: string | null;
  /** When the last message ended; null before that. */
  readonly finishedAt: string | null;
  /** When the send was cancelled; null if it was not. */
  readonly cancelledAt: string | null;
  /** Numbers of messages by result, and of opens and clicks. */
  readonly counts: {
    /** Messages of the send. */
    readonly targeted: number;
    /** Messages that wait to be sent. */
    readonly queued: number;
    /** Messages that wait for the end of quiet hours; `queued` does not include them. */
    readonly deferred: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed. */
    readonly failed: number;
    /** Messages that Beckon did not send, for example because of an opt-out. */
    readonly suppressed: number;
    /** Opens by people, repeated ones included. */
    readonly opened: number;
    /** Clicks by people, repeated ones included. */
    readonly clicked: number;
    /** Messages that were opened at least once. */
    readonly uniqueOpened: number;
    /** Messages that were clicked at least once. */
    readonly uniqueClicked: number;
    /** Emails opened by programs such as privacy proxies; no other count includes these opens. */
    readonly machineOpened: number;
  };
  /** Suppressed messages by reason; null beyond 10,000 messages of a send or a page. */
  readonly suppressedByReason: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out', number>>> | null;
  /** Push messages by device platform, empty for other channels; null as in `suppressedByReason`. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>> | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** `no_recipients`, or the code of the first failed message or of a retried attempt; null if nothing failed. */
  readonly errorCode: string | null;
  /** Ignored keys of the request and unresolved variables; only in the response to a send request. */
  readonly warnings?: readonly string[];
  /** Channel. */
  readonly channel: 'push' | 'sms';
  /** Title before variables are replaced; null if there is none. */
  readonly title: string | null;
}

/** One accepted request to reach recipients on one channel. */
export type Send = EmailSend | PushOrSmsSend;

/** A send of channel `sms`, with the length of its text. */
export interface SmsSend extends PushOrSmsSend {
  /** Segments of the SMS; null if the text has variables and is not rendered yet. */
  readonly segments: number | null;
  /** Encoding of the SMS; null if the text has variables and is not rendered yet. */
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
}

/** One send to one address or device. */
export interface Message {
  /** Id of the message. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Platform of the device; null unless the channel is `push`. */
  readonly platform: 'ios' | 'android' | 'web' | null;
  /** Recipient, or recipient of a copy of an email. */
  readonly role: 'to' | 'cc' | 'bcc';
  /** Delivery status. */
  readonly status: 'queued' | 'deferred' | 'sending' | 'sent' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'cancelled';
  /** Why the message is suppressed or waits, or what the provider reported about its address; else null. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out' | null;
  /** Error code of the provider, such as `Unregistered`, or of Beckon, such as `too_large`; null without error. */
  readonly errorCode: string | null;
  /** What failed, in one sentence; null without error. */
  readonly error: string | null;
  /** The provider's id of the message; null until it accepted the message. */
  readonly providerId: string | null;
  /** Attempts so far. */
  readonly attempt: number;
  /** When the message was created. */
  readonly createdAt: string;
  /** When a deferred message is evaluated again; null if it is not deferred. */
  readonly deferredUntil: string | null;
  /** When a provider accepted the message; null before that. */
  readonly sentAt: string | null;
  /** When the provider reported delivery; null if it did not. */
  readonly deliveredAt: string | null;
  /** First open by a person; null if there is none. */
  readonly openedAt: string | null;
  /** First click by a person; null if there is none. */
  readonly clickedAt: string | null;
  /** First click: the button of a push, or the URL of a link in an email; null if there is none. */
  readonly clickAction: string | null;
  /** Whether a program opened the email or followed a link; `openedAt` and `clickedAt` ignore programs. */
  readonly machine: boolean;
  /** When the recipient reported the email as spam; null if they did not. */
  readonly complainedAt: string | null;
  /** When the recipient unsubscribed through this email; null if they did not. */
  readonly unsubscribedAt: string | null;
  /** Variant of the A/B test; null if there is none. */
  readonly variant: string | null;
}

/** Result of one check of a message. */
export interface GateVerdict {
  /** Name of the check, such as `address_usable`, `quiet_hours` or `rendering`. */
  readonly gate: string;
  /** `not_reached`: an earlier check stopped the message. `unknown`: its result was not stored. */
  readonly verdict: 'pass' | 'suppressed' | 'deferred' | 'cancelled' | 'failed' | 'not_reached' | 'unknown';
  /** Reason for which the check stopped the message. */
  readonly reason?: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out' | null;
  /** Error code with which the check failed the message. */
  readonly errorCode?: string | null;
  /** What failed, in one sentence. */
  readonly error?: string | null;
  /** Until when the check deferred the message. */
  readonly deferredUntil?: string;
  /** Values that the check read, by name; of an ended message those that are still stored. */
  readonly evidence: Readonly<Record<string, string | number | boolean | null>>;
}

/** Why a message was sent, waits or was not sent; computed on request. */
export interface MessageExplanation {
  /**
   * `at_acceptance`: suppressed when the send was accepted. `from_record`: ended, read from its stored row. `now`:
   * open, so a worker may find otherwise.
   */
  readonly evaluated: 'at_acceptance' | 'from_record' | 'now';
  /**
   * Check that stopped the message; `provider` if it refused or could not be reached, `worker` if the retries ended;
   * null if nothing did.
   */
  readonly stoppedBy: string | null;
  /** What an open message waits for; null if it ended. */
  readonly waitingFor: {
    /**
     * A worker, the response of the provider, the next attempt, valid credentials, a provider that responds, capacity
     * of the provider, or the end of a deferral.
     */
    readonly kind: 'worker' | 'response' | 'retry' | 'credentials' | 'provider' | 'capacity' | 'deferral';
    /** When the message is due; null if a worker takes it as soon as possible. */
    readonly until: string | null;
  } | null;
  /** Checks in the order in which they run. */
  readonly gates: readonly GateVerdict[];
}

/** A message with an explanation of its status. */
export interface ExplainedMessage extends Message {
  /** Why the message was sent, waits or was not sent. */
  readonly explanation: MessageExplanation;
}

/** A report that was accepted. */
export interface Reported {
  /** Always true. */
  readonly accepted: true;
}

/** A rendered push template. */
export interface PushPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'push';
  /** The rendered message; null if there is nothing to show. */
  readonly content: PushContent | null;
}

/** A rendered email template. */
export interface EmailPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'email';
  /** The rendered message; null if there is nothing to show. */
  readonly content: EmailContent | null;
}

/** A rendered SMS template. */
export interface SmsPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'sms';
  /** The rendered message; null if there is nothing to show. */
  readonly content: SmsContent | null;
}

/** One message of a dry run. */
export type DryRunMessage = {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'queued';
  /** Always null. */
  readonly reason: null;
  /** The message as its provider would receive it. */
  readonly content: EmailContent | PushContent | SmsContent;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'deferred';
  /** Why the message would wait. */
  readonly reason: 'quiet_hours';
  /** End of the quiet hours, when the message is evaluated again. */
  readonly deferredUntil: string;
  /** The message as its provider would receive it. */
  readonly content: EmailContent | PushContent | SmsContent;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'suppressed';
  /** Why the message would not be sent. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours';
  /** Always null: nothing would be sent. */
  readonly content: null;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'failed';
  /** Why the message would fail. */
  readonly reason: 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | 'provider_not_configured';
  /** Always null: nothing would be sent. */
  readonly content: null;
};

/** What a send would do; nothing was written. */
export interface DryRun {
  /** Always true. */
  readonly dryRun: true;
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Recipients of the request. */
  readonly recipients: number;
  /** Messages that would be created, including suppressed ones. */
  readonly tokenCount: number;
  /** Suppressed messages by reason. */
  readonly suppressed: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours', number>>>;
  /** The first messages, rendered; at most 100. */
  readonly messages: readonly DryRunMessage[];
  /** Ignored keys of the request and unresolved variables. */
  readonly warnings?: readonly string[];
}

/** A dry run of an SMS. */
export interface SmsDryRun extends DryRun {
  /** Segments of the SMS; null if the text has variables and is not rendered yet. */
  readonly segments: number | null;
  /** Encoding of the SMS; null if the text has variables and is not rendered yet. */
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
}

/** What a delivery webhook of a provider contained. */
export interface CallbackCounts {
  /** Events in the request of the provider. */
  readonly events: number;
  /** Events that changed a message. */
  readonly applied: number;
  /** Events that were applied before. */
  readonly duplicates: number;
  /** Events whose message does not exist. */
  readonly unknown: number;
}

/** Delivery webhooks of one provider. */
export interface CallbackState {
  /** Whether the secret that verifies the delivery webhooks is stored. */
  readonly configured: boolean;
  /** When the secret was last changed; null if there is none. */
  readonly updatedAt: string | null;
  /** URL for the provider to post to; null if the service has no public URL. */
  readonly url: string | null;
}

/** A problem of a template that does not prevent saving it. */
export interface TemplateWarning {
  /** Field of the warning, such as `data.url`; null for the whole content. */
  readonly path: string | null;
  /** Stable code, such as `unknown_variable` or `payload_too_large`. */
  readonly code: string;
  /** The warning, in one sentence. */
  readonly message: string;
}

/** Id and name of a template. */
export interface TemplateSummary {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
}

/** A template without its content. */
export interface TemplateRow {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
  /** Organization of the template. */
  readonly orgId: string;
  /** Project of the template. */
  readonly projectId: string;
  /** Channel of the template. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Increases with every change, from 1; a send keeps the version of its acceptance. */
  readonly version: number;
  /** When the template was created. */
  readonly createdAt: string;
  /** When this version was saved. */
  readonly updatedAt: string;
}

/** What counts as success of a message. */
export interface AbTestMetric {
  /** What counts as success: an open, a click or an event. */
  readonly type: 'open' | 'click' | 'event';
  /** Name of the event; only with the type `event`. */
  readonly eventType?: string;
  /** How long after the message success counts, in hours. */
  readonly windowHours: number;
}

/** One variant, with the content fields that replace those of the send, such as `title` and `body`. */
export type AbTestVariant = {
  /** Key of the variant. */
  readonly key: string;
  /** Share of the recipients, in percent; all variants sum to 100. */
  readonly weight: number;
  readonly [name: string]: unknown;
};

/** Results of one variant. Rates are 0 to 1. */
export interface AbTestVariantStats {
  /** Key of the variant. */
  readonly key: string;
  /** Share of the recipients, in percent. */
  readonly weight: number;
  /** Users that were assigned the variant; devices or addresses if they have no user. */
  readonly assigned: number;
  /** Assigned users who were sent a message. */
  readonly reached: number;
  /** Messages that a provider accepted. */
  readonly sent: number;
  /** Messages that a provider reported as delivered. */
  readonly delivered: number;
  /** Messages that failed. */
  readonly failed: number;
  /** Messages that Beckon did not send. */
  readonly suppressed: number;
  /** Messages that were opened at least once. */
  readonly uniqueOpened: number;
  /** Messages that were clicked at least once. */
  readonly uniqueClicked: number;
  /** Opens by people, repeated ones included. */
  readonly opened: number;
  /** Clicks by people, repeated ones included. */
  readonly clicked: number;
  /** Reached users that met the metric. */
  readonly converted: number;
  /** `uniqueOpened` divided by `sent`; 0 if nothing was sent. */
  readonly openRate: number;
  /** `uniqueClicked` divided by `sent`; 0 if nothing was sent. */
  readonly clickRate: number;
  /** `converted` divided by `reached`; 0 if nobody was reached. */
  readonly conversionRate: number;
  /** Conversion rate relative to the first variant, 0.1 is 10 % more; null for the first, and if its rate is 0. */
  readonly lift: number | null;
  /** 95 % confidence interval of the conversion rate (Wilson), low and high. */
  readonly ci95: readonly [number, number];
  /** Probability that the conversion rate is the highest, 0 to 1 (Bayesian, uniform priors). */
  readonly probabilityToBeBest: number;
}

/** An A/B test: each recipient of a send that names it receives one variant, always the same. */
export interface AbTest {
  /** Id of the test. */
  readonly id: string;
  /** Organization of the test. */
  readonly orgId: string;
  /** Project of the test. */
  readonly projectId: string;
  /** Environment of the test. */
  readonly environment: 'prod' | 'test';
  /** Name of the test. */
  readonly name: string;
  /** Channel of the test. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Status; sends ignore a test that is `paused` or `completed`. */
  readonly status: 'running' | 'paused' | 'completed';
  /** Variants, in their order. */
  readonly variants: readonly AbTestVariant[];
  /** What counts as success. */
  readonly metric: AbTestMetric;
  /** Key of the winning variant; null if none was chosen. */
  readonly winnerKey: string | null;
  /** When the first message was assigned a variant; from then on variants and metric are immutable. */
  readonly assignedAt: string | null;
  /** When the test was created. */
  readonly startedAt: string;
  /** When the test was completed; null before that. */
  readonly completedAt: string | null;
  /** When the test was last changed. */
  readonly updatedAt: string;
}

/** Results of an A/B test. */
export interface AbTestStats {
  /** Id of the test. */
  readonly id: string;
  /** Status; sends ignore a test that is `paused` or `completed`. */
  readonly status: 'running' | 'paused' | 'completed';
  /** What counts as success. */
  readonly metric: AbTestMetric;
  /** Results by variant, in their order. */
  readonly variants: readonly AbTestVariantStats[];
  /** Sample ratio mismatch: whether recipients were distributed as the weights require. */
  readonly srm: {
    /** Chi-squared statistic of assignments against weights. */
    readonly chi2: number;
    /** Probability of such a difference by chance, 0 to 1. */
    readonly pValue: number;
    /** Whether `pValue` is below 0.001, so the results are not reliable. */
    readonly warning: boolean;
  };
  /** Variant with the highest conversion rate; null if there is none or several share it. */
  readonly leader: string | null;
  /** Whether the leader's rate differs from every other rate at a level of 5 %; false with a warning. */
  readonly significant: boolean;
  /** Whether the test has more messages than were counted. */
  readonly isPartial: boolean;
  /** When the results were computed. */
  readonly updatedAt: string;
}

/** An address that a channel sends nothing to. */
export interface Suppression {
  /** Channel. */
  readonly channel: 'email' | 'sms';
  /** Email address in lower case, or phone number in E.164 format. */
  readonly address: string;
  /** Why the address is suppressed. */
  readonly reason: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual';
  /** Sender whose SMS the recipient stopped; null if the suppression applies to every sender. */
  readonly sender: string | null;
  /** Origin: an API request, a report of a provider, or the recipient. */
  readonly source: 'api' | 'provider' | 'person';
  /** Message that caused the suppression; null if none did. */
  readonly messageId: string | null;
  /** When the address was suppressed. */
  readonly createdAt: string;
}

/** Result of adding suppressions. */
export interface SuppressionsAdded {
  /** Addresses that were added. */
  readonly added: number;
  /** Addresses that were suppressed for this reason before. */
  readonly existing: number;
}

/** Result of removing suppressions. */
export interface SuppressionsRemoved {
  /** Suppressions that were removed. */
  readonly removed: number;
}

/** A user's choices for one channel. */
export interface ChannelSubscription {
  /** False: the user receives no marketing messages on this channel. */
  readonly subscribed: boolean;
  /** Choices by category; the user receives categories that are not listed. */
  readonly categories: Readonly<Record<string, boolean>>;
}

/** A user's choices for each channel. */
export interface Subscriptions {
  /** Id of the user. */
  readonly userId: string;
  /** Choices for push. */
  readonly push: ChannelSubscription;
  /** Choices for email. */
  readonly email: ChannelSubscription;
  /** Choices for SMS. */
  readonly sms: ChannelSubscription;
}

/** Settings of channel `email`. */
export interface EmailSettings {
  /** Credentials of the SMTP server. */
  readonly smtp: ProviderState;
  /** Credentials of Amazon SES. */
  readonly ses: ProviderState;
  /** Credentials of SendGrid. */
  readonly sendgrid: ProviderState;
  /** Credentials of Postmark. */
  readonly postmark: ProviderState;
  /** Credentials of Mailgun. */
  readonly mailgun: ProviderState;
  /** Credentials of Resend. */
  readonly resend: ProviderState;
  /** Tracking of emails whose send does not set it. Has no effect without the public URL of the server. */
  readonly tracking: {
    /** Whether opens are tracked. */
    readonly opens: boolean;
    /** Whether clicks are tracked. */
    readonly clicks: boolean;
  };
  /** Delivery webhooks by provider. */
  readonly callbacks: {
    /** Delivery webhooks of Amazon SES. */
    readonly ses: CallbackState;
    /** Delivery webhooks of SendGrid. */
    readonly sendgrid: CallbackState;
    /** Delivery webhooks of Postmark. */
    readonly postmark: CallbackState;
    /** Delivery webhooks of Mailgun. */
    readonly mailgun: CallbackState;
    /** Delivery webhooks of Resend. */
    readonly resend: CallbackState;
  };
  /** Providers in the order of their use; empty: all configured ones. */
  readonly providers: readonly ('smtp' | 'ses' | 'sendgrid' | 'postmark' | 'mailgun' | 'resend')[];
  /** Domain of the return paths that receive bounces; null: bounces go to the From address. */
  readonly bounceDomain: string | null;
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Settings of channel `push`. */
export interface PushSettings {
  /** Credentials of APNs. */
  readonly apns: ProviderState;
  /** Credentials of FCM. */
  readonly fcm: ProviderState;
  /** Credentials of Web Push. */
  readonly webpush: ProviderState;
  /** Whether an inactive device becomes active when it registers again. */
  readonly reactivateOnRegister: boolean;
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Settings of channel `sms`. */
export interface SmsSettings {
  /** Credentials of Twilio. */
  readonly twilio: ProviderState;
  /** Credentials of Telnyx. */
  readonly telnyx: ProviderState;
  /** Providers in the order of their use; empty: all configured ones. */
  readonly providers: readonly ('twilio' | 'telnyx')[];
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Results of a test of the credentials of a channel. */
export interface ProviderTests {
  /** One result per configured provider. */
  readonly results: readonly ProviderTest[];
}

/** A DNS record that the owner of the domain must set. */
export interface DnsRecord {
  /** Type of the record. */
  readonly type: 'TXT';
  /** Name of the record. */
  readonly name: string;
  /** Value of the record. */
  readonly value: string;
  /** `ownership` verifies the domain; receivers check signatures with `dkim`. */
  readonly purpose: 'ownership' | 'dkim';
}

/** A domain that emails of a project are sent from; it covers its subdomains. */
export interface EmailDomain {
  /** Id of the domain. */
  readonly id: string;
  /** Domain in lower case; an internationalized one as punycode. */
  readonly domain: string;
  /** Whether the ownership is verified. */
  readonly status: 'pending' | 'verified';
  /** Whether Beckon signs SMTP emails from this domain, once it found the DKIM record. */
  readonly dkim: boolean;
  /** Whether the last check found the DKIM record; null if the domain has no key. */
  readonly dkimFound: boolean | null;
  /** DNS records to set. */
  readonly records: readonly DnsRecord[];
  /** When the domain was added. */
  readonly createdAt: string;
  /** When a check last confirmed the ownership; null if none did. */
  readonly verifiedAt: string | null;
  /** When the records were last checked; null if they were not. */
  readonly checkedAt: string | null;
}

/** Result of the check of one DNS record. */
export interface DomainCheck {
  /** What was checked. */
  readonly name: 'ownership' | 'dkim' | 'spf' | 'dmarc';
  /** Result; `unknown`: the DNS servers did not respond, and the previous result remains. */
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown';
  /** What the result means and what to do; `spf` and `dmarc` are advice only. */
  readonly message: string;
}

/** A sending domain with the results of its checks. */
export interface EmailDomainChecked extends EmailDomain {
  /** Result of each check. */
  readonly checks: readonly DomainCheck[];
}

/** What a browser needs to subscribe to Web Push. */
export interface WebConfig {
  /** Public VAPID key, which a browser needs to subscribe. */
  readonly vapidPublicKey: string;
}

/** A circular area that devices monitor. */
export interface Geofence {
  /** Id of the geofence. */
  readonly id: string;
  /** Name of the geofence. */
  readonly name: string;
  /** Latitude of the center, in degrees. */
  readonly lat: number;
  /** Longitude of the center, in degrees. */
  readonly lng: number;
  /** Radius, in meters. */
  readonly radiusMeters: number;
  /** Transitions that devices report. */
  readonly transitions: readonly ('entered' | 'exited' | 'dwelled')[];
  /** How long a device must stay inside before it reports `dwelled`, in seconds; null if not set. */
  readonly dwellSeconds: number | null;
  /** Custom data for the app; null if there is none. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** When the geofence was created. */
  readonly createdAt: string;
  /** When the geofence was last changed. */
  readonly updatedAt: string;
}

/** A geofence near a device. */
export interface NearGeofence {
  /** Id of the geofence. */
  readonly id: string;
  /** Name of the geofence. */
  readonly name: string;
  /** Latitude of the center, in degrees. */
  readonly lat: number;
  /** Longitude of the center, in degrees. */
  readonly lng: number;
  /** Radius, in meters. */
  readonly radiusMeters: number;
  /** Transitions that devices report. */
  readonly transitions: readonly ('entered' | 'exited' | 'dwelled')[];
  /** How long a device must stay inside before it reports `dwelled`, in seconds; null if not set. */
  readonly dwellSeconds: number | null;
  /** Custom data for the app; null if there is none. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Distance between the device and the center, in meters. */
  readonly distanceMeters: number;
}

/** Geofences near a device, nearest first. */
export type NearGeofences = readonly NearGeofence[];

/** A Live Activity on one device. */
export interface LiveActivity {
  /** Id of the activity on this device. */
  readonly id: string;
  /** Organization of the activity. */
  readonly orgId: string;
  /** Project of the activity. */
  readonly projectId: string;
  /** Environment of the activity. */
  readonly environment: 'prod' | 'test';
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** User of the device; null if unknown. */
  readonly userId: string | null;
  /** Name of the app's attributes type. */
  readonly activityType: string;
  /** Status; `stale`: active, but its `staleDate` has passed. */
  readonly status: 'active' | 'stale' | 'ended' | 'invalidated';
  /** When the activity started. */
  readonly startedAt: string;
  /** When the activity was last updated. */
  readonly lastUpdatedAt: string;
  /** When the activity ended; null while it runs. */
  readonly endedAt: string | null;
  /** Accepted pushes for the activity. */
  readonly updates: number;
}

/** Result of an update or an end. */
export interface ActivityResult {
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** Whether no device shows the activity yet; the newest push is stored for 12 hours. */
  readonly isPending: boolean;
  /** Send that delivers the push; null if no device can receive it yet. */
  readonly sendId: string | null;
  /** The activity on each device. */
  readonly activities: readonly LiveActivity[];
}

/** A stored Live Activity token. */
export interface ActivityTokenSaved {
  /** What the token is for: starting activities, or updating one. */
  readonly kind: 'push_to_start' | 'update';
  /** The activity of the token; null for `push_to_start`. */
  readonly activity: LiveActivity | null;
}

/** A Live Activity that starts. */
export interface ActivityStarted {
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** Send that delivers the push; null if no device can receive it yet. */
  readonly sendId: string | null;
  /** Devices on which the activity starts. */
  readonly devices: number;
}

/** An accepted event. */
export interface Accepted {
  /** Id of the event. */
  readonly id: string;
  /** Always true: the event is on disk. */
  readonly accepted: true;
}

/** Result of a batch of events. */
export interface BatchAnswer {
  /** Events that were stored. */
  readonly accepted: number;
  /** Events whose `messageId` was stored before. */
  readonly duplicates: number;
  /** Events that were not stored. */
  readonly rejected: readonly {
    /** Position of the event in the batch, from 0. */
    readonly index: number;
    /**
     * Error code. Retry events of `OVERLOADED` and `INTERNAL` with the same `messageId`, first after 1 s and then
     * after twice as long each time, up to 60 s. Every other code is final.
     */
    readonly code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'tier_required' | 'FORBIDDEN' | 'scope_required' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PROVIDER_NOT_CONFIGURED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'EXPECTATION_FAILED' | 'INVALID_RANGE' | 'RATE_LIMITED' | 'HEADERS_TOO_LARGE' | 'INTERNAL' | 'DEADLINE_EXCEEDED' | 'OVERLOADED' | 'QUERY_TIMEOUT' | 'LOCK_TIMEOUT';
    /** Errors by field; empty unless the code is `VALIDATION_ERROR`. */
    readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** A trigger filter that an event does not match. */
export interface FilterMismatch {
  /** Path of the property, below `properties`. */
  readonly path: string;
  /** Value that the filter requires. */
  readonly expected: string;
  /** Value of the event; missing if the event has no such property. */
  readonly actual?: unknown;
}

/** Why a workflow did or did not start for an event. */
export interface WorkflowVerdict {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly workflowName: string;
  /** Version at the time of the event; for `added_later` the current one. */
  readonly workflowVersion: number;
  /**
   * `started` a run; `inactive`: disabled; `filter`: a filter did not match; `audience`: the user is not a member;
   * `depth`: too many runs in a chain; `fan_out`: more than 10,000 runs from one event; `waiting`: a worker has not
   * processed the event yet; `not_loaded`: the workflow had changed less than 2 s before; `added_later`: the workflow
   * did not have this trigger yet; `unknown`: no run exists, and no reason was found.
   */
  readonly verdict: 'started' | 'inactive' | 'filter' | 'audience' | 'depth' | 'fan_out' | 'waiting' | 'not_loaded' | 'added_later' | 'unknown';
  /** Run that started; only for `started`. */
  readonly runId?: string;
  /** Filters that did not match; only for `filter`. */
  readonly filters?: readonly FilterMismatch[];
  /** Audience without the user; only for `audience`. */
  readonly audienceId?: string;
}

/** A stored event. */
export interface EventRecord {
  /** Id of the event. */
  readonly id: string;
  /** Organization of the event. */
  readonly orgId: string;
  /** Project of the event. */
  readonly projectId: string;
  /** Environment of the event. */
  readonly environment: 'prod' | 'test';
  /** User of the event; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Part of the application that sent the event. */
  readonly module: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Properties of the event. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Traits that came with the event; a null unset a trait, `_truncated` marks more than 16 KB. Null: none came. */
  readonly traits: Readonly<Record<string, unknown>> | null;
  /** The client's id of the event; null if it sent none. */
  readonly messageId: string | null;
  /** Session of the event; null if the client sent none. */
  readonly sessionId: string | null;
  /** Device, page and app of the event; null if the client sent none. */
  readonly context: Readonly<Record<string, unknown>> | null;
  /** `customer`: sent to the API. `system`: raised by Beckon. */
  readonly source: 'customer' | 'system';
  /** When the event happened. */
  readonly timestamp: string;
  /** When Beckon received the event. */
  readonly receivedAt: string;
}

/** An event with the workflows that it could start. */
export interface ExplainedEvent extends EventRecord {
  /** Each workflow with this trigger, and why it did or did not start. */
  readonly workflows: readonly WorkflowVerdict[];
}

/** Id and name of an audience. */
export interface AudienceSummary {
  /** Id of the audience. */
  readonly id: string;
  /** Name of the audience. */
  readonly name: string;
}

/** A device that can receive pushes. */
export interface PushToken {
  /** Id of the device. */
  readonly id: string;
  /** Organization of the device. */
  readonly orgId: string;
  /** Project of the device. */
  readonly projectId: string;
  /** Environment of the device. */
  readonly environment: 'prod' | 'test';
  /** User of the device; null if unknown. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Platform of the device. */
  readonly platform: 'ios' | 'android' | 'web';
  /** Device token; of a browser the JSON of its push subscription. */
  readonly token: string;
  /** Locale of the device (BCP 47); null if unknown. */
  readonly locale: string | null;
  /** IANA time zone of the device; null if unknown. */
  readonly timezone: string | null;
  /** Version of the app; null if unknown. */
  readonly appVersion: string | null;
  /** APNs host of the token; null if unknown or not iOS. */
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
  /** Whether the device receives pushes. */
  readonly isActive: boolean;
  /** When the device registered first. */
  readonly createdAt: string;
  /** When the device registered last. */
  readonly updatedAt: string;
}

/** What Beckon stores about one user. */
export interface Profile {
  /** Id of the user; null for an anonymous visitor. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Traits by name. */
  readonly traits: Readonly<Record<string, unknown>>;
  /** Email address that overrides the trait `email`; null if not set. */
  readonly email: string | null;
  /** Phone number (E.164) that overrides the trait `phone`; null if not set. */
  readonly phone: string | null;
  /** Locale (BCP 47); null if unknown. */
  readonly locale: string | null;
  /** IANA time zone; null if unknown. */
  readonly timezone: string | null;
  /** When the profile was created. */
  readonly createdAt: string;
  /** When the user was last active. */
  readonly lastSeenAt: string;
  /** Present if traits were cut because they were too large. */
  readonly _truncated?: true;
  /** The newest 100 devices, inactive ones included; only for a single profile. */
  readonly tokens?: readonly PushToken[];
  /** Audiences of the user, newest first; only for a single profile. */
  readonly audiences?: readonly AudienceSummary[];
}

/** A group of users. */
export interface Audience {
  /** Id of the audience. */
  readonly id: string;
  /** Organization of the audience. */
  readonly orgId: string;
  /** Project of the audience. */
  readonly projectId: string;
  /** Environment of the audience. */
  readonly environment: 'prod' | 'test';
  /** Name of the audience. */
  readonly name: string;
  /** Description; null if there is none. */
  readonly description: string | null;
  /** `dynamic`: the users that match the predicate. `static`: a list that you maintain. */
  readonly kind: 'dynamic' | 'static';
  /** Condition of membership; null for a static audience. */
  readonly predicate: Predicate | null;
  /** Members at `countedAt`. */
  readonly memberCount: number;
  /** When the members were counted. */
  readonly countedAt: string;
  /** `computing`: the predicate is new or changed, and not all users are evaluated yet. */
  readonly status: 'ready' | 'computing';
  /** Increases with every change, from 1. */
  readonly version: number;
  /** When the audience was created. */
  readonly createdAt: string;
  /** When the audience was last changed. */
  readonly updatedAt: string;
}

/** A member of an audience. */
export interface AudienceMember {
  /** Id of the user. */
  readonly userId: string;
  /** When the user became a member. */
  readonly joinedAt: string;
}

/** The users that match a predicate now. */
export interface AudiencePreview {
  /** Users that match the predicate. */
  readonly count: number;
  /** Up to 20 of them, ordered by id. */
  readonly sample: readonly Profile[];
}

/** A node of a predicate with its result. */
export type ExplainedNode = {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** The condition as it is stored. */
  readonly leaf: Readonly<Record<string, unknown>>;
  /** What the condition was compared with. */
  readonly actual: {
    /** Value that was compared; missing if there is none. */
    readonly value?: unknown;
    /** How often the event happened; only for event conditions. */
    readonly count?: number;
    /** When the event last happened (ISO 8601); only for event conditions. */
    readonly lastAt?: string;
  };
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Nodes that must all be true. */
  readonly all: readonly ExplainedNode[];
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Nodes of which one must be true. */
  readonly any: readonly ExplainedNode[];
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Node that must be false. */
  readonly not: ExplainedNode;
};

/** Why a user is or is not a member of an audience. */
export interface AudienceExplanation {
  /** Id of the audience. */
  readonly audienceId: string;
  /** Name of the audience. */
  readonly name: string;
  /** Id of the user. */
  readonly userId: string;
  /** Whether the user is a member; if the predicate says otherwise, a worker has not evaluated the user yet. */
  readonly isMember: boolean;
  /** The predicate with the result of each node; null for a static audience. */
  readonly explanation: ExplainedNode | null;
}

/** Result of adding members. */
export interface MembersAdded {
  /** Users that were added. */
  readonly added: number;
  /** Users that were members before. */
  readonly existing: number;
}

/** Result of removing members. */
export interface MembersRemoved {
  /** Users that were removed. */
  readonly removed: number;
}

/** A requested erasure. */
export interface ErasureRequested {
  /** Id of the erasure. */
  readonly erasureId: string;
}

/** An erasure of a user; it does not name the user. */
export interface Erasure {
  /** Id of the erasure. */
  readonly id: string;
  /** Whether everything was erased. */
  readonly status: 'pending' | 'done';
  /** When the erasure was requested. */
  readonly createdAt: string;
  /** When everything was erased; null before that. */
  readonly finishedAt: string | null;
}

/** An organization and project that an API key may access. */
export interface Grant {
  /** Id of the organization. */
  readonly orgId: string;
  /** Id of the project, or `*` for all projects of the organization. */
  readonly projectId: string;
}

/** An API key, without the key itself. */
export interface ApiKey {
  /** Id of the key. */
  readonly id: string;
  /** Name of the key. */
  readonly name: string;
  /** `public`: for apps. `secret`: for servers. */
  readonly kind: 'public' | 'secret';
  /** Environment of the key. */
  readonly environment: 'prod' | 'test';
  /** Last characters of the key. */
  readonly lastFour: string;
  /** Permissions of the key. */
  readonly scopes: readonly ('events.write' | 'tokens:write' | 'push:send' | 'push:read' | 'push:write' | 'email:send' | 'email:read' | 'email:write' | 'sms:send' | 'sms:read' | 'sms:write' | 'profiles:read' | 'profiles:write' | 'audiences:read' | 'audiences:write' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write' | 'analytics:read' | 'keys:read' | 'auth:read' | 'auth:write')[];
  /** Organizations and projects of the key. */
  readonly grants: readonly Grant[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires; null if it does not. */
  readonly expiresAt: string | null;
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: string | null;
  /** When the key was last used; null if it was not. */
  readonly lastUsedAt: string | null;
}

/** A secret of workflows, without its value. */
export interface WorkflowSecret {
  /** Name of the secret; workflows read it as `{{secret.NAME}}`. */
  readonly name: string;
  /** When the value was last set. */
  readonly updatedAt: string;
}

/** A removed secret. */
export interface SecretRemoved {
  /** Name of the removed secret. */
  readonly name: string;
}

/** An organization's provider of AI models, without its API key. */
export interface AiSettings {
  /** Whether the organization has a provider of its own. */
  readonly configured: boolean;
  /** API that the provider implements; null if not configured. */
  readonly wire: 'openai' | 'anthropic' | null;
  /** Base URL of the provider's API; null for the default of the API. */
  readonly baseUrl: string | null;
  /** Last characters of the API key; null if there is none. */
  readonly lastFour: string | null;
  /** Default models by task. */
  readonly models: {
    /** Model of `generate` steps that name none; missing if not set. */
    readonly generate?: string;
    /** Model of `decide` steps that name none; missing if not set. */
    readonly decide?: string;
    /** Model of `extract` steps that name none; missing if not set. */
    readonly extract?: string;
  };
  /** Prices by model. */
  readonly prices: Readonly<Record<string, {
    /** Price of a million input tokens, in your currency. */
    readonly input: number;
    /** Price of a million output tokens, in your currency. */
    readonly output: number;
  }>>;
  /** Since when the provider rejects the API key; null if it does not. */
  readonly keyRejectedAt: string | null;
  /** Error code of the rejection; null if there is none. */
  readonly keyErrorCode: string | null;
  /** When the settings were last changed; null if not configured. */
  readonly updatedAt: string | null;
  /** Use of the deployment's shared provider, which serves organizations without one of their own. */
  readonly sharedTokens: {
    /** Tokens used today (UTC). */
    readonly today: number;
    /** Maximum number of tokens per day. */
    readonly perDay: number;
  };
}

/** What an AI step used. */
export interface StepUsage {
  /** Name of the model. */
  readonly model: string;
  /** Whose API key was used: the organization's or the deployment's. */
  readonly keySource: 'organization' | 'shared';
  /** Requests to the model. */
  readonly calls: number;
  /** Tokens of the requests. */
  readonly inputTokens: number;
  /** Tokens of the responses. */
  readonly outputTokens: number;
  /** Cost at the configured prices; null if the model has no price. */
  readonly cost: number | null;
}

/** Id and name of a workflow. */
export interface WorkflowSummary {
  /** Id of the workflow. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
}

/** A workflow without its steps. */
export interface WorkflowRow {
  /** Id of the workflow. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
  /** Organization of the workflow. */
  readonly orgId: string;
  /** Project of the workflow. */
  readonly projectId: string;
  /** Description; null if there is none. */
  readonly description: string | null;
  /** Event that starts the workflow. */
  readonly trigger: Trigger;
  /** Whether events start the workflow. */
  readonly isActive: boolean;
  /** Increases with every change, from 1; a run keeps the version that it started with. */
  readonly version: number;
  /** When the workflow was created. */
  readonly createdAt: string;
  /** When this version was saved. */
  readonly updatedAt: string;
}

/** A workflow. */
export interface WorkflowRecord extends WorkflowRow {
  /** Steps, in their order. */
  readonly steps: readonly Step[];
}

/** A saved workflow. */
export interface WorkflowSaved extends WorkflowRecord {
  /** Problems of the workflows. */
  readonly warnings: readonly ImportWarning[];
}

/** Result of an import of workflows. */
export interface ImportAnswer {
  /** Workflows that were created. */
  readonly created: readonly WorkflowSummary[];
  /** Workflows that were changed. */
  readonly updated: readonly {
    /** Id of the workflow. */
    readonly id: string;
    /** Name of the workflow. */
    readonly name: string;
    /** Version after the import. */
    readonly version: number;
    /** Paths of the changed fields. */
    readonly changes: readonly string[];
  }[];
  /** Workflows that were the same already. */
  readonly unchanged: readonly WorkflowSummary[];
  /** Names of workflows that the option `only` excluded. */
  readonly skipped: readonly string[];
  /** Problems of the workflows. */
  readonly warnings: readonly ImportWarning[];
  /** Whether nothing was written. */
  readonly dryRun: boolean;
  /** Id of the import. */
  readonly importId: string;
}

/** Workflows as a file, for git and for imports. */
export interface Bundle {
  /** Version of the format. */
  readonly version: 1;
  /** When the bundle was exported. */
  readonly exportedAt: string;
  /** Workflows with distinct names. */
  readonly workflows: readonly {
    /** Name of the workflow. */
    readonly name: string;
    /** Description; null if there is none. */
    readonly description: string | null;
    /** Event that starts the workflow. */
    readonly trigger: Trigger;
    /** Whether events start the workflow. */
    readonly isActive: boolean;
    /** Steps, in their order. */
    readonly steps: readonly Step[];
  }[];
}

/** A problem of a workflow that does not prevent saving it. */
export interface ImportWarning {
  /** Name of the workflow. */
  readonly name: string;
  /** Field of the warning, such as `steps.0.config.subject`. */
  readonly path: string;
  /** Stable code of the warning. */
  readonly code: 'unknown_audience' | 'unknown_template' | 'unknown_ab_test' | 'hidden_variants' | 'unknown_variable' | 'unclosed_tag' | 'empty_path' | 'unknown_filter' | 'only_in_workflows' | 'stray_brace' | 'foreign_tag' | 'not_rendered' | 'no_provider' | 'no_model' | 'missing_secret' | 'no_subject' | 'no_person';
  /** The warning, in one sentence. */
  readonly message: string;
}

/** The event that started a run, as the run stores it. */
export interface TriggerEvent {
  /** Id of the event. */
  readonly id: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Part of the application that sent the event. */
  readonly module: string;
  /** Properties of the event. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** When the event happened (ISO 8601). */
  readonly timestamp: string;
  /** User of the event; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
}

/** One execution of a workflow for one user and one event. */
export interface Run {
  /** Id of the run. */
  readonly id: string;
  /** Organization of the run. */
  readonly orgId: string;
  /** Project of the run. */
  readonly projectId: string;
  /** Environment of the run. */
  readonly environment: 'prod' | 'test';
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly workflowName: string;
  /** Version of the workflow that the run executes. */
  readonly workflowVersion: number;
  /** User of the run; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Event that started the run. */
  readonly triggerEventId: string;
  /** Copy of the event that started the run. */
  readonly triggerEvent: TriggerEvent;
  /** Status of the run. */
  readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  /** Result; `partial`: some steps failed. Null until the run ends or a step fails. */
  readonly outcome: 'ok' | 'partial' | 'error' | null;
  /** Runs that caused this one, one after the other; 0 for an event from outside. */
  readonly depth: number;
  /** Why the run ended before its last step; null if it did not. */
  readonly exitReason: 'on_error_stop' | 'branch_exit' | 'wait_timed_out' | null;
  /** Path of the next step. */
  readonly cursor: string;
  /** When the next step is due; null if the run has ended. */
  readonly next_step_at: string | null;
  /** Attempts at the next step so far. */
  readonly attempt: number;
  /** When the run started. */
  readonly startedAt: string;
  /** When the run ended; null before that. */
  readonly completedAt: string | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** Outputs of steps by `saveAs`. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** One attempt at a step of a run. */
export interface RunStep {
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Result of the step. */
  readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled';
  /** Why the step did not succeed, such as `invalid_address`; null if it did. */
  readonly reason: string | null;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** When the attempt started. */
  readonly startedAt: string;
  /** When the attempt ended. */
  readonly finishedAt: string;
  /** Send of the step; null if it sent nothing. */
  readonly sendId: string | null;
  /** HTTP status of the called service; null if none was called. */
  readonly httpStatus: number | null;
  /** Output of the step, which later steps read by `saveAs`; null without output. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** What an AI step used; null for other steps. */
  readonly usage: StepUsage | null;
}

/** A run with its executed steps. */
export interface RunWithSteps extends Run {
  /** Executed steps, in their order. */
  readonly steps: readonly RunStep[];
}

/** Counts over time. */
export interface FigureSeries {
  /** Name of the series. */
  readonly key: string;
  /** Start of the interval and count; a day is `2026-03-01`, points of 0 are omitted. */
  readonly points: readonly (readonly [string, number])[];
}

/** The range that was counted. */
export interface FiguresRange {
  /** Start of the counted range. */
  readonly from: string;
  /** End of the counted range. */
  readonly to: string;
  /** Whether the range is shorter than requested. */
  readonly clamped: boolean;
}

/** Runs that started in a range, by their current state. */
export interface WorkflowTotals {
  /** Runs that started in the range. */
  readonly entered: number;
  /** Runs that have not ended. */
  readonly active: number;
  /** Runs that completed. */
  readonly completed: number;
  /** Runs that failed. */
  readonly failed: number;
  /** Runs that were cancelled. */
  readonly cancelled: number;
  /** Completed runs by result. */
  readonly outcomes: Readonly<Partial<Record<'ok' | 'partial' | 'error', number>>>;
  /** Runs that ended before their last step, by reason. */
  readonly exits: Readonly<Record<string, number>>;
}

/** Results of one step of one version of a workflow. */
export interface StepFigures {
  /** Version of the workflow. */
  readonly version: number;
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Name of the step; null if it has none or the version is not current. */
  readonly name: string | null;
  /** Runs in which the step ended; of several attempts the last one counts. */
  readonly finished: number;
  /** Finished steps by result. */
  readonly outcomes: Readonly<Partial<Record<'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled', number>>>;
  /** Runs that are at the step now. */
  readonly active: number;
  /** Runs that ended at the step before their last one. */
  readonly exits: number;
}

/** Results of a workflow over time. */
export interface WorkflowFigures {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly name: string;
  /** Series `entered`, `completed`, `failed` and `cancelled`, by the start of the runs. */
  readonly series: readonly FigureSeries[];
  /** Counted range; `clamped` also if more than 100,000 runs started in it. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: WorkflowTotals;
  /** Steps, newest version first; of older versions only those with runs. */
  readonly steps: readonly StepFigures[];
}

/** What a step would send. */
export interface SimulatedSend {
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Class of the send. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** A/B test of the step; null if there is none. */
  readonly abTestId: string | null;
  /** Variant of the user; null without a running test, and without a database. */
  readonly variant: string | null;
  /** Messages that would be sent. */
  readonly messages: readonly DryRunMessage[];
}

/** A step of a simulated run. */
export interface SimulatedStep {
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Name of the step; null if it has none. */
  readonly name: string | null;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** When the step would start. */
  readonly startedAt: string;
  /** When the step would end. */
  readonly finishedAt: string;
  /** Result of the step. */
  readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled';
  /** Why the step would not succeed; null if it would. */
  readonly reason: string | null;
  /** Output of the step; null without output. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** HTTP status of the called service; null if none is called. */
  readonly httpStatus: number | null;
  /** Whether the result is mocked: taken from the request, or assumed because no service was called. */
  readonly isMocked: boolean;
  /** What the step would send; null if nothing. */
  readonly send: SimulatedSend | null;
  /** Traits that the step would change; a null unsets a trait. */
  readonly changes: Readonly<Record<string, unknown>>;
}

/** What a workflow would do for an event; nothing is written or sent. */
export interface Simulation {
  /** The simulated workflow. */
  readonly workflow: {
    /** Name of the workflow. */
    readonly name: string;
    /** Version of the workflow; null if it is not stored. */
    readonly version: number | null;
  };
  /**
   * `event`: the trigger has another name; `filter`: a filter does not match; `audience`: the user is not a member;
   * `inactive`: disabled, the steps show what it would do.
   */
  readonly verdict: 'started' | 'inactive' | 'event' | 'filter' | 'audience';
  /** Filters that do not match; only for `filter`. */
  readonly filters?: readonly FilterMismatch[];
  /** Audience without the user; only for `audience`. */
  readonly audienceId?: string;
  /** The simulated run; null if none would start. */
  readonly run: {
    /** Status at the end. */
    readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
    /** Result; null if the run did not end. */
    readonly outcome: 'ok' | 'partial' | 'error' | null;
    /** Why the run ended before its last step; null if it did not. */
    readonly exitReason: 'on_error_stop' | 'branch_exit' | 'wait_timed_out' | null;
    /** What failed, in one sentence; null if nothing did. */
    readonly error: string | null;
    /** When the run would start. */
    readonly startedAt: string;
    /** When the run would end; null if it does not end. */
    readonly completedAt: string | null;
    /** Outputs of steps by `saveAs`. */
    readonly context: Readonly<Record<string, unknown>>;
    /** Traits of the user at the end. */
    readonly traits: Readonly<Record<string, unknown>>;
  } | null;
  /** Steps, in the order of their execution. */
  readonly steps: readonly SimulatedStep[];
  /** Problems of the workflow that do not prevent saving it. */
  readonly warnings: readonly ImportWarning[];
}

/** A subscription to events of one project and environment. */
export interface Webhook {
  /** Id of the webhook. */
  readonly id: string;
  /** URL that Beckon posts to. */
  readonly url: string;
  /** Names of the events to send. */
  readonly events: readonly ('push.send_requested' | 'push.scheduled' | 'push.sent' | 'push.delivered' | 'push.failed' | 'push.suppressed' | 'push.cancelled' | 'push.opened' | 'push.clicked' | 'push.token_invalidated' | 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated' | 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'email.clicked' | 'sms.delivered' | 'sms.failed' | 'sms.inbound' | 'sms.stop_received' | 'user.signed_up' | 'user.signed_in' | 'user.identified' | 'user.session_expired' | 'user.password_reset' | 'workflow.run_started' | 'workflow.run_completed' | 'workflow.step_executed')[];
  /** Description; null if there is none. */
  readonly description: string | null;
  /** Whether events are sent. */
  readonly isActive: boolean;
  /** Whether a client fetches the deliveries, which are `held`; such a webhook is deleted after a day. */
  readonly isPulled: boolean;
  /** Headers that Beckon adds to each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Project of the webhook. */
  readonly projectId: string;
  /**
   * `gone`: the URL responded with 410. `failing`: it accepted nothing for 120 h. Null: Beckon did not disable it.
   */
  readonly disabledReason: 'gone' | 'failing' | null;
  /** Since when the URL accepts nothing; null if it accepted the last request. */
  readonly failingSince: string | null;
  /** When the webhook was created. */
  readonly createdAt: string;
  /** When the webhook was last changed. */
  readonly updatedAt: string;
}

/** A webhook with its new secret. */
export interface WebhookWithSecret extends Webhook {
  /** Secret that signs the requests (`whsec_...`); it is not shown again. */
  readonly secret: string;
}

/** One event for one webhook. */
export interface WebhookDelivery {
  /** Id of the delivery. */
  readonly id: string;
  /** Webhook that receives the event. */
  readonly webhookId: string;
  /** Id of the event, the same in every attempt; the body has it as `event.id`. */
  readonly eventId: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Status; `held`: a client fetches it. */
  readonly status: 'pending' | 'held' | 'delivered' | 'failed' | 'cancelled';
  /** Why it was not delivered: `exhausted`, `deleted`, `disabled`, or the error of the last attempt; else null. */
  readonly reason: string | null;
  /** Attempts so far; a replay counts from 0. */
  readonly attemptCount: number;
  /** When the next attempt is due; null if there is none. */
  readonly nextAttemptAt: string | null;
  /** When the delivery was created. */
  readonly createdAt: string;
  /** When the delivery ended; null before that. */
  readonly finishedAt: string | null;
}

/** One request of a delivery. */
export interface WebhookAttempt {
  /** When the request was sent. */
  readonly at: string;
  /** Whether the schedule or a user started the attempt. */
  readonly trigger: 'schedule' | 'manual';
  /** HTTP status of the response; null without response. */
  readonly status: number | null;
  /** Duration of the request, in milliseconds. */
  readonly durationMs: number;
  /** First kilobyte of the response; null without response. */
  readonly response: string | null;
  /** What failed; null if the event was accepted. */
  readonly error: string | null;
}

/** A delivery with its body and attempts. */
export interface WebhookDeliveryRead extends WebhookDelivery {
  /** Body of the request, byte by byte. */
  readonly body: string;
  /** The last 30 attempts, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/** Result of a recovery. */
export interface Recovered {
  /** Deliveries that are sent again; at most 10,000 per request. */
  readonly recovered: number;
  /** Whether another request would send more. */
  readonly hasMore: boolean;
}

/** Activity of one environment over time. */
export interface Overview {
  /** Series `events`, `people` and `sent`. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: {
    /** Events that clients sent. */
    readonly events: number;
    /** Distinct users that did something. */
    readonly people: number;
    /** Whether the number of users is an estimate, within a few percent. */
    readonly isEstimated: boolean;
    /** Messages of all sends. */
    readonly targeted: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that were opened at least once. */
    readonly opened: number;
    /** Messages that were clicked at least once. */
    readonly clicked: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed, bounced ones included. */
    readonly failed: number;
    /** Messages that Beckon did not send. */
    readonly suppressed: number;
  };
}

/** Events over time. */
export interface EventCounts {
  /** Series `events`, or one for each of the largest groups. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: {
    /** Events in the range. */
    readonly events: number;
    /** Events of groups without a series. */
    readonly others: number;
  };
}

/** Messages over time. */
export interface SendFigures {
  /** One series for each count; grouped by template or workflow, the sent messages of each. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: {
    /** Messages of all sends. */
    readonly targeted: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that were opened at least once. */
    readonly opened: number;
    /** Messages that were clicked at least once. */
    readonly clicked: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed, bounced ones included. */
    readonly failed: number;
    /** Messages that Beckon did not send. */
    readonly suppressed: number;
    /** Counts by template or workflow, largest first; empty without grouping. */
    readonly groups: readonly {
      /** Messages of all sends. */
      readonly targeted: number;
      /** Messages that a provider accepted. */
      readonly sent: number;
      /** Messages that a provider reported as delivered. */
      readonly delivered: number;
      /** Messages that were opened at least once. */
      readonly opened: number;
      /** Messages that were clicked at least once. */
      readonly clicked: number;
      /** Messages that bounced. */
      readonly bounced: number;
      /** Messages that failed, bounced ones included. */
      readonly failed: number;
      /** Messages that Beckon did not send. */
      readonly suppressed: number;
      /** Id of the template or workflow; `none` for sends without one. */
      readonly key: string;
    }[];
  };
}

/** How many users did a sequence of events. */
export interface Funnel {
  /** One series for each step, such as `1:name`: users that reached it, at the time of their first step. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: {
    /** Steps, in their order. */
    readonly steps: readonly {
      /** Name of the event. */
      readonly eventType: string;
      /** Users that reached the step. */
      readonly people: number;
    }[];
    /** Share of the users of the first step that reached the last one, 0 to 1. */
    readonly conversion: number;
    /** Whether the figures come from a sample of the users. */
    readonly isEstimated: boolean;
  };
}

/** How many users return. */
export interface Retention {
  /** One series for each interval: its new users, and how many of them were active later. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Totals of the range. */
  readonly totals: {
    /** Users that were first active in the range. */
    readonly people: number;
    /** Whether the number of users is an estimate, within a few percent. */
    readonly isEstimated: boolean;
  };
}

/** An organization's use of its plan. */
export interface Usage {
  /** Series `events`, by month in UTC. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: string;
  /** Use of the current month. */
  readonly totals: {
    /** Events of the current month, over all projects and environments. */
    readonly events: number;
    /** Name of the organization's plan. */
    readonly plan: string;
    /** Events per month that the plan includes; null for no limit. */
    readonly eventsPerMonth: number | null;
  };
}

/** Result of one health check. */
export interface HealthCheck {
  /** Whether the check passed. */
  readonly ok: boolean;
  /** What the check found, in one sentence. */
  readonly detail: string;
}

/** Health of the service. */
export interface Health {
  /** Whether the service accepts requests. */
  readonly ready: boolean;
  /** `degraded`: the service is ready, but one of the checks fails. */
  readonly status: 'ok' | 'degraded' | 'unready';
  /** Results of the checks. */
  readonly checks: {
    /** Whether the database responds. */
    readonly database?: HealthCheck;
    /** Whether the database has the schema of this version; missing without database. */
    readonly schema?: HealthCheck;
    /** Whether a worker runs while work is due; missing without database. */
    readonly worker?: HealthCheck;
    /** Whether all workers have the same time zone data. */
    readonly timezones?: HealthCheck;
    /** Whether the clocks of host and PostgreSQL differ by at most 5 s. */
    readonly clock?: HealthCheck;
    /** Whether requests are rejected because of overload; only in `/readyz`. */
    readonly load?: HealthCheck;
  };
}

/** The process is running. */
export interface Alive {
  /** Always `ok`. */
  readonly status: 'ok';
}

/** Where the API and its documentation are. */
export interface Service {
  /** Name of the service. */
  readonly name: string;
  /** Path of the API. */
  readonly api: string;
  /** Path of the API description. */
  readonly openapi: string;
  /** URL of the documentation. */
  readonly docs: string;
}

export type Step = {
  /** Type of the step. */
  readonly type: 'send_email';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Recipient address. May contain {{variables}}. Default: the run's user. */
    readonly to?: string;
    /** From address. May contain {{variables}}. Default: the provider's from. */
    readonly from?: string;
    /** Reply-To address. May contain {{variables}}. Default: none. */
    readonly replyTo?: string;
    /**
     * Subject, one line. May contain {{variables}}. At most 998 characters. Default: the subject of the template,
     * else empty.
     */
    readonly subject?: string;
    /** Preview line that mail clients show beside the subject. At most 998 characters. Default: none. */
    readonly preheader?: string;
    /** Plain text body. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string;
    /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
    readonly html?: string;
    /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
    readonly bodyHtml?: string;
    /** Subjects and bodies by locale, such as es or pt-BR. Default: none. */
    readonly localized?: Readonly<Record<string, {
      /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
      readonly subject?: string | '';
      /** Preview line in this language. At most 500 characters. Default: none. */
      readonly preheader?: string;
      /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
      readonly text?: string;
      /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
      readonly html?: string;
    }>>;
    /** Extra email headers. At most 20. Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Files. At most 20, together at most 700 KiB. Default: none. */
    readonly attachments?: readonly {
      /** File name without folder. 1 to 255 characters. */
      readonly filename: string;
      /** Media type, such as application/pdf. */
      readonly contentType: string;
      /** Content of the file, in base64 with padding. */
      readonly content: string;
      /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
      readonly cid: string | null;
    }[];
    /** Which interactions to track. Default: the email settings. */
    readonly tracking?: {
      /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
      readonly opens?: boolean;
      /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
      readonly clicks?: boolean;
    };
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'send_push';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly title?: string;
    /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly body?: string;
    /**
     * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
     * none.
     */
    readonly localizedTitle?: Readonly<Record<string, string>>;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>>;
    /** Values for the app. A push with data and without title and body is silent. Default: none. */
    readonly data?: Readonly<Record<string, unknown>>;
    /** Action buttons. At most 4. Default: none. */
    readonly actions?: readonly {
      /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
      readonly id: string;
      /** Label of the button. May contain {{variables}}. */
      readonly title: string;
      /**
       * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
       * app.
       */
      readonly url?: string;
      /** Name of the icon of the button. Default: no icon. */
      readonly icon?: string;
    }[];
    /**
     * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal
     * alert.
     */
    readonly criticalAlert?: {
      /** Name of the sound file in the app. */
      readonly soundName: string;
      /** Volume from 0 to 1. Default: 1. */
      readonly volume: number;
    } | null;
    /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
    readonly collapseKey?: string;
    /** Groups pushes on the device. At most 128 characters. Default: none. */
    readonly threadId?: string;
    /**
     * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
     * weeks).
     */
    readonly ttlSeconds?: number;
    /** Delivery priority. Default: high for a visible push, normal for a silent one. */
    readonly priority?: 'high' | 'normal';
    /** Number on the app icon. Default: unchanged. */
    readonly badge?: number;
    /** Name of the sound. Default: the default sound of the device. */
    readonly sound?: string;
    /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
    readonly imageUrl?: string;
    /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
    readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical';
    /** Platforms to send to. Tokens that you pass are not filtered. Default: all platforms. */
    readonly platforms?: readonly ('ios' | 'android' | 'web')[];
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'send_sms';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Recipient number. May contain {{variables}}. Default: the run's user. */
    readonly to?: string;
    /**
     * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
     * messagingServiceId. Default: the provider's.
     */
    readonly from?: string;
    /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
    readonly messagingServiceId?: string;
    /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
    readonly body?: string;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>>;
    /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
    readonly mediaUrls?: readonly string[];
    /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
    readonly maxSegments?: number;
    /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
    readonly validitySeconds?: number;
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'update_profile';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Names of traits to remove. At most 1,000. Default: none. */
    readonly unset?: readonly string[];
    /** Traits to set. Texts may contain {{variables}}. At most 1,000. Default: none. */
    readonly set?: Readonly<Record<string, unknown>>;
    /**
     * Traits to set if the profile does not have them. Texts may contain {{variables}}. At most 1,000. Default: none.
     */
    readonly setOnce?: Readonly<Record<string, unknown>>;
    /** Numbers to add to traits, or templates that give one. At most 1,000. Default: none. */
    readonly increment?: Readonly<Record<string, number | string>>;
    /** Values to add to traits that are lists. At most 1,000. Default: none. */
    readonly append?: Readonly<Record<string, unknown>>;
    /** Values to remove from traits that are lists. At most 1,000. Default: none. */
    readonly remove?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'webhook';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** URL to post to. The host must not contain {{variables}}. 1 to 2,048 characters. */
    readonly url: string;
    /** HTTP method. Always POST. */
    readonly method?: 'POST';
    /** Request headers. Values may contain {{variables}} and {{secret.NAME}}. At most 20. Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    /**
     * JSON to post. Texts may contain {{variables}}. At most 20,480 bytes. Default: the event that started the run.
     */
    readonly body?: Readonly<Record<string, unknown>>;
    /** Longest time for one attempt, in seconds. 1 to 10. Default: 10. */
    readonly timeoutSeconds?: number;
    /** Whether to sign the request with the project's secret. Default: true. */
    readonly signing?: boolean;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'branch';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /**
     * Branches, tried in order; the first whose condition is true is taken. 1 to 100. Exactly one of branches and
     * split.
     */
    readonly branches?: readonly {
      /** Name of the branch, unique in the step. 1 to 200 characters. */
      readonly name: string;
      /**
       * Condition. A leaf such as { trait, op, value } or { path, op, value }, or all, any or not over conditions. An
       * array means all. At most 8 levels and 100 nodes.
       */
      readonly when: Condition;
      /** Steps of the branch. At most 100. */
      readonly steps: readonly Step[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    }[];
    /** Branch when no condition is true. Default: none. */
    readonly else?: {
      /** Steps of the branch. At most 100. */
      readonly steps: readonly Step[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    };
    /** Branches chosen at random, always the same for a user. 1 to 100. Exactly one of branches and split. */
    readonly split?: readonly {
      /** Name of the branch, unique in the step. 1 to 200 characters. */
      readonly name: string;
      /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
      readonly weight: number;
      /** Steps of the branch. At most 100. */
      readonly steps: readonly Step[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    }[];
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'wait';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Minutes to wait. At most 525,600. Exactly one of minutes, until, window and event. */
    readonly minutes?: number;
    /**
     * Date to wait for: ISO 8601, unix time, or a template of one. Exactly one of minutes, until, window and event.
     */
    readonly until?: string;
    /** Minutes after until; negative: before it. -525,600 to 525,600. Default: 0. */
    readonly offsetMinutes?: number;
    /** Time zone of a date without a time: user, org or an IANA name. Default: UTC. */
    readonly timezone?: string;
    /** Hours of the day to wait for. Exactly one of minutes, until, window and event. */
    readonly window?: {
      /** Local days on which the window starts. Default: every day. */
      readonly days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
      /** Start of the window, such as 09:00. */
      readonly from: string;
      /** End of the window, such as 17:00. An end before the start is on the next day. */
      readonly to: string;
      /** Time zone: user, org or an IANA name. Default: user. */
      readonly timezone?: string;
    };
    /** Event of the user to wait for. Exactly one of minutes, until, window and event. */
    readonly event?: {
      /** Name of the event. 1 to 128 characters. */
      readonly eventType: string;
      /**
       * Property values that the event must have. Values may contain {{variables}}. Default: any event with the name.
       */
      readonly filters?: Readonly<Record<string, string>>;
      /** Longest wait, in minutes. 1 to 525,600. */
      readonly timeoutMinutes: number;
      /** Whether the run goes on (continue) or ends (exit) without the event. */
      readonly onTimeout: 'continue' | 'exit';
    };
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'ai_action';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: Condition;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -.
     */
    readonly saveAs: string;
    /** Task: write a text (generate), choose an option (decide) or find values (extract). */
    readonly flavor: 'generate' | 'decide' | 'extract';
    /** Instruction for the model. May contain {{variables}}. 1 to 16,000 characters. */
    readonly prompt: string;
    /** Name of the model. Default: the organization's model for the flavor. */
    readonly model?: string;
    /** Longest answer, in tokens. 1 to 4,096. Default: 1,024. */
    readonly maxOutputTokens?: number;
    /** Randomness, from 0 to 2. Default: the model's own. */
    readonly temperature?: number;
    /** Options of decide. 2 to 16. Required for decide, else not allowed. */
    readonly options?: readonly {
      /** Name of the option. 1 to 64 characters, unique in the step. */
      readonly name: string;
      /** Explanation for the model. 1 to 500 characters. Default: none. */
      readonly description?: string;
    }[];
    /** Whether the model may choose none of the options. Only for decide. Default: false. */
    readonly fallback?: boolean;
    /** Values that extract finds. Required for extract, else not allowed. */
    readonly schema?: {
      /** Type of the result. Always object. */
      readonly type: 'object';
      /** Values to extract, by name. 1 to 32. */
      readonly properties: Readonly<Record<string, {
        /** Type of the value. */
        readonly type: 'string' | 'number' | 'integer' | 'boolean';
        /** Explanation for the model. 1 to 500 characters. Default: none. */
        readonly description?: string;
        /** Allowed values, texts or numbers. 1 to 50. Default: any. */
        readonly enum?: readonly (string | number)[];
      }>>;
      /** Names of values that the model must find. Default: none. */
      readonly required: readonly string[];
      /** Whether other values are allowed. Always false. */
      readonly additionalProperties: false;
    };
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
};

/** What starts a run. */
export interface Trigger {
  /** Name of the event that starts a run. 1 to 128 characters. */
  readonly eventType: string;
  /** Property values that the event must have, compared as text. Default: any event with the name. */
  readonly filters?: Readonly<Record<string, string>>;
  /** Id of an audience that the user must be in. Default: any user. */
  readonly audienceId?: string;
}

/** Condition of membership. */
export type Predicate = {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'set' | 'not_set';
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'eq' | 'neq';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'in' | 'not_in';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
  /** Text to look for. 1 to 1,024 characters. */
  readonly value: string;
  /** Whether upper and lower case differ. Default: false. */
  readonly caseSensitive?: boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'gt' | 'gte' | 'lt' | 'lte';
  /** Number to compare with. */
  readonly value: number;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'between';
  /** Smallest and largest number. */
  readonly value: readonly [number, number];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'includes' | 'not_includes';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'includes_any' | 'includes_all';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'before' | 'after';
  /** Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time. */
  readonly value: string | number;
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte';
  /** Version to compare with: one to four numbers with dots between them, such as 2.10.0. */
  readonly value: string;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'within_last' | 'within_next' | 'older_than';
  /** Span of time, counted from the present moment. */
  readonly value: {
    /** Number of units. At least 1; at most 36,500 days. */
    readonly n: number;
    /** Unit of time. */
    readonly unit: 'minutes' | 'minute' | 'hours' | 'hour' | 'days' | 'day' | 'weeks' | 'week';
  };
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** Name of the event. 1 to 128 characters. */
  readonly event: string;
  /** Operator. */
  readonly op: 'performed' | 'not_performed';
  /** How often the event happened. Default: at least once. */
  readonly count?: {
    /** Least number of times. At most 1,000. Default: 1. */
    readonly gte?: number;
    /** Largest number of times. At most 1,000. Default: any. */
    readonly lte?: number;
  };
  /** Span of time before the present moment. Default: ever. */
  readonly within?: {
    /** Number of units. At least 1; at most 36,500 days. */
    readonly n: number;
    /** Unit of time. */
    readonly unit: 'minutes' | 'minute' | 'hours' | 'hour' | 'days' | 'day' | 'weeks' | 'week';
  };
  /** Tests of the properties of one event; all must be true. Default: none. */
  readonly where?: readonly ({
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'set' | 'not_set';
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'eq' | 'neq';
    /** Value to compare with: a text, a number, true or false. */
    readonly value: string | number | boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'in' | 'not_in';
    /** Values to compare with. 1 to 1,000. */
    readonly value: readonly (string | number | boolean)[];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
    /** Text to look for. 1 to 1,024 characters. */
    readonly value: string;
    /** Whether upper and lower case differ. Default: false. */
    readonly caseSensitive?: boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'gt' | 'gte' | 'lt' | 'lte';
    /** Number to compare with. */
    readonly value: number;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'between';
    /** Smallest and largest number. */
    readonly value: readonly [number, number];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'includes' | 'not_includes';
    /** Value to compare with: a text, a number, true or false. */
    readonly value: string | number | boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'includes_any' | 'includes_all';
    /** Values to compare with. 1 to 1,000. */
    readonly value: readonly (string | number | boolean)[];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'before' | 'after';
    /** Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time. */
    readonly value: string | number;
    /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
    readonly timezone?: string;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte';
    /** Version to compare with: one to four numbers with dots between them, such as 2.10.0. */
    readonly value: string;
  })[];
} | {
  /** Id of the audience. */
  readonly audience: string;
  /** Operator. */
  readonly op: 'in' | 'not_in';
} | {
  /** Conditions that must all be true. At least 1. */
  readonly all: readonly Predicate[];
} | {
  /** Conditions of which one must be true. At least 1. */
  readonly any: readonly Predicate[];
} | {
  /** Condition that must be false. */
  readonly not: Predicate;
};

export type WebhookEvent = { readonly event: { readonly id: string; readonly type: 'webhook.test'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'webhook.test'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly webhookId: string; readonly url: string; readonly test: true; }; } | { readonly event: { readonly id: string; readonly type: 'push.send_requested'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.send_requested'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.scheduled'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.scheduled'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly scheduledFor: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.sent' | 'push.delivered' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'sms.delivered' | 'sms.failed'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.sent' | 'push.delivered' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'sms.delivered' | 'sms.failed'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly messageId: string; readonly reason?: string; readonly errorCode?: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.failed' | 'push.suppressed' | 'push.cancelled'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.failed' | 'push.suppressed' | 'push.cancelled'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly messageId?: string; readonly reason?: string; readonly errorCode?: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.opened'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.opened'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly messageId: string; readonly reason?: string; readonly errorCode?: string; readonly clickAction?: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.clicked'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.clicked'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly messageId: string; readonly reason?: string; readonly errorCode?: string; readonly clickAction: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.token_invalidated'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.token_invalidated'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly tokenId: string; readonly platform: 'ios' | 'android' | 'web'; readonly messageId: string; }; } | { readonly event: { readonly id: string; readonly type: 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly activityType: string; readonly externalId?: string; readonly activityId?: string; readonly sendId?: string; readonly messageId?: string; readonly origin?: 'device'; }; } | { readonly event: { readonly id: string; readonly type: 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly geofenceId: string; readonly geofenceName: string; readonly tokenId?: string; readonly occurredAt?: string; readonly location?: { readonly lat: number; readonly lng: number; }; readonly dwellSeconds?: number; readonly data?: Readonly<Record<string, unknown>>; }; } | { readonly event: { readonly id: string; readonly type: 'email.clicked'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'email.clicked'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly sendId: string; readonly messageId: string; readonly reason?: string; readonly errorCode?: string; readonly url: string; }; } | { readonly event: { readonly id: string; readonly type: 'sms.inbound' | 'sms.stop_received'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'sms.inbound' | 'sms.stop_received'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly from: string; readonly to: string; readonly body: string; readonly keyword?: string; readonly mediaUrls?: readonly string[]; }; } | { readonly event: { readonly id: string; readonly type: 'user.signed_up' | 'user.signed_in' | 'user.session_expired' | 'user.password_reset'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'user.signed_up' | 'user.signed_in' | 'user.session_expired' | 'user.password_reset'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly [name: string]: unknown; }; } | { readonly event: { readonly id: string; readonly type: 'user.identified'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'user.identified'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly traits: Readonly<Record<string, unknown>>; readonly changedTraits: readonly string[]; }; } | { readonly event: { readonly id: string; readonly type: 'workflow.run_started'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'workflow.run_started'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly runId: string; readonly workflowId: string; readonly workflowName: string; readonly triggerEventId: string; }; } | { readonly event: { readonly id: string; readonly type: 'workflow.run_completed'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'workflow.run_completed'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly runId: string; readonly workflowId: string; readonly workflowName: string; readonly status: 'completed' | 'failed' | 'cancelled'; readonly outcome: 'ok' | 'partial' | 'error' | null; readonly error?: string; readonly steps: readonly { readonly path: string; readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action'; readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled'; readonly reason?: string; }[]; }; } | { readonly event: { readonly id: string; readonly type: 'workflow.step_executed'; readonly createdAt: string; readonly orgId: string; readonly projectId: string; readonly environment: 'prod' | 'test'; }; readonly type: 'workflow.step_executed'; readonly timestamp: string; readonly data: { readonly userId?: string; readonly anonymousId?: string; readonly _truncated?: true; readonly runId: string; readonly workflowId: string; readonly workflowName: string; readonly path: string; readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action'; readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled'; readonly reason?: string; readonly attempt: number; readonly sendId?: string; }; };

/** A template with its content. */
export interface PushTemplate extends TemplateRow {
  /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly title?: string;
  /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly body?: string;
  /**
   * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
   * none.
   */
  readonly localizedTitle?: Readonly<Record<string, string>>;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>>;
  /** Values for the app. A push with data and without title and body is silent. Default: none. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Action buttons. At most 4. Default: none. */
  readonly actions?: readonly {
    /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
    readonly id: string;
    /** Label of the button. May contain {{variables}}. */
    readonly title: string;
    /**
     * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
     * app.
     */
    readonly url?: string;
    /** Name of the icon of the button. Default: no icon. */
    readonly icon?: string;
  }[];
  /**
   * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.
   */
  readonly criticalAlert?: {
    /** Name of the sound file in the app. */
    readonly soundName: string;
    /** Volume from 0 to 1. Default: 1. */
    readonly volume?: number;
  } | null;
  /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
  readonly collapseKey?: string;
  /** Groups pushes on the device. At most 128 characters. Default: none. */
  readonly threadId?: string;
  /**
   * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
   * weeks).
   */
  readonly ttlSeconds?: number;
  /** Delivery priority. Default: high for a visible push, normal for a silent one. */
  readonly priority?: 'high' | 'normal';
  /** Number on the app icon. Default: unchanged. */
  readonly badge?: number;
  /** Name of the sound. Default: the default sound of the device. */
  readonly sound?: string;
  /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
  readonly imageUrl?: string;
  /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical';
}

/** A template with its content. */
export interface EmailTemplate extends TemplateRow {
  /** From address. Default: the provider's from. */
  readonly from?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  };
  /** Reply-To address. Default: none, replies go to the From address. */
  readonly replyTo?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  };
  /** Subject, one line. May contain {{variables}}. At most 998 characters. */
  readonly subject: string;
  /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
  readonly text?: string;
  /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
  readonly html?: string;
  /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
  readonly bodyHtml?: string;
  /** Preview line that mail clients show beside the subject. At most 500 characters. Default: none. */
  readonly preheader?: string;
  /**
   * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
   * fields above. Default: none.
   */
  readonly localized?: Readonly<Record<string, {
    /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
    readonly subject?: string | '';
    /** Preview line in this language. At most 500 characters. Default: none. */
    readonly preheader?: string;
    /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string;
    /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
    readonly html?: string;
  }>>;
  /** Extra email headers. At most 20. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Which interactions to track. Default: the email settings. */
  readonly tracking?: {
    /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
    readonly opens?: boolean;
    /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
    readonly clicks?: boolean;
  };
  /** Files. At most 20, together at most 700 KiB. Default: none. */
  readonly attachments?: readonly {
    /** File name without folder. 1 to 255 characters. */
    readonly filename: string;
    /** Media type, such as application/pdf. */
    readonly contentType: string;
    /** Content of the file, in base64 with padding. */
    readonly content: string;
    /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
    readonly cid?: string | null;
  }[];
}

/** A template with its content. */
export interface SmsTemplate extends TemplateRow {
  /**
   * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
   * messagingServiceId. Default: the provider's.
   */
  readonly from?: string;
  /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
  readonly messagingServiceId?: string;
  /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
  readonly body?: string;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>>;
  /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
  readonly mediaUrls?: readonly string[];
  /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
  readonly maxSegments?: number;
  /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
  readonly validitySeconds?: number;
}

/** A template with its content. */
export interface PushTemplateSaved extends PushTemplate {
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
}

/** A template with its content. */
export interface EmailTemplateSaved extends EmailTemplate {
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
}

/** A template with its content. */
export interface SmsTemplateSaved extends SmsTemplate {
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
}

export interface EventInput {
  /** Part of your product that the event belongs to, such as app. 1 to 64 characters. */
  readonly module: string;
  /** Name of the event, such as order.placed. 1 to 128 characters. */
  readonly eventType: string;
  /** Facts about the event. At most 100 properties; an event with more is rejected. Default: none. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Traits to set on the profile with this event. Default: none. */
  readonly traits?: Readonly<Record<string, unknown>>;
  /** Your id of the user. 1 to 256 characters. Default: none, anonymousId identifies the profile. */
  readonly userId?: string;
  /** Id of a visitor before identify. 1 to 256 characters. Default: none. */
  readonly anonymousId?: string;
  /** Your id of this event. The same id counts once in 72 hours. 1 to 128 characters. Default: a new id. */
  readonly messageId?: string;
  /** When the event happened. ISO 8601; without a zone it is UTC. Default: when Beckon receives it. */
  readonly timestamp?: string;
  /**
   * When the client sent the request, by the client's clock. ISO 8601. Beckon corrects timestamp by the difference.
   * Default: no correction.
   */
  readonly sentAt?: string;
  /** Id of the session that the event belongs to. 1 to 256 characters. Default: none. */
  readonly sessionId?: string;
  /** Facts about the device, such as locale and timezone. Default: none. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export type EventBatchInput = {
  /** Events, in order. 1 to 500. */
  readonly batch: readonly EventInput[];
  /** When the client sent the batch, by the client's clock. Applies to events without sentAt of their own. */
  readonly sentAt?: string;
} | readonly EventInput[];

export interface IdentifyInput {
  /** Your id of the user. 1 to 256 characters. */
  readonly userId: string;
  /** Id of the visitor that becomes this user. The two profiles merge. 1 to 256 characters. Default: none. */
  readonly anonymousId?: string;
  /** Traits to set on the profile. A trait that you omit keeps its value; null removes it. */
  readonly traits: Readonly<Record<string, unknown>>;
  /** Your id of this call. The same id counts once in 72 hours. 1 to 128 characters. Default: a new id. */
  readonly messageId?: string;
  /** When the traits were true. ISO 8601; without a zone it is UTC. Default: when Beckon receives the call. */
  readonly timestamp?: string;
  /**
   * When the client sent the request, by the client's clock. ISO 8601. Beckon corrects timestamp by the difference.
   * Default: no correction.
   */
  readonly sentAt?: string;
  /** Facts about the device, such as locale and timezone. Default: none. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export interface ProfileInput {
  /** Email address of the user. One bare address. Null removes it; omit it to keep the value. */
  readonly email?: string | null;
  /** Phone number in E.164, such as +14155550123. Null removes it; omit it to keep the value. */
  readonly phone?: string | null;
  /**
   * Language of the user, such as nl-BE. Takes precedence over the locale of devices. At most 64 characters. Null
   * removes it.
   */
  readonly locale?: string | null;
  /**
   * IANA time zone of the user, such as Europe/Paris. Takes precedence over the time zone of devices. Null removes
   * it.
   */
  readonly timezone?: string | null;
  /** Traits to change. A trait that you omit keeps its value; null removes it. Names have 1 to 128 characters. */
  readonly traits?: Readonly<Record<string, unknown>>;
}

export interface EmailInput {
  /** From address. Default: the provider's from. */
  readonly from?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Reply-To address. Default: none, replies go to the From address. */
  readonly replyTo?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Subject, one line. May contain {{variables}}. At most 998 characters. Required without templateId. */
  readonly subject?: string | null;
  /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
  readonly text?: string | null;
  /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
  readonly html?: string | null;
  /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
  readonly bodyHtml?: string | null;
  /** Preview line that mail clients show beside the subject. At most 500 characters. Default: none. */
  readonly preheader?: string | null;
  /**
   * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
   * fields above. Default: none.
   */
  readonly localized?: Readonly<Record<string, {
    /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
    readonly subject?: string | '' | null;
    /** Preview line in this language. At most 500 characters. Default: none. */
    readonly preheader?: string | null;
    /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string | null;
    /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
    readonly html?: string | null;
  }>> | null;
  /** Extra email headers. At most 20. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Which interactions to track. Default: the email settings. */
  readonly tracking?: {
    /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
    readonly opens?: boolean | null;
    /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
    readonly clicks?: boolean | null;
  } | null;
  /** Files. At most 20, together at most 700 KiB. Default: none. */
  readonly attachments?: readonly {
    /** File name without folder. 1 to 255 characters. */
    readonly filename: string;
    /** Media type, such as application/pdf. */
    readonly contentType: string;
    /** Content of the file, in base64 with padding. */
    readonly content: string;
    /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
    readonly cid?: string | null;
  }[] | null;
  /** Recipient address, or a list of at most 50. Exactly one of to, userIds and audienceId. */
  readonly to?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | readonly (string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  })[] | null;
  /** Addresses that get a visible copy. At most 50. Only with exactly one address in to. Default: none. */
  readonly cc?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | readonly (string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  })[] | null;
  /** Addresses that get a hidden copy. At most 50. Only with exactly one address in to. Default: none. */
  readonly bcc?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | readonly (string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  })[] | null;
  /** Ids of the users to send to. At most 1,000. Exactly one of to, userIds and audienceId. */
  readonly userIds?: readonly string[] | null;
  /** Id of the audience to send to, in place of listed recipients. Null or omitted: none. */
  readonly audienceId?: string | null;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface EmailAudienceInput {
  /** From address. Default: the provider's from. */
  readonly from?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Reply-To address. Default: none, replies go to the From address. */
  readonly replyTo?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Subject, one line. May contain {{variables}}. At most 998 characters. Required without templateId. */
  readonly subject?: string | null;
  /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
  readonly text?: string | null;
  /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
  readonly html?: string | null;
  /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
  readonly bodyHtml?: string | null;
  /** Preview line that mail clients show beside the subject. At most 500 characters. Default: none. */
  readonly preheader?: string | null;
  /**
   * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
   * fields above. Default: none.
   */
  readonly localized?: Readonly<Record<string, {
    /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
    readonly subject?: string | '' | null;
    /** Preview line in this language. At most 500 characters. Default: none. */
    readonly preheader?: string | null;
    /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string | null;
    /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
    readonly html?: string | null;
  }>> | null;
  /** Extra email headers. At most 20. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Which interactions to track. Default: the email settings. */
  readonly tracking?: {
    /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
    readonly opens?: boolean | null;
    /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
    readonly clicks?: boolean | null;
  } | null;
  /** Files. At most 20, together at most 700 KiB. Default: none. */
  readonly attachments?: readonly {
    /** File name without folder. 1 to 255 characters. */
    readonly filename: string;
    /** Media type, such as application/pdf. */
    readonly contentType: string;
    /** Content of the file, in base64 with padding. */
    readonly content: string;
    /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
    readonly cid?: string | null;
  }[] | null;
  /** Id of the audience to send to. */
  readonly audienceId: string;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface PushInput {
  /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly title?: string | null;
  /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly body?: string | null;
  /**
   * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
   * none.
   */
  readonly localizedTitle?: Readonly<Record<string, string>> | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** Values for the app. A push with data and without title and body is silent. Default: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  /** Action buttons. At most 4. Default: none. */
  readonly actions?: readonly {
    /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
    readonly id: string;
    /** Label of the button. May contain {{variables}}. */
    readonly title: string;
    /**
     * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
     * app.
     */
    readonly url?: string | null;
    /** Name of the icon of the button. Default: no icon. */
    readonly icon?: string | null;
  }[] | null;
  /**
   * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.
   */
  readonly criticalAlert?: {
    /** Name of the sound file in the app. */
    readonly soundName: string;
    /** Volume from 0 to 1. Default: 1. */
    readonly volume?: number | null;
  } | null;
  /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
  readonly collapseKey?: string | null;
  /** Groups pushes on the device. At most 128 characters. Default: none. */
  readonly threadId?: string | null;
  /**
   * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
   * weeks).
   */
  readonly ttlSeconds?: number | null;
  /** Delivery priority. Default: high for a visible push, normal for a silent one. */
  readonly priority?: 'high' | 'normal' | null;
  /** Number on the app icon. Default: unchanged. */
  readonly badge?: number | null;
  /** Name of the sound. Default: the default sound of the device. */
  readonly sound?: string | null;
  /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
  readonly imageUrl?: string | null;
  /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
  /** Platforms to send to. Tokens that you pass are not filtered. Default: all platforms. */
  readonly platforms?: readonly ('ios' | 'android' | 'web')[] | null;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Ids of the users to send to. At most 1,000. Exactly one of userIds, tokens and audienceId. */
  readonly userIds?: readonly string[] | null;
  /** Device tokens to send to. At most 1,000. Exactly one of userIds, tokens and audienceId. */
  readonly tokens?: readonly string[] | null;
  /** Id of the audience to send to, in place of listed recipients. Null or omitted: none. */
  readonly audienceId?: string | null;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface PushAudienceInput {
  /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly title?: string | null;
  /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly body?: string | null;
  /**
   * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
   * none.
   */
  readonly localizedTitle?: Readonly<Record<string, string>> | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** Values for the app. A push with data and without title and body is silent. Default: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  /** Action buttons. At most 4. Default: none. */
  readonly actions?: readonly {
    /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
    readonly id: string;
    /** Label of the button. May contain {{variables}}. */
    readonly title: string;
    /**
     * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
     * app.
     */
    readonly url?: string | null;
    /** Name of the icon of the button. Default: no icon. */
    readonly icon?: string | null;
  }[] | null;
  /**
   * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.
   */
  readonly criticalAlert?: {
    /** Name of the sound file in the app. */
    readonly soundName: string;
    /** Volume from 0 to 1. Default: 1. */
    readonly volume?: number | null;
  } | null;
  /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
  readonly collapseKey?: string | null;
  /** Groups pushes on the device. At most 128 characters. Default: none. */
  readonly threadId?: string | null;
  /**
   * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
   * weeks).
   */
  readonly ttlSeconds?: number | null;
  /** Delivery priority. Default: high for a visible push, normal for a silent one. */
  readonly priority?: 'high' | 'normal' | null;
  /** Number on the app icon. Default: unchanged. */
  readonly badge?: number | null;
  /** Name of the sound. Default: the default sound of the device. */
  readonly sound?: string | null;
  /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
  readonly imageUrl?: string | null;
  /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
  /** Platforms to send to. Tokens that you pass are not filtered. Default: all platforms. */
  readonly platforms?: readonly ('ios' | 'android' | 'web')[] | null;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Id of the audience to send to. */
  readonly audienceId: string;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface SmsInput {
  /**
   * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
   * messagingServiceId. Default: the provider's.
   */
  readonly from?: string | null;
  /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
  readonly messagingServiceId?: string | null;
  /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
  readonly body?: string | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
  readonly mediaUrls?: readonly string[] | null;
  /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
  readonly maxSegments?: number | null;
  /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
  readonly validitySeconds?: number | null;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Recipient number in E.164, or a list of at most 50. Exactly one of to, userIds and audienceId. */
  readonly to?: string | readonly string[] | null;
  /** Ids of the users to send to. At most 1,000. Exactly one of to, userIds and audienceId. */
  readonly userIds?: readonly string[] | null;
  /** Id of the audience to send to, in place of listed recipients. Null or omitted: none. */
  readonly audienceId?: string | null;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface SmsAudienceInput {
  /**
   * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
   * messagingServiceId. Default: the provider's.
   */
  readonly from?: string | null;
  /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
  readonly messagingServiceId?: string | null;
  /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
  readonly body?: string | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
  readonly mediaUrls?: readonly string[] | null;
  /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
  readonly maxSegments?: number | null;
  /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
  readonly validitySeconds?: number | null;
  /**
   * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
   */
  readonly class?: 'marketing' | 'transactional' | null;
  /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
  readonly category?: string | null;
  /** Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none. */
  readonly abTestId?: string | null;
  /** Your labels of the send. At most 10 pairs of texts. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now. */
  readonly scheduledFor?: string | null;
  /** Whether to render the messages without sending them. Beckon stores nothing. Default: false. */
  readonly dryRun?: boolean | null;
  /** Values of {{event.*}} in the texts. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Id of the audience to send to. */
  readonly audienceId: string;
  /** Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none. */
  readonly templateId?: string | null;
}

export interface SubscriptionsInput {
  /** Choices for push. Omit it to keep them. */
  readonly push?: {
    /**
     * Whether the user gets marketing messages on this channel. Null clears the choice; omit it to keep the choice.
     */
    readonly subscribed?: boolean | null;
    /**
     * Choices by category name. Null clears the choice of a category; categories that you omit keep theirs. At most
     * 100.
     */
    readonly categories?: Readonly<Record<string, boolean | null>>;
  };
  /** Choices for email. Omit it to keep them. */
  readonly email?: {
    /**
     * Whether the user gets marketing messages on this channel. Null clears the choice; omit it to keep the choice.
     */
    readonly subscribed?: boolean | null;
    /**
     * Choices by category name. Null clears the choice of a category; categories that you omit keep theirs. At most
     * 100.
     */
    readonly categories?: Readonly<Record<string, boolean | null>>;
  };
  /** Choices for SMS. Omit it to keep them. */
  readonly sms?: {
    /**
     * Whether the user gets marketing messages on this channel. Null clears the choice; omit it to keep the choice.
     */
    readonly subscribed?: boolean | null;
    /**
     * Choices by category name. Null clears the choice of a category; categories that you omit keep theirs. At most
     * 100.
     */
    readonly categories?: Readonly<Record<string, boolean | null>>;
  };
}

export interface EmailSuppressionInput {
  /** Address to change. Exactly one of address and addresses. */
  readonly address?: string;
  /** Addresses to change. 1 to 1,000. Exactly one of address and addresses. */
  readonly addresses?: readonly string[];
  /** Why nothing may be sent there. Default: manual. */
  readonly reason?: 'bounced_address' | 'complained_address' | 'unsubscribed' | 'manual';
}

export interface EmailSuppressionRemovalInput {
  /** Address to change. Exactly one of address and addresses. */
  readonly address?: string;
  /** Addresses to change. 1 to 1,000. Exactly one of address and addresses. */
  readonly addresses?: readonly string[];
  /** Entries to remove. Default: entries with any reason. */
  readonly reason?: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual';
}

export interface SmsSuppressionInput {
  /** Address to change. Exactly one of address and addresses. */
  readonly address?: string;
  /** Addresses to change. 1 to 1,000. Exactly one of address and addresses. */
  readonly addresses?: readonly string[];
  /** Your sender that the entry is for. A number, a name or a messaging service. Default: every sender. */
  readonly sender?: string;
  /** Why nothing may be sent there. Default: manual. */
  readonly reason?: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual';
}

export interface SmsSuppressionRemovalInput extends EmailSuppressionRemovalInput {
  /** Your sender that the entry is for. A number, a name or a messaging service. Default: every sender. */
  readonly sender?: string;
}

export interface DeviceInput {
  /** Push token of the device. An APNs token, an FCM registration token, or a Web Push subscription as JSON. */
  readonly token: string;
  /** Platform of the device. */
  readonly platform: 'ios' | 'android' | 'web';
  /** Id of the user of the device. At most 256 characters. Null detaches the user; omit it to keep the user. */
  readonly userId?: string | null;
  /** Id of the visitor without a user. At most 256 characters. Null removes it; omit it to keep it. */
  readonly anonymousId?: string | null;
  /** Language of the device, such as nl-BE. At most 64 characters. Null removes it; omit it to keep it. */
  readonly locale?: string | null;
  /**
   * Time zone of the device. An IANA name, or an offset such as GMT+05:30. Any other value counts as omitted. Null
   * removes it.
   */
  readonly timezone?: unknown;
  /** Version of the app. At most 128 characters. Null removes it; omit it to keep it. */
  readonly appVersion?: string | null;
  /** APNs host that the token belongs to, for iOS. Null removes it; omit it to keep it. */
  readonly apnsEnvironment?: 'production' | 'sandbox' | null;
}

export interface PushOpenInput {
  /** Id of the send, from the data of the push. */
  readonly sendId: string;
  /** Id of the message, from the data of the push. Null or omitted: the report applies to the send. */
  readonly messageId?: string | null;
  /** Id of the action button that the user clicked. Default: none, the user opened the push itself. */
  readonly clickAction?: string | null;
}

export interface PushDeliveredInput {
  /** Id of the send, from the data of the push. */
  readonly sendId: string;
  /** Id of the message, from the data of the push. Null or omitted: the report applies to the send. */
  readonly messageId?: string | null;
}

export interface ActivityTokenInput {
  /** Id of the user of the device. 1 to 256 characters. */
  readonly userId: string;
  /** Your name of the kind of activity. 1 to 128 characters. */
  readonly activityType: string;
  /**
   * Your id of the activity. Required for kind update; null or omitted for push_to_start. At most 256 characters.
   */
  readonly externalId?: string | null;
  /** ActivityKit's id of the activity. It stays when the token changes. Null or omitted: unknown. */
  readonly activityId?: string | null;
  /** Token of ActivityKit, in hexadecimal. */
  readonly pushToken: string;
  /** Platform of the device. Always ios. */
  readonly platform?: 'ios';
  /** Purpose of the token. push_to_start starts activities, update updates one. Default: update. */
  readonly kind?: 'push_to_start' | 'update';
  /** Swift type of the attributes. At most 128 characters. Null or omitted: unknown. */
  readonly attributesType?: string | null;
  /** APNs host that the token belongs to. Null or omitted: the one in the settings. */
  readonly environment?: 'production' | 'sandbox' | null;
}

export interface ActivityStartInput {
  /** Your name of the kind of activity. 1 to 128 characters. */
  readonly activityType: string;
  /** Your id of the activity, used to update and end it. 1 to 256 characters. */
  readonly externalId: string;
  /** Swift type of the attributes. 1 to 128 characters. */
  readonly attributesType: string;
  /** Attributes of the activity, which do not change. At most 4,096 bytes of JSON. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** State to show. At most 4,096 bytes of JSON. */
  readonly contentState: Readonly<Record<string, unknown>>;
  /** Alert that appears when the activity starts. */
  readonly alert: {
    /** Title of the alert. At most 4,096 characters. */
    readonly title: string;
    /** Text of the alert. At most 4,096 characters. */
    readonly body: string;
    /** Name of the sound. Default: no sound. */
    readonly sound?: string;
  };
  /** Ids of the users to send to. At most 1,000. Exactly one of userIds and audienceId. */
  readonly userIds?: readonly string[];
  /** Id of the audience to send to. Exactly one of userIds and audienceId. */
  readonly audienceId?: string | null;
  /** When the state becomes outdated. ISO 8601 with an offset. Null or omitted: never. */
  readonly staleDate?: string | null;
  /** Order among activities; the highest comes first. 0 to 1,000,000. Default: none. */
  readonly relevanceScore?: number;
  /** APNs priority, 5 or 10. 10 delivers at once; 5 saves power. Default: 10. */
  readonly priority?: 5 | 10;
}

export interface ActivityUpdateInput {
  /** State to show. At most 4,096 bytes of JSON. */
  readonly contentState: Readonly<Record<string, unknown>>;
  /** When the state becomes outdated. ISO 8601 with an offset. Null or omitted: never. */
  readonly staleDate?: string | null;
  /** Order among activities; the highest comes first. 0 to 1,000,000. Default: none. */
  readonly relevanceScore?: number;
  /** APNs priority, 5 or 10. 10 delivers at once; 5 does not count against iOS's budget. Default: 5. */
  readonly priority?: 5 | 10;
  /** Alert that appears with the update. Default: none. */
  readonly alert?: {
    /** Title of the alert. At most 4,096 characters. */
    readonly title: string;
    /** Text of the alert. At most 4,096 characters. */
    readonly body: string;
    /** Name of the sound. Default: no sound. */
    readonly sound?: string;
  };
}

export interface ActivityEndInput {
  /** Last state to show. At most 4,096 bytes of JSON. Default: unchanged. */
  readonly contentState?: Readonly<Record<string, unknown>>;
  /**
   * When the activity leaves the lock screen. ISO 8601 with an offset; a past time removes it at once. Null or
   * omitted: iOS decides.
   */
  readonly dismissalDate?: string | null;
}

export interface GeofenceInput {
  /** Name of the geofence. 1 to 200 characters. */
  readonly name: string;
  /** Latitude of the centre, in degrees. -90 to 90. */
  readonly lat: number;
  /** Longitude of the centre, in degrees. -180 to 180. */
  readonly lng: number;
  /** Radius in metres. 100 to 100,000. */
  readonly radiusMeters: number;
  /** Transitions that devices report. Default: all three. */
  readonly transitions?: readonly ('entered' | 'exited' | 'dwelled')[];
  /** Seconds inside the circle before dwelled is reported. At most 86,400. Null: the platform decides. */
  readonly dwellSeconds?: number | null;
  /** Values for the app. At most 4,096 bytes of JSON. Null: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
}

export interface GeofencePatch {
  /** Name of the geofence. 1 to 200 characters. */
  readonly name?: string;
  /** Latitude of the centre, in degrees. -90 to 90. */
  readonly lat?: number;
  /** Longitude of the centre, in degrees. -180 to 180. */
  readonly lng?: number;
  /** Radius in metres. 100 to 100,000. */
  readonly radiusMeters?: number;
  /** Transitions that devices report. */
  readonly transitions?: readonly ('entered' | 'exited' | 'dwelled')[];
  /** Seconds inside the circle before dwelled is reported. At most 86,400. Null: the platform decides. */
  readonly dwellSeconds?: number | null;
  /** Values for the app. At most 4,096 bytes of JSON. Null: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
}

export interface GeofenceEventInput {
  /** Id of the geofence. */
  readonly geofenceId: string;
  /** What the device did. */
  readonly transition: 'entered' | 'exited' | 'dwelled' | 'enter' | 'exit' | 'dwell';
  /** Id of the user. One of userId, anonymousId and tokenId is required; null counts as omitted. */
  readonly userId?: string | null;
  /** Id of the visitor without a user. Null counts as omitted. */
  readonly anonymousId?: string | null;
  /** Id of the registered device token. Null counts as omitted. */
  readonly tokenId?: string | null;
  /** When the transition happened. ISO 8601 with an offset. Null or omitted: when Beckon receives it. */
  readonly occurredAt?: string | null;
  /** Where the device was. Null or omitted: not recorded. */
  readonly location?: {
    /** Latitude in degrees. -90 to 90. */
    readonly lat: number;
    /** Longitude in degrees. -180 to 180. */
    readonly lng: number;
    /** Accuracy of the position, in metres. At most 1,000,000. Null or omitted: unknown. */
    readonly accuracyMeters?: number | null;
  } | null;
  /** Seconds that the device has been inside. At most 864,000. Null or omitted: unknown. */
  readonly dwellSeconds?: number | null;
}

export interface AudienceInput {
  /** Name of the audience. 1 to 200 characters, unique in the environment. */
  readonly name: string;
  /** What the audience is for. At most 2,000 characters. Null removes it. */
  readonly description?: string | null;
  /**
   * Kind of the audience. dynamic: a predicate decides membership; static: you add and remove members. Default:
   * dynamic with a predicate, else static.
   */
  readonly kind?: 'dynamic' | 'static';
  /**
   * Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array
   * means all. At most 8 levels and 100 nodes. Omit it for a static audience.
   */
  readonly predicate?: PredicateInput;
}

export interface AudiencePatch {
  /** Name of the audience. 1 to 200 characters, unique in the environment. */
  readonly name?: string;
  /** What the audience is for. At most 2,000 characters. Null removes it. */
  readonly description?: string | null;
  /**
   * Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array
   * means all. At most 8 levels and 100 nodes. Omit it to keep the predicate.
   */
  readonly predicate?: PredicateInput;
}

export interface MembersInput {
  /** Ids of the users. 1 to 1,000, each of 1 to 256 characters. */
  readonly userIds: readonly string[];
}

export interface PreviewAudienceInput {
  /**
   * Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array
   * means all. At most 8 levels and 100 nodes.
   */
  readonly predicate: PredicateInput;
}

export interface WebhookInput {
  /** URL that receives the events. At most 2,048 characters. */
  readonly url: string;
  /** Names of the events to deliver. */
  readonly events: readonly ('push.send_requested' | 'push.scheduled' | 'push.sent' | 'push.delivered' | 'push.failed' | 'push.suppressed' | 'push.cancelled' | 'push.opened' | 'push.clicked' | 'push.token_invalidated' | 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated' | 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'email.clicked' | 'sms.delivered' | 'sms.failed' | 'sms.inbound' | 'sms.stop_received' | 'user.signed_up' | 'user.signed_in' | 'user.identified' | 'user.session_expired' | 'user.password_reset' | 'workflow.run_started' | 'workflow.run_completed' | 'workflow.step_executed')[];
  /** What the webhook is for. At most 500 characters. Null or omitted: none. */
  readonly description?: string | null;
  /** Extra request headers. At most 20. Null or omitted: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Whether events are delivered. Default: true. */
  readonly isActive?: boolean;
  /** Whether deliveries wait to be fetched instead of being posted. Default: false. */
  readonly isPulled?: boolean;
}

export interface WebhookPatch {
  /** URL that receives the events. At most 2,048 characters. Omit it to keep the URL. */
  readonly url?: string;
  /** Names of the events to deliver. Omit it to keep them. */
  readonly events?: readonly ('push.send_requested' | 'push.scheduled' | 'push.sent' | 'push.delivered' | 'push.failed' | 'push.suppressed' | 'push.cancelled' | 'push.opened' | 'push.clicked' | 'push.token_invalidated' | 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated' | 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'email.clicked' | 'sms.delivered' | 'sms.failed' | 'sms.inbound' | 'sms.stop_received' | 'user.signed_up' | 'user.signed_in' | 'user.identified' | 'user.session_expired' | 'user.password_reset' | 'workflow.run_started' | 'workflow.run_completed' | 'workflow.step_executed')[];
  /** What the webhook is for. At most 500 characters. Null or omitted: none. */
  readonly description?: string | null;
  /** Extra request headers. At most 20. Null or omitted: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Whether events are delivered. Default: true. */
  readonly isActive?: boolean;
}

export interface SecretRotation {
  /** Seconds that the previous secret keeps signing. At most 604,800 (a week). Default: 86,400 (a day). */
  readonly graceSeconds?: number;
}

export interface WebhookRecovery {
  /** Start of the time range. ISO 8601 with an offset. */
  readonly since: string;
  /** End of the time range. ISO 8601 with an offset. Default: now. */
  readonly until?: string;
}

export interface BundleInput {
  /** URL or path of the JSON Schema of this file, for editors. An import ignores it. */
  readonly '$schema'?: string;
  /** Version of the bundle format. Always 1. */
  readonly version: 1;
  /** When the bundle was exported. ISO 8601. An import does not read it. */
  readonly exportedAt: string;
  /** Workflows of the bundle. Names are distinct. At most 1,000. */
  readonly workflows: readonly {
    /** Name of the workflow. 1 to 200 characters, unique in the project. */
    readonly name: string;
    /** What the workflow is for. At most 2,000 characters; null for none. */
    readonly description: string | null;
    /** What starts a run. */
    readonly trigger: {
      /** Name of the event that starts a run. 1 to 128 characters. */
      readonly eventType: string;
      /** Property values that the event must have, compared as text. Default: any event with the name. */
      readonly filters?: Readonly<Record<string, string>>;
      /** Id of an audience that the user must be in. Default: any user. */
      readonly audienceId?: string;
    };
    /** Steps, in order. At most 100, steps of branches included. */
    readonly steps: readonly StepInput[];
    /** Whether new events start runs. */
    readonly isActive: boolean;
  }[];
}

export interface WorkflowInput {
  /** URL or path of the JSON Schema of this file, for editors. An import ignores it. */
  readonly '$schema'?: string;
  /** Name of the workflow. 1 to 200 characters, unique in the project. */
  readonly name: string;
  /** What the workflow is for. At most 2,000 characters. Default: null, no description. */
  readonly description?: string | null;
  /** What starts a run. */
  readonly trigger: {
    /** Name of the event that starts a run. 1 to 128 characters. */
    readonly eventType: string;
    /** Property values that the event must have, compared as text. Default: any event with the name. */
    readonly filters?: Readonly<Record<string, string>>;
    /** Id of an audience that the user must be in. Default: any user. */
    readonly audienceId?: string;
  };
  /** Steps, in order. At most 100, steps of branches included. */
  readonly steps: readonly StepInput[];
  /** Whether new events start runs. Default: false. */
  readonly isActive?: boolean;
}

export interface WorkflowPatch {
  /** Name of the workflow. 1 to 200 characters, unique in the project. */
  readonly name?: string;
  /** What the workflow is for. At most 2,000 characters; null for none. */
  readonly description?: string | null;
  /** What starts a run. */
  readonly trigger?: {
    /** Name of the event that starts a run. 1 to 128 characters. */
    readonly eventType: string;
    /** Property values that the event must have, compared as text. Default: any event with the name. */
    readonly filters?: Readonly<Record<string, string>>;
    /** Id of an audience that the user must be in. Default: any user. */
    readonly audienceId?: string;
  };
  /** Steps, in order. At most 100, steps of branches included. */
  readonly steps?: readonly StepInput[];
  /** Whether new events start runs. */
  readonly isActive?: boolean;
}

export interface SimulateInput {
  /** Event that starts the simulated run. */
  readonly event: {
    /** Id of the user. Default: an anonymous user. */
    readonly userId?: string;
    /** Id of a visitor without a user. Default: none. */
    readonly anonymousId?: string;
    /** Name of the event. Default: the trigger's. */
    readonly eventType?: string;
    /** Part of your product that the event belongs to. Default: simulation. */
    readonly module?: string;
    /** Properties of the event. Default: none. */
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  /** User of the run. Its fields replace those of the stored profile. Default: the stored profile. */
  readonly user?: {
    /** Id of the user. Default: an anonymous user. */
    readonly userId?: string;
    /** Id of a visitor without a user. Default: none. */
    readonly anonymousId?: string;
    /** Traits that replace those of the stored profile. Default: the stored traits. */
    readonly traits?: Readonly<Record<string, unknown>>;
    /** Email address. Null for none. Default: the stored address. */
    readonly email?: string | null;
    /** Phone number. Null for none. Default: the stored number. */
    readonly phone?: string | null;
    /** Language, such as nl-BE. Null for none. Default: the stored locale. */
    readonly locale?: string | null;
    /** IANA time zone. Null for none. Default: the stored time zone. */
    readonly timezone?: string | null;
    /** Devices for push. At most 10. Default: the registered devices. */
    readonly devices?: readonly {
      /** Platform of the device. */
      readonly platform: 'ios' | 'android' | 'web';
      /** Language of the device. Default: none. */
      readonly locale?: string;
    }[];
    /** Ids of the audiences that the user is in. At most 100. Default: as stored. */
    readonly audiences?: readonly string[];
  };
  /** Start of the simulated time. ISO 8601 with an offset. Default: now. */
  readonly now?: string;
  /** Time zone of the organization. IANA name. Default: the project's setting. */
  readonly timezone?: string;
  /** Results of steps, later events and templates. Default: none. */
  readonly answers?: {
    /** Results to use instead of running steps, by path, saveAs or name. At most 100. Default: none. */
    readonly steps?: Readonly<Record<string, {
      /** Outcome of the step. Default: ok. */
      readonly outcome?: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled';
      /** Reason of the outcome. Default: none. */
      readonly reason?: string;
      /** Output that the step saves. Default: none. */
      readonly output?: Readonly<Record<string, unknown>>;
      /** HTTP status that a webhook step receives. 100 to 599. Default: none. */
      readonly httpStatus?: number;
    }>>;
    /** Later events of the user. At most 100. Default: none. */
    readonly events?: readonly {
      /** Name of the event. 1 to 128 characters. */
      readonly eventType: string;
      /** Properties of the event. Default: none. */
      readonly properties?: Readonly<Record<string, unknown>>;
      /** Minutes after the first event. At most 525,600. */
      readonly afterMinutes: number;
    }[];
    /** Templates by id, used instead of the stored ones. At most 100. Default: none. */
    readonly templates?: Readonly<Record<string, {
      /** Channel of the template. */
      readonly channel: 'push' | 'email' | 'sms';
      /** Fields of the template. */
      readonly content: Readonly<Record<string, unknown>>;
    }>>;
  };
}

export interface SecretInput {
  /** Value of the secret, one line that an HTTP header can hold. 1 to 8,192 characters. */
  readonly value: string;
}

export interface AiSettingsInput {
  /** API format of the provider. Default: openai. */
  readonly wire?: 'openai' | 'anthropic';
  /** Base URL of the API. At most 2,048 characters. Default: the provider's own. */
  readonly baseUrl?: string;
  /** API key of the provider. Null if the provider needs none. */
  readonly key: string | null;
  /** Models by kind of AI step. Default: none; a step then names its model. */
  readonly models?: {
    /** Model of generate steps that name none. At most 200 characters. */
    readonly generate?: string;
    /** Model of decide steps that name none. At most 200 characters. */
    readonly decide?: string;
    /** Model of extract steps that name none. At most 200 characters. */
    readonly extract?: string;
  };
  /** Prices by model, for cost figures. At most 50 models. Default: no cost figures. */
  readonly prices?: Readonly<Record<string, {
    /** Price of a million input tokens, in your currency. */
    readonly input: number;
    /** Price of a million output tokens, in your currency. */
    readonly output: number;
  }>>;
}

export interface PushTemplateInput {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name: string;
  /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly title?: string | null;
  /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly body?: string | null;
  /**
   * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
   * none.
   */
  readonly localizedTitle?: Readonly<Record<string, string>> | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** Values for the app. A push with data and without title and body is silent. Default: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  /** Action buttons. At most 4. Default: none. */
  readonly actions?: readonly {
    /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
    readonly id: string;
    /** Label of the button. May contain {{variables}}. */
    readonly title: string;
    /**
     * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
     * app.
     */
    readonly url?: string | null;
    /** Name of the icon of the button. Default: no icon. */
    readonly icon?: string | null;
  }[] | null;
  /**
   * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.
   */
  readonly criticalAlert?: {
    /** Name of the sound file in the app. */
    readonly soundName: string;
    /** Volume from 0 to 1. Default: 1. */
    readonly volume?: number | null;
  } | null;
  /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
  readonly collapseKey?: string | null;
  /** Groups pushes on the device. At most 128 characters. Default: none. */
  readonly threadId?: string | null;
  /**
   * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
   * weeks).
   */
  readonly ttlSeconds?: number | null;
  /** Delivery priority. Default: high for a visible push, normal for a silent one. */
  readonly priority?: 'high' | 'normal' | null;
  /** Number on the app icon. Default: unchanged. */
  readonly badge?: number | null;
  /** Name of the sound. Default: the default sound of the device. */
  readonly sound?: string | null;
  /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
  readonly imageUrl?: string | null;
  /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
}

export interface EmailTemplateInput {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name: string;
  /** From address. Default: the provider's from. */
  readonly from?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Reply-To address. Default: none, replies go to the From address. */
  readonly replyTo?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Subject, one line. May contain {{variables}}. At most 998 characters. */
  readonly subject: string;
  /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
  readonly text?: string | null;
  /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
  readonly html?: string | null;
  /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
  readonly bodyHtml?: string | null;
  /** Preview line that mail clients show beside the subject. At most 500 characters. Default: none. */
  readonly preheader?: string | null;
  /**
   * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
   * fields above. Default: none.
   */
  readonly localized?: Readonly<Record<string, {
    /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
    readonly subject?: string | '' | null;
    /** Preview line in this language. At most 500 characters. Default: none. */
    readonly preheader?: string | null;
    /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string | null;
    /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
    readonly html?: string | null;
  }>> | null;
  /** Extra email headers. At most 20. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Which interactions to track. Default: the email settings. */
  readonly tracking?: {
    /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
    readonly opens?: boolean | null;
    /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
    readonly clicks?: boolean | null;
  } | null;
  /** Files. At most 20, together at most 700 KiB. Default: none. */
  readonly attachments?: readonly {
    /** File name without folder. 1 to 255 characters. */
    readonly filename: string;
    /** Media type, such as application/pdf. */
    readonly contentType: string;
    /** Content of the file, in base64 with padding. */
    readonly content: string;
    /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
    readonly cid?: string | null;
  }[] | null;
}

export interface SmsTemplateInput {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name: string;
  /**
   * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
   * messagingServiceId. Default: the provider's.
   */
  readonly from?: string | null;
  /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
  readonly messagingServiceId?: string | null;
  /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
  readonly body?: string | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
  readonly mediaUrls?: readonly string[] | null;
  /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
  readonly maxSegments?: number | null;
  /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
  readonly validitySeconds?: number | null;
}

export interface PushTemplatePatch {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name?: string;
  /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly title?: string | null;
  /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
  readonly body?: string | null;
  /**
   * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
   * none.
   */
  readonly localizedTitle?: Readonly<Record<string, string>> | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** Values for the app. A push with data and without title and body is silent. Default: none. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  /** Action buttons. At most 4. Default: none. */
  readonly actions?: readonly {
    /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
    readonly id: string;
    /** Label of the button. May contain {{variables}}. */
    readonly title: string;
    /**
     * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
     * app.
     */
    readonly url?: string | null;
    /** Name of the icon of the button. Default: no icon. */
    readonly icon?: string | null;
  }[] | null;
  /**
   * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.
   */
  readonly criticalAlert?: {
    /** Name of the sound file in the app. */
    readonly soundName: string;
    /** Volume from 0 to 1. Default: 1. */
    readonly volume?: number | null;
  } | null | null;
  /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
  readonly collapseKey?: string | null;
  /** Groups pushes on the device. At most 128 characters. Default: none. */
  readonly threadId?: string | null;
  /**
   * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
   * weeks).
   */
  readonly ttlSeconds?: number | null;
  /** Delivery priority. Default: high for a visible push, normal for a silent one. */
  readonly priority?: 'high' | 'normal' | null;
  /** Number on the app icon. Default: unchanged. */
  readonly badge?: number | null;
  /** Name of the sound. Default: the default sound of the device. */
  readonly sound?: string | null;
  /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
  readonly imageUrl?: string | null;
  /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
}

export interface EmailTemplatePatch {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name?: string;
  /** From address. Default: the provider's from. */
  readonly from?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Reply-To address. Default: none, replies go to the From address. */
  readonly replyTo?: string | {
    /** Bare email address. */
    readonly email: string;
    /** Display name. At most 128 characters. Null or omitted: none. */
    readonly name?: string | null;
  } | null;
  /** Subject, one line. May contain {{variables}}. At most 998 characters. */
  readonly subject?: string | null;
  /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
  readonly text?: string | null;
  /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
  readonly html?: string | null;
  /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
  readonly bodyHtml?: string | null;
  /** Preview line that mail clients show beside the subject. At most 500 characters. Default: none. */
  readonly preheader?: string | null;
  /**
   * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
   * fields above. Default: none.
   */
  readonly localized?: Readonly<Record<string, {
    /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
    readonly subject?: string | '' | null;
    /** Preview line in this language. At most 500 characters. Default: none. */
    readonly preheader?: string | null;
    /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string | null;
    /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
    readonly html?: string | null;
  }>> | null;
  /** Extra email headers. At most 20. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Which interactions to track. Default: the email settings. */
  readonly tracking?: {
    /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
    readonly opens?: boolean | null;
    /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
    readonly clicks?: boolean | null;
  } | null;
  /** Files. At most 20, together at most 700 KiB. Default: none. */
  readonly attachments?: readonly {
    /** File name without folder. 1 to 255 characters. */
    readonly filename: string;
    /** Media type, such as application/pdf. */
    readonly contentType: string;
    /** Content of the file, in base64 with padding. */
    readonly content: string;
    /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
    readonly cid?: string | null;
  }[] | null;
}

export interface SmsTemplatePatch {
  /** Name of the template, one line. 1 to 200 characters. */
  readonly name?: string;
  /**
   * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
   * messagingServiceId. Default: the provider's.
   */
  readonly from?: string | null;
  /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
  readonly messagingServiceId?: string | null;
  /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
  readonly body?: string | null;
  /**
   * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.
   */
  readonly localizedBody?: Readonly<Record<string, string>> | null;
  /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
  readonly mediaUrls?: readonly string[] | null;
  /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
  readonly maxSegments?: number | null;
  /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
  readonly validitySeconds?: number | null;
}

export interface PreviewInput {
  /** Id of the user whose profile fills {{user.*}} and {{trait.*}}. Default: a sample user. */
  readonly userId?: string | null;
  /** Values of {{event.*}}. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Language to render, such as nl-BE. At most 64 characters. Default: the user's. */
  readonly locale?: string | null;
}

export interface EmailDomainInput {
  /** Domain of your From addresses, such as example.com. At most 253 characters. */
  readonly domain: string;
  /** Whether Beckon signs emails with a DKIM key of its own. Default: false. */
  readonly dkim?: boolean;
}

export interface EmailSettingsInput {
  /** Credentials of smtp. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly smtp?: {
    /** Host name of the SMTP server. */
    readonly host: string;
    /** Port. 1 to 65,535. */
    readonly port: number;
    /** Whether the connection starts with TLS. Default: false, STARTTLS. */
    readonly secure?: boolean;
    /** Whether TLS is required. none sends in clear text. Default: required. */
    readonly tls?: 'required' | 'none';
    /** User name. Default: no login. */
    readonly user?: string;
    /** Password. Default: no login. */
    readonly password?: string;
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /** Credentials of ses. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly ses?: {
    /** AWS access key id. */
    readonly accessKeyId: string;
    /** AWS secret access key. */
    readonly secretAccessKey: string;
    /** AWS session token. Default: none. */
    readonly sessionToken?: string;
    /** AWS region, such as eu-west-1. */
    readonly region: string;
    /** Configuration set of SES. Default: none. */
    readonly configurationSet?: string;
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /** Credentials of sendgrid. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly sendgrid?: {
    /** API key. */
    readonly apiKey: string;
    /** Region of the API. Default: global. */
    readonly region?: 'global' | 'eu';
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /** Credentials of postmark. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly postmark?: {
    /** Server API token. */
    readonly serverToken: string;
    /** Message stream. Default: Postmark's own. */
    readonly messageStream?: string;
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /** Credentials of mailgun. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly mailgun?: {
    /** API key. */
    readonly apiKey: string;
    /** Sending domain of the Mailgun account. */
    readonly domain: string;
    /** Region of the API. Default: us. */
    readonly region?: 'us' | 'eu';
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /** Credentials of resend. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly resend?: {
    /** API key. */
    readonly apiKey: string;
    /** From address of messages that name none. */
    readonly from: string;
    /** Display name beside the From address. Default: none. */
    readonly name?: string;
  } | null;
  /**
   * IANA time zone for users without one, such as Europe/Paris. Omit it to keep the value. Null restores the default.
   */
  readonly orgDefaultTimezone?: string | null;
  /**
   * Limits of messages per user, for all channels. Replaces the stored rules; omit it to keep them. Null restores the
   * default.
   */
  readonly frequencyCap?: {
    /** Whether the rules apply. Default: false. */
    readonly enabled?: boolean;
    /** Limits per user. A message that exceeds any limit is suppressed. At most 20. Default: none. */
    readonly rules?: readonly {
      /** Channel that the rule counts; all counts every channel. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Messages per user in the window. 1 to 10,000. */
      readonly max: number;
      /** Length of the rolling window. At most 90 days. */
      readonly per: {
        /** Number of units. 1 to 129,600. */
        readonly n: number;
        /** Unit of the window. A day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of messages that the rule counts. Default: marketing. */
      readonly class?: 'marketing' | 'transactional' | 'all';
    }[];
  } | null;
  /** Whether email and phone traits serve as addresses. Omit it to keep the value. Null restores the default. */
  readonly addressFromTraits?: boolean | null;
  /**
   * Hours in which marketing messages wait. Replaces the stored value; omit it to keep it. Null restores the default.
   */
  readonly quietHours?: {
    /** Whether quiet hours apply. Default: false. */
    readonly enabled?: boolean;
    /** Start, in the user's local time, such as 22:00. Default: 22:00. */
    readonly start?: string;
    /** End, in the user's local time, such as 08:00. Default: 08:00. */
    readonly end?: string;
    /** Local days on which quiet hours start. Default: empty, every day. */
    readonly days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether a message waits for the end (defer) or is not sent (suppress). Default: defer. */
    readonly behavior?: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes. At most 10,080. Default: 1,440. */
    readonly maxDeferMinutes?: number;
    /** Classes of messages that ignore quiet hours. Default: transactional. */
    readonly exemptClasses?: readonly ('marketing' | 'transactional')[];
  } | null;
  /**
   * Tracking of emails whose send does not set it. Replaces the stored value; omit it to keep it. Null restores the
   * default.
   */
  readonly tracking?: {
    /** Whether to track opens of emails that do not set it. Default: false. */
    readonly opens?: boolean;
    /** Whether to track clicks in emails that do not set it. Default: false. */
    readonly clicks?: boolean;
  } | null;
  /**
   * Providers in order of preference. Later ones are used when earlier ones fail. Empty: all that are configured.
   * Null restores the default.
   */
  readonly providers?: readonly ('smtp' | 'ses' | 'sendgrid' | 'postmark' | 'mailgun' | 'resend')[] | null;
  /**
   * Domain of return paths, whose mail beckon bounce-ingest reads. At most 190 characters. Omit it to keep the value.
   * Null restores the default.
   */
  readonly bounceDomain?: string | null;
  /** Verification of delivery webhooks, by provider. Null removes all; omit it to keep them. */
  readonly callbacks?: {
    /** Verification of delivery webhooks of Amazon SES. Null removes it; omit it to keep it. */
    readonly ses?: {
      /** ARN of the SNS topic, or two during a change. */
      readonly topicArn: string | readonly string[];
    } | null;
    /** Verification of delivery webhooks of SendGrid. Null removes it; omit it to keep it. */
    readonly sendgrid?: {
      /** Verification key of the event webhook, or two during a change. */
      readonly publicKey: string | readonly string[];
    } | null;
    /** Verification of delivery webhooks of Postmark. Null removes it; omit it to keep it. */
    readonly postmark?: {
      /** User name of basic authentication. Default: none. */
      readonly user?: string;
      /** Password of basic authentication. Default: none. */
      readonly password?: string;
      /** Value of the secret header, or two during a change. Default: none. */
      readonly secret?: string | readonly string[];
    } | null;
    /** Verification of delivery webhooks of Mailgun. Null removes it; omit it to keep it. */
    readonly mailgun?: {
      /** HTTP webhook signing key, or two during a change. */
      readonly signingKey: string | readonly string[];
    } | null;
    /** Verification of delivery webhooks of Resend. Null removes it; omit it to keep it. */
    readonly resend?: {
      /** Signing secret (whsec_...), or two during a change. */
      readonly secret: string | readonly string[];
    } | null;
  } | null;
}

export interface PushSettingsInput {
  /** Credentials of apns. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly apns?: {
    /** Key id of the APNs authentication key. */
    readonly keyId: string;
    /** Apple developer team id. */
    readonly teamId: string;
    /** Private key (.p8), in PEM. */
    readonly key: string;
    /** Bundle id of the app. */
    readonly topic: string;
    /** APNs host. Default: production. */
    readonly environment?: 'production' | 'sandbox';
  } | null;
  /** Credentials of fcm. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly fcm?: {
    /** Service account key of Firebase, as the JSON file that Google issues. */
    readonly serviceAccount: {
      /** Id of the Firebase project. */
      readonly project_id: string;
      /** Email address of the service account. */
      readonly client_email: string;
      /** Private key of the service account, in PEM. */
      readonly private_key: string;
      /** URL that issues access tokens. */
      readonly token_uri: string;
    };
    /** Android notification channel of critical alerts. Default: none. */
    readonly criticalChannelId?: string;
  } | null;
  /** Credentials of webpush. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly webpush?: {
    /** VAPID public key, in base64url. */
    readonly publicKey: string;
    /** VAPID private key, in base64url. */
    readonly privateKey: string;
    /** Contact of the sender: a mailto or https URL. */
    readonly subject: string;
  } | null;
  /**
   * IANA time zone for users without one, such as Europe/Paris. Omit it to keep the value. Null restores the default.
   */
  readonly orgDefaultTimezone?: string | null;
  /**
   * Limits of messages per user, for all channels. Replaces the stored rules; omit it to keep them. Null restores the
   * default.
   */
  readonly frequencyCap?: {
    /** Whether the rules apply. Default: false. */
    readonly enabled?: boolean;
    /** Limits per user. A message that exceeds any limit is suppressed. At most 20. Default: none. */
    readonly rules?: readonly {
      /** Channel that the rule counts; all counts every channel. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Messages per user in the window. 1 to 10,000. */
      readonly max: number;
      /** Length of the rolling window. At most 90 days. */
      readonly per: {
        /** Number of units. 1 to 129,600. */
        readonly n: number;
        /** Unit of the window. A day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of messages that the rule counts. Default: marketing. */
      readonly class?: 'marketing' | 'transactional' | 'all';
    }[];
  } | null;
  /** Whether email and phone traits serve as addresses. Omit it to keep the value. Null restores the default. */
  readonly addressFromTraits?: boolean | null;
  /**
   * Hours in which marketing messages wait. Replaces the stored value; omit it to keep it. Null restores the default.
   */
  readonly quietHours?: {
    /** Whether quiet hours apply. Default: false. */
    readonly enabled?: boolean;
    /** Start, in the user's local time, such as 22:00. Default: 22:00. */
    readonly start?: string;
    /** End, in the user's local time, such as 08:00. Default: 08:00. */
    readonly end?: string;
    /** Local days on which quiet hours start. Default: empty, every day. */
    readonly days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether a message waits for the end (defer) or is not sent (suppress). Default: defer. */
    readonly behavior?: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes. At most 10,080. Default: 1,440. */
    readonly maxDeferMinutes?: number;
    /** Classes of messages that ignore quiet hours. Default: transactional. */
    readonly exemptClasses?: readonly ('marketing' | 'transactional')[];
  } | null;
  /** Whether registering reactivates an inactive token. Omit it to keep the value. Null restores the default. */
  readonly reactivateOnRegister?: boolean | null;
}

export interface SmsSettingsInput {
  /** Credentials of twilio. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly twilio?: {
    /** Account SID. */
    readonly accountSid: string;
    /** API key SID, instead of authToken. Default: none. */
    readonly apiKeySid?: string;
    /** Secret of the API key. Default: none. */
    readonly apiKeySecret?: string;
    /** Auth token. It also verifies delivery webhooks. Default: none. */
    readonly authToken?: string;
    /** Sender of messages that name none. Default: none. */
    readonly from?: string;
    /** Messaging service of messages that name no sender. Default: none. */
    readonly messagingServiceId?: string;
  } | null;
  /** Credentials of telnyx. They replace the stored ones. Null removes them; omit it to keep them. */
  readonly telnyx?: {
    /** API key. */
    readonly apiKey: string;
    /** Public key that verifies delivery webhooks. Without it, they are rejected. */
    readonly publicKey?: string;
    /** Sender of messages that name none. Default: none. */
    readonly from?: string;
    /** Messaging profile of messages that name no sender. Default: none. */
    readonly messagingProfileId?: string;
  } | null;
  /**
   * IANA time zone for users without one, such as Europe/Paris. Omit it to keep the value. Null restores the default.
   */
  readonly orgDefaultTimezone?: string | null;
  /**
   * Limits of messages per user, for all channels. Replaces the stored rules; omit it to keep them. Null restores the
   * default.
   */
  readonly frequencyCap?: {
    /** Whether the rules apply. Default: false. */
    readonly enabled?: boolean;
    /** Limits per user. A message that exceeds any limit is suppressed. At most 20. Default: none. */
    readonly rules?: readonly {
      /** Channel that the rule counts; all counts every channel. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Messages per user in the window. 1 to 10,000. */
      readonly max: number;
      /** Length of the rolling window. At most 90 days. */
      readonly per: {
        /** Number of units. 1 to 129,600. */
        readonly n: number;
        /** Unit of the window. A day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of messages that the rule counts. Default: marketing. */
      readonly class?: 'marketing' | 'transactional' | 'all';
    }[];
  } | null;
  /** Whether email and phone traits serve as addresses. Omit it to keep the value. Null restores the default. */
  readonly addressFromTraits?: boolean | null;
  /**
   * Hours in which marketing messages wait. Replaces the stored value; omit it to keep it. Null restores the default.
   */
  readonly quietHours?: {
    /** Whether quiet hours apply. Default: false. */
    readonly enabled?: boolean;
    /** Start, in the user's local time, such as 22:00. Default: 22:00. */
    readonly start?: string;
    /** End, in the user's local time, such as 08:00. Default: 08:00. */
    readonly end?: string;
    /** Local days on which quiet hours start. Default: empty, every day. */
    readonly days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether a message waits for the end (defer) or is not sent (suppress). Default: defer. */
    readonly behavior?: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes. At most 10,080. Default: 1,440. */
    readonly maxDeferMinutes?: number;
    /** Classes of messages that ignore quiet hours. Default: transactional. */
    readonly exemptClasses?: readonly ('marketing' | 'transactional')[];
  } | null;
  /**
   * Providers in order of preference. Later ones are used when earlier ones fail. Empty: all that are configured.
   * Null restores the default.
   */
  readonly providers?: readonly ('twilio' | 'telnyx')[] | null;
}

export interface EmailAbTestInput {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name: string;
  /** Contents to compare. 1 to 20; weights sum to 100. */
  readonly variants: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Subject, one line. May contain {{variables}}. At most 998 characters. */
    readonly subject?: string | null;
    /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
    readonly text?: string | null;
    /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
    readonly html?: string | null;
    /**
     * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
     * fields above. Default: none.
     */
    readonly localized?: Readonly<Record<string, {
      /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
      readonly subject?: string | '' | null;
      /** Preview line in this language. At most 500 characters. Default: none. */
      readonly preheader?: string | null;
      /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
      readonly text?: string | null;
      /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
      readonly html?: string | null;
    }>> | null;
  }[];
  /** What counts as success. Default: opens within 72 hours. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
}

export interface PushAbTestInput {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name: string;
  /** Contents to compare. 1 to 20; weights sum to 100. */
  readonly variants: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly title?: string | null;
    /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly body?: string | null;
    /**
     * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
     * none.
     */
    readonly localizedTitle?: Readonly<Record<string, string>> | null;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>> | null;
    /** Values for the app. A push with data and without title and body is silent. Default: none. */
    readonly data?: Readonly<Record<string, unknown>> | null;
  }[];
  /** What counts as success. Default: opens within 72 hours. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
}

export interface SmsAbTestInput {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name: string;
  /** Contents to compare. 1 to 20; weights sum to 100. */
  readonly variants: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
    readonly body?: string | null;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>> | null;
  }[];
  /** What counts as success. Default: opens within 72 hours. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
}

export interface EmailAbTestPatch {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name?: string;
  /** Contents to compare. 1 to 20; weights sum to 100. Omit it to keep them. */
  readonly variants?: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Subject, one line. May contain {{variables}}. At most 998 characters. */
    readonly subject?: string | null;
    /** Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required. */
    readonly text?: string | null;
    /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
    readonly html?: string | null;
    /**
     * Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the
     * fields above. Default: none.
     */
    readonly localized?: Readonly<Record<string, {
      /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
      readonly subject?: string | '' | null;
      /** Preview line in this language. At most 500 characters. Default: none. */
      readonly preheader?: string | null;
      /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
      readonly text?: string | null;
      /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
      readonly html?: string | null;
    }>> | null;
  }[];
  /** What counts as success. Null: opens within 72 hours. Omit it to keep the metric. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
  /** Status of the test. Omit it to keep the status. */
  readonly status?: 'running' | 'paused' | 'completed';
  /** Variant that all users get from now on. Only with status completed. Null or omitted: none. */
  readonly winnerKey?: string | null;
}

export interface PushAbTestPatch {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name?: string;
  /** Contents to compare. 1 to 20; weights sum to 100. Omit it to keep them. */
  readonly variants?: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly title?: string | null;
    /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly body?: string | null;
    /**
     * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
     * none.
     */
    readonly localizedTitle?: Readonly<Record<string, string>> | null;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>> | null;
    /** Values for the app. A push with data and without title and body is silent. Default: none. */
    readonly data?: Readonly<Record<string, unknown>> | null;
  }[];
  /** What counts as success. Null: opens within 72 hours. Omit it to keep the metric. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
  /** Status of the test. Omit it to keep the status. */
  readonly status?: 'running' | 'paused' | 'completed';
  /** Variant that all users get from now on. Only with status completed. Null or omitted: none. */
  readonly winnerKey?: string | null;
}

export interface SmsAbTestPatch {
  /** Name of the test, one line. 1 to 200 characters. */
  readonly name?: string;
  /** Contents to compare. 1 to 20; weights sum to 100. Omit it to keep them. */
  readonly variants?: readonly {
    /** Name of the variant, one line. 1 to 64 characters, unique in the test. */
    readonly key: string;
    /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
    readonly weight: number;
    /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
    readonly body?: string | null;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>> | null;
  }[];
  /** What counts as success. Null: opens within 72 hours. Omit it to keep the metric. */
  readonly metric?: {
    /** What counts as success. */
    readonly type: 'open' | 'click' | 'event';
    /** Name of the event to count. Required for type event, else not allowed. At most 128 characters. */
    readonly eventType?: string | null;
    /** Hours after the message in which an event counts. At most 720. Default: 72. */
    readonly windowHours?: number | null;
  } | null;
  /** Status of the test. Omit it to keep the status. */
  readonly status?: 'running' | 'paused' | 'completed';
  /** Variant that all users get from now on. Only with status completed. Null or omitted: none. */
  readonly winnerKey?: string | null;
}

export interface AbTestCompletion {
  /** Variant that all users get from now on. Default: none. */
  readonly winnerKey?: string | null;
}

export interface FunnelInput {
  /** Event names in the order of the funnel. 2 to 10. */
  readonly steps: readonly string[];
  /** Hours from the first step in which a user must finish. At most 9,600. Default: 168. */
  readonly windowHours?: number;
  /** Start of the range. ISO 8601. Default: 30 days before its end. */
  readonly from?: string;
  /** End of the range. ISO 8601. Default: now. */
  readonly to?: string;
  /** Length of one interval of the result. Default: day. */
  readonly interval?: 'hour' | 'day' | 'week' | 'month';
  /** IANA time zone in which days begin. Default: UTC. */
  readonly timezone?: string;
}

export interface SocialSignInInput {
  /**
   * Social provider: google, apple, microsoft, facebook, github, gitlab, discord, linkedin, x, twitch, slack,
   * spotify.
   */
  readonly provider: string;
  /**
   * URL that the browser returns to, with `code` and `c`, or `error` and `c`. One of the redirectUris of the
   * settings.
   */
  readonly redirectTo?: string;
  /** PKCE code challenge (S256) of the client. Only the holder of its verifier can use the resulting code. */
  readonly codeChallenge?: string;
  /** Method of the challenge: S256. */
  readonly codeChallengeMethod?: string;
  /** ID token from the provider's library on the device, in place of a redirect. */
  readonly idToken?: string;
  /** Nonce that the app created for the ID token. */
  readonly nonce?: string;
  /** Device token of an earlier sign-in. Default: none. */
  readonly deviceToken?: string;
}

export interface LinkIdentityInput {
  /**
   * Social provider: google, apple, microsoft, facebook, github, gitlab, discord, linkedin, x, twitch, slack,
   * spotify.
   */
  readonly provider: string;
  /**
   * URL that the browser returns to, with `code` and `c`, or `error` and `c`. One of the redirectUris of the
   * settings.
   */
  readonly redirectTo: string;
  /** PKCE code challenge (S256) of the client. Only the holder of its verifier can use the resulting code. */
  readonly codeChallenge: string;
  /** Method of the challenge: S256. */
  readonly codeChallengeMethod: string;
}

export interface CodeExchangeInput {
  /** Code of the redirect. It works once, for 60 seconds. */
  readonly code: string;
  /**
   * PKCE code verifier of the client that began the flow. Only a sign-in that an identity provider started has none.
   */
  readonly codeVerifier?: string;
  /** Device token of an earlier sign-in. Default: none. */
  readonly deviceToken?: string;
}

export interface ScimDirectoryInput {
  /** Name of the directory, such as Acme Okta. */
  readonly name: string;
  /**
   * SSO connection with which the users of the directory sign in. Users with an address in one of its verified
   * domains are linked to their accounts. Default: none.
   */
  readonly connectionId?: string | null;
}

export interface ScimDirectoryPatch {
  /** Name of the directory, such as Acme Okta. */
  readonly name?: string;
  /** SSO connection with which the users of the directory sign in; null: none. */
  readonly connectionId?: string | null;
}

export interface ScimTokenInput {
  /** Directory that the token gives access to. */
  readonly directoryId: string;
  /** When the token expires, at most two years ahead. ISO 8601 with an offset. Default: in a year. */
  readonly expiresAt?: string;
}

export interface SocialProviderInput {
  /** Whether users may sign in with this provider. Default: true. */
  readonly enabled?: boolean;
  /** Client id of your app at the provider. */
  readonly clientId: string;
  /** Client secret; for Apple the content of the .p8 file. Never returned. Omit it to keep the stored one. */
  readonly clientSecret?: string;
  /** Scopes to request in addition to those that sign-in needs. At most 20. Default: none. */
  readonly scopes?: readonly string[];
  /** Facts that only some providers need. Default: none. */
  readonly extra?: {
    /** Apple only: team id. */
    readonly teamId?: string;
    /** Apple only: id of the key. */
    readonly keyId?: string;
    /** Microsoft only: tenant id or domain, `organizations`, `consumers` or `common`. Default: common. */
    readonly tenant?: string;
    /** Client ids of apps that send native ID tokens, in addition to clientId. At most 10. Default: none. */
    readonly nativeClientIds?: readonly string[];
  };
}

export interface SsoStartInput {
  /** Email address, whose domain selects the connection. */
  readonly email?: string;
  /** Proven email domain of the connection. */
  readonly domain?: string;
  /** Connection id. */
  readonly connectionId?: string;
  /** Page that the browser returns to, with `code` and `c`. One of the redirectUris of the settings. */
  readonly redirectTo: string;
  /** PKCE code challenge (S256). Only the holder of its verifier can use the resulting code. */
  readonly codeChallenge: string;
  /** Method of the challenge. Default: S256. */
  readonly codeChallengeMethod?: 'S256';
}

export interface SsoConnectionInput {
  /** Name of the connection, such as that of the organization. */
  readonly name: string;
  /** Whether users may sign in with it. Default: true. */
  readonly enabled?: boolean;
  /** Product of the identity provider, which sets the default names of attributes. Default: null. */
  readonly provider?: 'okta' | 'entra' | 'google' | 'keycloak' | 'auth0' | null;
  /** Names of attributes or claims, at most 5 each; the first that is present counts. Default: {}. */
  readonly attributes?: {
    /** Names of the email address. Default: those of the provider. */
    readonly email?: readonly string[];
    /** Names of the display name. Default: those of the provider. */
    readonly name?: readonly string[];
    /** Names of the language. Default: those of the provider. */
    readonly locale?: readonly string[];
    /** Names of the externalId, which becomes the userId of new users. Default: none. */
    readonly externalId?: readonly string[];
    /** Names of the groups. Default: those of the provider. */
    readonly groups?: readonly string[];
  };
  /** Settings of a SAML connection. Default: none. */
  readonly saml?: {
    /** Metadata of the identity provider, in place of entityId, ssoUrl and certificates. At most 256 KB. */
    readonly metadataXml?: string;
    /** Entity id of the identity provider. Can be set once. Default: none until it is known. */
    readonly entityId?: string;
    /** URL of the identity provider for the redirect binding. */
    readonly ssoUrl?: string;
    /** Signing certificates in PEM or base64. During a rotation, the old one and the new one. At most 5. */
    readonly certificates?: readonly string[];
    /**
     * Whether assertions must be encrypted. Beckon then makes a key and puts it into its metadata. Default: false.
     */
    readonly wantEncrypted?: boolean;
    /**
     * Whether the identity provider may start a sign-in. Such a sign-in is not bound to a browser. Default: false.
     */
    readonly idpInitiated?: boolean;
    /** Page that such a sign-in ends at. One of the redirectUris. Default: the first of them. */
    readonly idpInitiatedRedirectTo?: string | null;
  };
  /** Settings of an OpenID Connect connection. Default: none. */
  readonly oidc?: {
    /** Issuer of the provider, as its discovery document states it. */
    readonly issuer: string;
    /** Client id of your app at the provider. */
    readonly clientId: string;
    /** Client secret. Never returned. */
    readonly clientSecret: string;
    /** Scopes to request in addition to openid, email and profile. At most 20. Default: none. */
    readonly scopes?: readonly string[];
  };
}

export interface SsoConnectionPatch {
  /** Name of the connection, such as that of the organization. */
  readonly name?: string;
  /** Whether users may sign in with it. Default: true. */
  readonly enabled?: boolean;
  /** Product of the identity provider, which sets the default names of attributes. Default: null. */
  readonly provider?: 'okta' | 'entra' | 'google' | 'keycloak' | 'auth0' | null;
  /** Names of attributes or claims, at most 5 each; the first that is present counts. Default: {}. */
  readonly attributes?: {
    /** Names of the email address. Default: those of the provider. */
    readonly email?: readonly string[];
    /** Names of the display name. Default: those of the provider. */
    readonly name?: readonly string[];
    /** Names of the language. Default: those of the provider. */
    readonly locale?: readonly string[];
    /** Names of the externalId, which becomes the userId of new users. Default: none. */
    readonly externalId?: readonly string[];
    /** Names of the groups. Default: those of the provider. */
    readonly groups?: readonly string[];
  };
  /** New settings of a SAML connection. A known entity id cannot be changed. */
  readonly saml?: {
    /** Metadata of the identity provider, in place of entityId, ssoUrl and certificates. At most 256 KB. */
    readonly metadataXml?: string;
    /** Entity id of the identity provider. Can be set once. Default: none until it is known. */
    readonly entityId?: string;
    /** URL of the identity provider for the redirect binding. */
    readonly ssoUrl?: string;
    /** Signing certificates in PEM or base64. During a rotation, the old one and the new one. At most 5. */
    readonly certificates?: readonly string[];
    /**
     * Whether assertions must be encrypted. Beckon then makes a key and puts it into its metadata. Default: false.
     */
    readonly wantEncrypted?: boolean;
    /**
     * Whether the identity provider may start a sign-in. Such a sign-in is not bound to a browser. Default: false.
     */
    readonly idpInitiated?: boolean;
    /** Page that such a sign-in ends at. One of the redirectUris. Default: the first of them. */
    readonly idpInitiatedRedirectTo?: string | null;
  };
  /** New settings of an OpenID Connect connection. The issuer cannot be changed. */
  readonly oidc?: {
    /** Client id of your app at the provider. */
    readonly clientId?: string;
    /** Client secret. Never returned. */
    readonly clientSecret?: string;
    /** Scopes to request in addition to openid, email and profile. At most 20. Default: none. */
    readonly scopes?: readonly string[];
  };
}

export interface SsoDomainInput {
  /** Connection that users with addresses of the domain sign in with. */
  readonly connectionId: string;
  /** Email domain, such as example.com. */
  readonly domain: string;
}

export interface SignUpInput extends VerificationInput {
  /** New password. The minimum length is a setting (8 by default), the maximum 1,024 characters. */
  readonly password: string;
  /** Display name. Default: none. */
  readonly name?: string | null;
  /** Language, such as en or pt-BR. Default: none. */
  readonly locale?: string | null;
  /** IANA time zone. Default: none. */
  readonly timezone?: string | null;
  /** Your own data about the user. At most 16 KB; more is cut. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SignInInput {
  /** Email address. */
  readonly email: string;
  /** Password. */
  readonly password: string;
  /** Device token of an earlier sign-in on this device. Default: none. */
  readonly deviceToken?: string;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
}

export interface ForgotPasswordInput {
  /** Email address. */
  readonly email: string;
  /** URL that the link in the email opens. One of the redirectUris of the settings. Default: the first of them. */
  readonly redirectTo?: string;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
}

export interface ResetPasswordInput {
  /** Token of the link in the email. */
  readonly token: string;
  /** New password. The minimum length is a setting (8 by default), the maximum 1,024 characters. */
  readonly password: string;
}

export interface ChangePasswordInput {
  /** Present password. Required if the account has one. */
  readonly currentPassword?: string;
  /** New password. The minimum length is a setting (8 by default), the maximum 1,024 characters. */
  readonly newPassword: string;
}

export interface ReauthenticateInput {
  /** Present password. */
  readonly password?: string;
  /** Code of an authenticator app, or a recovery code. The session then counts as one with two factors. */
  readonly code?: string;
  /** Factor that the code is of. Default: any of the user. */
  readonly factorId?: string;
  /** A passkey of the user. The session then counts as one with two factors. */
  readonly passkey?: {
    /** Id of the challenge, from the options. */
    readonly challengeId: string;
    /** What `navigator.credentials.get` returned, as JSON (`PublicKeyCredential.toJSON`). */
    readonly response: Readonly<Record<string, unknown>>;
  };
  /** Code of the email of POST /auth-service/reauthenticate/email. With challengeId. */
  readonly emailCode?: string;
  /** Challenge id of the email. With emailCode. */
  readonly challengeId?: string;
}

export interface VerificationInput extends ForgotPasswordInput {
  /** PKCE code challenge (S256). Ties the link to the client that requested it. Default: none. */
  readonly codeChallenge?: string;
}

export interface VerifyEmailInput {
  /** Token of the link in the email. Or pass email and code. */
  readonly token?: string;
  /** Email address. */
  readonly email?: string;
  /** Code in the email. With email, in place of token. */
  readonly code?: string;
  /** PKCE code verifier of the sign-up. It keeps the password of the sign-up. */
  readonly codeVerifier?: string;
  /** Password of the sign-up. It keeps the password, as codeVerifier does. */
  readonly password?: string;
}

export interface ChangeEmailInput {
  /** Email address. */
  readonly newEmail: string;
  /** URL that the link in the email opens. One of the redirectUris of the settings. Default: the first of them. */
  readonly redirectTo?: string;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
}

export interface UndoEmailInput {
  /** Token of the link in the email. */
  readonly token: string;
}

export interface RefreshInput {
  /** Refresh token. It works once. */
  readonly refreshToken: string;
  /** Device token of an earlier sign-in on this device. Default: none. */
  readonly deviceToken?: string;
}

export interface LogoutInput {
  /** Which sessions of the user to end. Default: current. */
  readonly scope?: 'current' | 'others' | 'all';
}

export interface MeInput {
  /** Display name. Default: none. */
  readonly name?: string | null;
  /** Language, such as en or pt-BR. Default: none. */
  readonly locale?: string | null;
  /** IANA time zone. Default: none. */
  readonly timezone?: string | null;
  /** Your own data about the user. At most 16 KB; more is cut. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ConfirmFactorInput {
  /** Factor of the enrollment. */
  readonly factorId: string;
  /** Code that the authenticator app shows. */
  readonly code: string;
}

export interface DeleteFactorInput {
  /** Code of an authenticator app, or a recovery code. */
  readonly code?: string;
  /** Present password. In place of code. */
  readonly password?: string;
}

export interface VerifyMfaInput {
  /** Secret of the challenge. */
  readonly token: string;
  /** Code of an authenticator app, or a recovery code. */
  readonly code?: string;
  /** Factor that the code is of. Default: any of the user. */
  readonly factorId?: string;
  /**
   * A passkey in place of code: what `navigator.credentials.get` returned, as JSON (`PublicKeyCredential.toJSON`).
   */
  readonly passkey?: Readonly<Record<string, unknown>>;
}

export interface MfaPasskeyInput {
  /** Secret of the challenge. */
  readonly token: string;
}

export interface PasskeyInput {
  /** Id of the challenge, from the options. */
  readonly challengeId: string;
  /** What `navigator.credentials.create` returned, as JSON (`PublicKeyCredential.toJSON`). */
  readonly response: Readonly<Record<string, unknown>>;
  /** Name that the user sees, 1 to 100 characters. Default: Passkey. */
  readonly name?: string;
}

export interface PasskeyPatch {
  /** Name that the user sees, 1 to 100 characters. */
  readonly name: string;
}

export interface PasskeySignInInput {
  /** Id of the challenge, from the options. */
  readonly challengeId: string;
  /** What `navigator.credentials.get` returned, as JSON (`PublicKeyCredential.toJSON`). */
  readonly response: Readonly<Record<string, unknown>>;
  /** Device token of an earlier sign-in here. Default: none. */
  readonly deviceToken?: string;
}

export interface UserInput extends MeInput {
  /** Email address. */
  readonly email?: string | null;
  /** Whether the address is verified. Default: false. */
  readonly emailVerified?: boolean;
  /** Phone number in E.164 format. Default: none. */
  readonly phone?: string | null;
  /** Your id of the user. Cannot be changed later. Default: none. */
  readonly externalId?: string;
  /** New password. The minimum length is a setting (8 by default), the maximum 1,024 characters. */
  readonly password?: string;
}

export interface UserPatch extends MeInput {
  /** Email address. */
  readonly email?: string | null;
  /**
   * Whether the address is verified. The first verification removes password, identities, second factors and sessions
   * of the account. Omit it to keep the value.
   */
  readonly emailVerified?: boolean;
  /** Phone number in E.164 format. Omit it to keep the value. */
  readonly phone?: string | null;
  /** Whether sign-in is disabled. Omit it to keep the value. */
  readonly disabled?: boolean;
}

export interface ImpersonateInput {
  /** Why somebody acts as the user. Stored in the audit log. */
  readonly reason: string;
}

export interface ClaimsTemplateInput {
  /**
   * Claims by name: at most 32, 3 levels and 8 KB. Texts may hold {{user.*}}, {{trait.*}}, {{org.id}}, {{session.id}}
   * and {{scim.groups}}.
   */
  readonly template: Readonly<Record<string, unknown>>;
}

export interface PreviewClaimsInput {
  /** Template to render. Default: the stored one. */
  readonly template?: Readonly<Record<string, unknown>>;
  /**
   * Account id of a user whose values are rendered, to at most 4 KB. Default: none, and placeholders of the user are
   * empty.
   */
  readonly id?: string;
}

export interface UsersImportInput {
  /** Users, 1 to 1,000. A row that is not valid fails alone. */
  readonly users: readonly {
    /** Account id: a UUIDv7 that no other account has. Ids of other systems go to externalId. Default: a new id. */
    readonly id?: string;
    /** Your id of the user, which becomes the userId of the profile. Cannot be changed later. Default: none. */
    readonly externalId?: string;
    /** Email address. Required without externalId and id. Default: none. */
    readonly email?: string | null;
    /** Whether the address is verified. Default: false. */
    readonly emailVerified?: boolean;
    /** Phone number in E.164 format. Default: none. */
    readonly phone?: string | null;
    /** Display name. Default: none. */
    readonly name?: string | null;
    /** Language, such as en or pt-BR. Default: none. */
    readonly locale?: string | null;
    /** IANA time zone. Default: none. */
    readonly timezone?: string | null;
    /** When the account was created. Default: now. */
    readonly createdAt?: string;
    /**
     * Password hash: bcrypt, argon2, scrypt, Firebase scrypt or PBKDF2 in a usual text form. Becomes argon2id at the
     * first sign-in. Default: no password.
     */
    readonly passwordHash?: string;
    /** Accounts at social providers with which the user signs in. Default: none. */
    readonly identities?: readonly {
      /** Provider, such as google or github. */
      readonly provider: string;
      /** Issuer of the identity. Default: that of the provider. */
      readonly issuer?: string;
      /** Provider's id of the user. */
      readonly subject: string;
      /** Address of the user at the provider. Default: none. */
      readonly email?: string | null;
      /** Whether the provider has verified the address. Default: false. */
      readonly emailVerified?: boolean;
    }[];
    /** Secret of an authenticator app in base32 (SHA-1, 6 digits, 30 s). Default: none. */
    readonly totpSecret?: string;
    /**
     * Passkeys of the user, at most 20. They work for the domain of their registration (passkey.rpId of the
     * settings). Default: none.
     */
    readonly passkeys?: readonly {
      /** Credential id in base64url. */
      readonly credentialId: string;
      /** Public key (COSE) in base64url. */
      readonly publicKey: string;
      /** User handle in base64url, as it was registered. The same for all passkeys of a user. */
      readonly userHandle: string;
      /** COSE algorithm. Default: that of the public key. */
      readonly alg?: number;
      /** Signature counter. Default: 0. */
      readonly counter?: number;
      /** Transports of the authenticator. Default: none. */
      readonly transports?: readonly string[];
      /** Whether the passkey can be backed up: multiDevice. Default: known from the next sign-in on. */
      readonly deviceType?: 'singleDevice' | 'multiDevice';
      /** Whether the passkey is backed up. Default: false. */
      readonly backedUp?: boolean;
      /** Model of the authenticator. Default: none. */
      readonly aaguid?: string | null;
      /** Name that the user gave it. Default: none. */
      readonly name?: string | null;
      /** When it was registered. Default: now. */
      readonly createdAt?: string;
    }[];
    /** Your own data about the user. At most 16 KB; more is cut. Default: none. */
    readonly metadata?: Readonly<Record<string, unknown>>;
    /** Whether sign-in is disabled. Default: false. */
    readonly disabled?: boolean;
  }[];
  /** Hash parameters of a Firebase project, as its console shows them. The signer key is stored encrypted. */
  readonly hashConfig?: {
    /** Signer key in base64. */
    readonly signerKey: string;
    /** Salt separator in base64. Default: none. */
    readonly saltSeparator?: string;
    /** Rounds. Required for hashes without their parameters. */
    readonly rounds?: number;
    /** Memory cost. Required for hashes without their parameters. */
    readonly memoryCost?: number;
  };
  /** How to import. Default: skip users that exist. */
  readonly options?: {
    /** What happens to a row whose user exists: skip, update or fail. Default: skip. */
    readonly onConflict?: 'skip' | 'update' | 'fail';
    /** Whether an update replaces a password that the user has. Default: false. */
    readonly overwritePassword?: boolean;
    /** Whether new users raise user.signed_up, which starts workflows and webhooks. Default: false. */
    readonly emitEvents?: boolean;
  };
}

export interface MagicLinkInput extends ForgotPasswordInput {
  /** PKCE code challenge (S256). The link then works only with its verifier. Default: none. */
  readonly codeChallenge?: string;
  /**
   * Whether an address without an account gets one when the link or code is used. Has no effect while sign-up is
   * disabled. Default: true.
   */
  readonly createUser?: boolean;
}

export interface MagicLinkVerifyInput {
  /** Token of the link in the email. */
  readonly token: string;
  /** PKCE code verifier. Required if the link was requested with a codeChallenge. */
  readonly codeVerifier?: string;
}

export interface EmailOtpInput {
  /** Email address. */
  readonly email: string;
  /**
   * Whether an address without an account gets one when the link or code is used. Has no effect while sign-up is
   * disabled. Default: true.
   */
  readonly createUser?: boolean;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
}

export interface EmailOtpVerifyInput {
  /** Challenge id, from the request for the email. */
  readonly challengeId: string;
  /** Email address. */
  readonly email: string;
  /** Code in the email. Blanks and hyphens are ignored. */
  readonly code: string;
}

export interface GuestInput {
  /** Your own data about the guest. At most 4 KB; more is cut. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** anonymousId of the SDK. Its profile is merged into the profile of the guest. Default: none. */
  readonly anonymousId?: string;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
}

export type GuestUpgradeInput = {
  /** Email address. */
  readonly email: string;
  /** New password. The minimum length is a setting (8 by default), the maximum 1,024 characters. */
  readonly password: string;
  /** URL that the link in the email opens. One of the redirectUris of the settings. Default: the first of them. */
  readonly redirectTo?: string;
  /** PKCE code challenge (S256). Ties the link to the client that requested it. Default: none. */
  readonly codeChallenge?: string;
  /** Response of the captcha widget. Required if the settings have a captcha. Default: none. */
  readonly captchaToken?: string;
} | {
  /** Code of the redirect. It works once, for 60 seconds. */
  readonly code: string;
  /**
   * PKCE code verifier of the client that began the flow. Only a sign-in that an identity provider started has none.
   */
  readonly codeVerifier?: string;
};

export interface AuthSettingsInput {
  /** Who may sign up, and how. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly signup?: {
    /** Whether new users may create accounts (open) or secret keys only (disabled). Default: open. */
    readonly mode?: 'open' | 'disabled';
    /**
     * Whether a sign-up starts a session at once. It then shows whether an address has an account. Default: false.
     */
    readonly autoSignIn?: boolean;
    /** Whether users must verify their email address before they sign in with a password. Default: true. */
    readonly requireVerifiedEmail?: boolean;
    /** Days after which an account that was never verified or used is erased. 1 to 365. Default: 30. */
    readonly unverifiedDays?: number;
  } | null;
  /** Rules of new passwords. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly password?: {
    /** Shortest new password, in characters. 8 to 64. Default: 8. */
    readonly minLength?: number;
  } | null;
  /** Access tokens. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly token?: {
    /** Life of an access token, in seconds. 300 to 3,600. Default: 900. */
    readonly accessTtlSeconds?: number;
    /** Signature algorithm of access tokens. A change begins a rotation of the signing key. Default: ES256. */
    readonly alg?: 'ES256' | 'EdDSA' | 'RS256';
  } | null;
  /** Life and number of sessions. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly session?: {
    /** Days without a refresh after which a session ends. 1 to 365. Default: 30. */
    readonly idleDays?: number;
    /** Days after which a session ends in any case. 1 to 365. Default: 90. */
    readonly absoluteDays?: number;
    /** Sessions per user. A further sign-in ends the oldest session. 1 to 1,000. Default: 100. */
    readonly maxPerUser?: number;
  } | null;
  /**
   * URLs that sign-in may redirect to, compared exactly. At most 50. Default: none. Replaces the stored value; omit
   * it to keep it. Null restores the default.
   */
  readonly redirectUris?: readonly string[] | null;
  /** Guests. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly anonymous?: {
    /** Whether guests may sign in without credentials. Default: false. */
    readonly enabled?: boolean;
    /** Days after which an idle guest is erased. 1 to 365. Default: 90. */
    readonly keepDays?: number;
  } | null;
  /** Second factors. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly mfa?: {
    /**
     * Whether second factors are not used (off), used by users who enroll one (optional), or required of all users.
     * Default: optional.
     */
    readonly mode?: 'off' | 'optional' | 'required';
  } | null;
  /**
   * Links between social sign-ins and existing accounts. Replaces the stored value; omit it to keep it. Null restores
   * the default.
   */
  readonly linking?: {
    /**
     * Social providers whose verified email address links a sign-in to the account with the same verified address.
     * Default: none.
     */
    readonly autoLinkProviders?: readonly ('google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify')[];
  } | null;
  /**
   * Passkeys. Authenticator apps show rpName, too. Replaces the stored value; omit it to keep it. Null restores the
   * default.
   */
  readonly passkey?: {
    /** Domain that passkeys belong to. A change makes existing passkeys useless. Default: the host of publicUrl. */
    readonly rpId?: string | null;
    /** Name that the browser shows for your service. Default: rpId. */
    readonly rpName?: string | null;
    /**
     * Origins of pages and Android apps that use passkeys. At most 5. Origins outside of rpId must be listed in the
     * file /.well-known/webauthn of rpId. Default: the origin of publicUrl.
     */
    readonly origins?: readonly string[];
    /** Whether passkeys work in a frame of another origin. Default: false. */
    readonly allowCrossOrigin?: boolean;
  } | null;
  /** Emails of sign-in. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly mail?: {
    /** Ids of email templates that replace the built-in ones, by kind of email. Default: none. */
    readonly templates?: Readonly<Partial<Record<'verify' | 'exists' | 'magic_link' | 'otp' | 'reset' | 'email_change' | 'reauth' | 'email_changed_notice' | 'mfa_wrong_code' | 'password_changed' | 'mfa_removed' | 'passkey_added', string>>>;
    /** Security notices that users receive. Default: all. */
    readonly notices?: readonly ('email_changed_notice' | 'mfa_wrong_code' | 'password_changed' | 'mfa_removed' | 'passkey_added')[];
    /** Sign-in emails of the project per hour. 1 to 100,000. Default: 3,000. */
    readonly perHour?: number;
  } | null;
  /** Captcha of sign-in. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly captcha?: {
    /** Service that verifies captchaToken on requests that sign up, sign in or send email. Default: none. */
    readonly type?: 'none' | 'turnstile' | 'hcaptcha' | 'recaptcha';
    /** Public key of the widget on your page. Required with a service. Default: none. */
    readonly siteKey?: string | null;
    /** Secret key of the service. Write-only. Omit it to keep the stored one of the same service. */
    readonly secret?: string;
  } | null;
  /** Traits that follow the account. Replaces the stored value; omit it to keep it. Null restores the default. */
  readonly profileTraits?: {
    /** Trait of the profile that follows the account's name. Default: none. */
    readonly name?: string | null;
  } | null;
}

export type StepInput = {
  /** Type of the step. */
  readonly type: 'send_email';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Recipient address. May contain {{variables}}. Default: the run's user. */
    readonly to?: string;
    /** From address. May contain {{variables}}. Default: the provider's from. */
    readonly from?: string;
    /** Reply-To address. May contain {{variables}}. Default: none. */
    readonly replyTo?: string;
    /**
     * Subject, one line. May contain {{variables}}. At most 998 characters. Default: the subject of the template,
     * else empty.
     */
    readonly subject?: string;
    /** Preview line that mail clients show beside the subject. At most 998 characters. Default: none. */
    readonly preheader?: string;
    /** Plain text body. May contain {{variables}}. At most 1 MiB. Default: none. */
    readonly text?: string;
    /** HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml. */
    readonly html?: string;
    /** HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html. */
    readonly bodyHtml?: string;
    /** Subjects and bodies by locale, such as es or pt-BR. Default: none. */
    readonly localized?: Readonly<Record<string, {
      /** Subject in this language. May contain {{variables}}. Default: the subject of the email. */
      readonly subject?: string | '';
      /** Preview line in this language. At most 500 characters. Default: none. */
      readonly preheader?: string;
      /** Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none. */
      readonly text?: string;
      /** HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none. */
      readonly html?: string;
    }>>;
    /** Extra email headers. At most 20. Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Files. At most 20, together at most 700 KiB. Default: none. */
    readonly attachments?: readonly {
      /** File name without folder. 1 to 255 characters. */
      readonly filename: string;
      /** Media type, such as application/pdf. */
      readonly contentType: string;
      /** Content of the file, in base64 with padding. */
      readonly content: string;
      /** Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment. */
      readonly cid?: string | null;
    }[];
    /** Which interactions to track. Default: the email settings. */
    readonly tracking?: {
      /** Whether to track opens. Default: the email setting `tracking.opens`, which is false. */
      readonly opens?: boolean;
      /** Whether to track clicks. Default: the email setting `tracking.clicks`, which is false. */
      readonly clicks?: boolean;
    };
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'send_push';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Title. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly title?: string;
    /** Text. May contain {{variables}}. At most 4,096 characters. Default: none. */
    readonly body?: string;
    /**
     * Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default:
     * none.
     */
    readonly localizedTitle?: Readonly<Record<string, string>>;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>>;
    /** Values for the app. A push with data and without title and body is silent. Default: none. */
    readonly data?: Readonly<Record<string, unknown>>;
    /** Action buttons. At most 4. Default: none. */
    readonly actions?: readonly {
      /** Id of the button, reported as clickAction. 1 to 128 characters, unique in the push. */
      readonly id: string;
      /** Label of the button. May contain {{variables}}. */
      readonly title: string;
      /**
       * URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the
       * app.
       */
      readonly url?: string;
      /** Name of the icon of the button. Default: no icon. */
      readonly icon?: string;
    }[];
    /**
     * Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal
     * alert.
     */
    readonly criticalAlert?: {
      /** Name of the sound file in the app. */
      readonly soundName: string;
      /** Volume from 0 to 1. Default: 1. */
      readonly volume?: number;
    } | null;
    /** Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none. */
    readonly collapseKey?: string;
    /** Groups pushes on the device. At most 128 characters. Default: none. */
    readonly threadId?: string;
    /**
     * Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four
     * weeks).
     */
    readonly ttlSeconds?: number;
    /** Delivery priority. Default: high for a visible push, normal for a silent one. */
    readonly priority?: 'high' | 'normal';
    /** Number on the app icon. Default: unchanged. */
    readonly badge?: number;
    /** Name of the sound. Default: the default sound of the device. */
    readonly sound?: string;
    /** URL of an image, http or https. May contain {{variables}}. Default: no image. */
    readonly imageUrl?: string;
    /** How strongly iOS interrupts the user. critical needs criticalAlert. Default: active. */
    readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical';
    /** Platforms to send to. Tokens that you pass are not filtered. Default: all platforms. */
    readonly platforms?: readonly ('ios' | 'android' | 'web')[];
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'send_sms';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Recipient number. May contain {{variables}}. Default: the run's user. */
    readonly to?: string;
    /**
     * Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes
     * messagingServiceId. Default: the provider's.
     */
    readonly from?: string;
    /** Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's. */
    readonly messagingServiceId?: string;
    /** Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody. */
    readonly body?: string;
    /**
     * Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default:
     * none.
     */
    readonly localizedBody?: Readonly<Record<string, string>>;
    /** URLs of files to attach (MMS), http or https. At most 10. Default: none. */
    readonly mediaUrls?: readonly string[];
    /** Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4. */
    readonly maxSegments?: number;
    /** Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's. */
    readonly validitySeconds?: number;
    /**
     * Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.
     */
    readonly class?: 'marketing' | 'transactional';
    /** Subscription category that users can opt out of. 1 to 128 characters. Default: none. */
    readonly category?: string;
    /** Id of an A/B test of the channel. Each user gets one variant. Default: none. */
    readonly abTestId?: string;
    /**
     * Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.
     */
    readonly templateId?: string;
    /**
     * Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default:
     * none.
     */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'update_profile';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Names of traits to remove. At most 1,000. Default: none. */
    readonly unset?: readonly string[];
    /** Traits to set. Texts may contain {{variables}}. At most 1,000. Default: none. */
    readonly set?: Readonly<Record<string, unknown>>;
    /**
     * Traits to set if the profile does not have them. Texts may contain {{variables}}. At most 1,000. Default: none.
     */
    readonly setOnce?: Readonly<Record<string, unknown>>;
    /** Numbers to add to traits, or templates that give one. At most 1,000. Default: none. */
    readonly increment?: Readonly<Record<string, number | string>>;
    /** Values to add to traits that are lists. At most 1,000. Default: none. */
    readonly append?: Readonly<Record<string, unknown>>;
    /** Values to remove from traits that are lists. At most 1,000. Default: none. */
    readonly remove?: Readonly<Record<string, unknown>>;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'webhook';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** URL to post to. The host must not contain {{variables}}. 1 to 2,048 characters. */
    readonly url: string;
    /** HTTP method. Always POST. */
    readonly method?: 'POST';
    /** Request headers. Values may contain {{variables}} and {{secret.NAME}}. At most 20. Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    /**
     * JSON to post. Texts may contain {{variables}}. At most 20,480 bytes. Default: the event that started the run.
     */
    readonly body?: Readonly<Record<string, unknown>>;
    /** Longest time for one attempt, in seconds. 1 to 10. Default: 10. */
    readonly timeoutSeconds?: number;
    /** Whether to sign the request with the project's secret. Default: true. */
    readonly signing?: boolean;
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'branch';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /**
     * Branches, tried in order; the first whose condition is true is taken. 1 to 100. Exactly one of branches and
     * split.
     */
    readonly branches?: readonly {
      /** Name of the branch, unique in the step. 1 to 200 characters. */
      readonly name: string;
      /**
       * Condition. A leaf such as { trait, op, value } or { path, op, value }, or all, any or not over conditions. An
       * array means all. At most 8 levels and 100 nodes.
       */
      readonly when: ConditionInput;
      /** Steps of the branch. At most 100. */
      readonly steps: readonly StepInput[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    }[];
    /** Branch when no condition is true. Default: none. */
    readonly else?: {
      /** Steps of the branch. At most 100. */
      readonly steps: readonly StepInput[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    };
    /** Branches chosen at random, always the same for a user. 1 to 100. Exactly one of branches and split. */
    readonly split?: readonly {
      /** Name of the branch, unique in the step. 1 to 200 characters. */
      readonly name: string;
      /** Share of users, in percent. 0, or 1 to 100; all weights sum to 100. */
      readonly weight: number;
      /** Steps of the branch. At most 100. */
      readonly steps: readonly StepInput[];
      /** Whether the run ends after these steps. Default: false, it goes on after the branch. */
      readonly exit?: boolean;
    }[];
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'wait';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -. Default: not saved.
     */
    readonly saveAs?: string;
    /** Minutes to wait. At most 525,600. Exactly one of minutes, until, window and event. */
    readonly minutes?: number;
    /**
     * Date to wait for: ISO 8601, unix time, or a template of one. Exactly one of minutes, until, window and event.
     */
    readonly until?: string;
    /** Minutes after until; negative: before it. -525,600 to 525,600. Default: 0. */
    readonly offsetMinutes?: number;
    /** Time zone of a date without a time: user, org or an IANA name. Default: UTC. */
    readonly timezone?: string;
    /** Hours of the day to wait for. Exactly one of minutes, until, window and event. */
    readonly window?: {
      /** Local days on which the window starts. Default: every day. */
      readonly days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
      /** Start of the window, such as 09:00. */
      readonly from: string;
      /** End of the window, such as 17:00. An end before the start is on the next day. */
      readonly to: string;
      /** Time zone: user, org or an IANA name. Default: user. */
      readonly timezone?: string;
    };
    /** Event of the user to wait for. Exactly one of minutes, until, window and event. */
    readonly event?: {
      /** Name of the event. 1 to 128 characters. */
      readonly eventType: string;
      /**
       * Property values that the event must have. Values may contain {{variables}}. Default: any event with the name.
       */
      readonly filters?: Readonly<Record<string, string>>;
      /** Longest wait, in minutes. 1 to 525,600. */
      readonly timeoutMinutes: number;
      /** Whether the run goes on (continue) or ends (exit) without the event. */
      readonly onTimeout: 'continue' | 'exit';
    };
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
} | {
  /** Type of the step. */
  readonly type: 'ai_action';
  /** Settings of the step. */
  readonly config: {
    /** Name of the step, for reports. 1 to 200 characters. Default: none. */
    readonly name?: string;
    /** Whether the run goes on after an error (continue) or ends (stop). Default: continue. */
    readonly onError?: 'continue' | 'stop';
    /** Condition under which the step runs; otherwise it is skipped. Default: always. */
    readonly when?: ConditionInput;
    /**
     * Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _
     * and -.
     */
    readonly saveAs: string;
    /** Task: write a text (generate), choose an option (decide) or find values (extract). */
    readonly flavor: 'generate' | 'decide' | 'extract';
    /** Instruction for the model. May contain {{variables}}. 1 to 16,000 characters. */
    readonly prompt: string;
    /** Name of the model. Default: the organization's model for the flavor. */
    readonly model?: string;
    /** Longest answer, in tokens. 1 to 4,096. Default: 1,024. */
    readonly maxOutputTokens?: number;
    /** Randomness, from 0 to 2. Default: the model's own. */
    readonly temperature?: number;
    /** Options of decide. 2 to 16. Required for decide, else not allowed. */
    readonly options?: readonly {
      /** Name of the option. 1 to 64 characters, unique in the step. */
      readonly name: string;
      /** Explanation for the model. 1 to 500 characters. Default: none. */
      readonly description?: string;
    }[];
    /** Whether the model may choose none of the options. Only for decide. Default: false. */
    readonly fallback?: boolean;
    /** Values that extract finds. Required for extract, else not allowed. */
    readonly schema?: {
      /** Type of the result. Always object. */
      readonly type?: 'object';
      /** Values to extract, by name. 1 to 32. */
      readonly properties: Readonly<Record<string, {
        /** Type of the value. */
        readonly type: 'string' | 'number' | 'integer' | 'boolean';
        /** Explanation for the model. 1 to 500 characters. Default: none. */
        readonly description?: string;
        /** Allowed values, texts or numbers. 1 to 50. Default: any. */
        readonly enum?: readonly (string | number)[];
      }>>;
      /** Names of values that the model must find. Default: none. */
      readonly required?: readonly string[];
      /** Whether other values are allowed. Always false. */
      readonly additionalProperties?: false;
    };
  };
  /** Minutes before the step starts. At most 525,600. Default: 0. */
  readonly delayMinutes?: number;
};

/** Condition of membership. An array means all. */
export type PredicateInput = Predicate | readonly Predicate[];

/** Condition of a step or a branch. */
export type Condition = {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'set' | 'not_set';
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'eq' | 'neq';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'in' | 'not_in';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
  /** Text to look for. 1 to 1,024 characters. */
  readonly value: string;
  /** Whether upper and lower case differ. Default: false. */
  readonly caseSensitive?: boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'gt' | 'gte' | 'lt' | 'lte';
  /** Number to compare with. */
  readonly value: number;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'between';
  /** Smallest and largest number. */
  readonly value: readonly [number, number];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'includes' | 'not_includes';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'includes_any' | 'includes_all';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'before' | 'after';
  /** Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time. */
  readonly value: string | number;
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte';
  /** Version to compare with: one to four numbers with dots between them, such as 2.10.0. */
  readonly value: string;
} | {
  /** Name of the trait, or a built-in field such as user.email. At most 128 characters. */
  readonly trait: string;
  /** Operator. */
  readonly op: 'within_last' | 'within_next' | 'older_than';
  /** Span of time, counted from the present moment. */
  readonly value: {
    /** Number of units. At least 1; at most 36,500 days. */
    readonly n: number;
    /** Unit of time. */
    readonly unit: 'minutes' | 'minute' | 'hours' | 'hour' | 'days' | 'day' | 'weeks' | 'week';
  };
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'set' | 'not_set';
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'eq' | 'neq';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'in' | 'not_in';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
  /** Text to look for. 1 to 1,024 characters. */
  readonly value: string;
  /** Whether upper and lower case differ. Default: false. */
  readonly caseSensitive?: boolean;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'gt' | 'gte' | 'lt' | 'lte';
  /** Number to compare with. */
  readonly value: number;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'between';
  /** Smallest and largest number. */
  readonly value: readonly [number, number];
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'includes' | 'not_includes';
  /** Value to compare with: a text, a number, true or false. */
  readonly value: string | number | boolean;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'includes_any' | 'includes_all';
  /** Values to compare with. 1 to 1,000. */
  readonly value: readonly (string | number | boolean)[];
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'before' | 'after';
  /** Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time. */
  readonly value: string | number;
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte';
  /** Version to compare with: one to four numbers with dots between them, such as 2.10.0. */
  readonly value: string;
} | {
  /** event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters. */
  readonly path: string;
  /** Operator. */
  readonly op: 'within_last' | 'within_next' | 'older_than';
  /** Span of time, counted from the present moment. */
  readonly value: {
    /** Number of units. At least 1; at most 36,500 days. */
    readonly n: number;
    /** Unit of time. */
    readonly unit: 'minutes' | 'minute' | 'hours' | 'hour' | 'days' | 'day' | 'weeks' | 'week';
  };
  /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
  readonly timezone?: string;
} | {
  /** Name of the event. 1 to 128 characters. */
  readonly event: string;
  /** Operator. */
  readonly op: 'performed' | 'not_performed';
  /** How often the event happened. Default: at least once. */
  readonly count?: {
    /** Least number of times. At most 1,000. Default: 1. */
    readonly gte?: number;
    /** Largest number of times. At most 1,000. Default: any. */
    readonly lte?: number;
  };
  /** Span of time before the present moment. Default: ever. */
  readonly within?: {
    /** Number of units. At least 1; at most 36,500 days. */
    readonly n: number;
    /** Unit of time. */
    readonly unit: 'minutes' | 'minute' | 'hours' | 'hour' | 'days' | 'day' | 'weeks' | 'week';
  };
  /** Tests of the properties of one event; all must be true. Default: none. */
  readonly where?: readonly ({
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'set' | 'not_set';
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'eq' | 'neq';
    /** Value to compare with: a text, a number, true or false. */
    readonly value: string | number | boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'in' | 'not_in';
    /** Values to compare with. 1 to 1,000. */
    readonly value: readonly (string | number | boolean)[];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
    /** Text to look for. 1 to 1,024 characters. */
    readonly value: string;
    /** Whether upper and lower case differ. Default: false. */
    readonly caseSensitive?: boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'gt' | 'gte' | 'lt' | 'lte';
    /** Number to compare with. */
    readonly value: number;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'between';
    /** Smallest and largest number. */
    readonly value: readonly [number, number];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'includes' | 'not_includes';
    /** Value to compare with: a text, a number, true or false. */
    readonly value: string | number | boolean;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'includes_any' | 'includes_all';
    /** Values to compare with. 1 to 1,000. */
    readonly value: readonly (string | number | boolean)[];
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'before' | 'after';
    /** Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time. */
    readonly value: string | number;
    /** Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC. */
    readonly timezone?: string;
  } | {
    /** Property of the event; a dot leads into an object. At most 256 characters. */
    readonly path: string;
    /** Operator. */
    readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte';
    /** Version to compare with: one to four numbers with dots between them, such as 2.10.0. */
    readonly value: string;
  })[];
} | {
  /** Id of the audience. */
  readonly audience: string;
  /** Operator. */
  readonly op: 'in' | 'not_in';
} | {
  /** Conditions that must all be true. At least 1. */
  readonly all: readonly Condition[];
} | {
  /** Conditions of which one must be true. At least 1. */
  readonly any: readonly Condition[];
} | {
  /** Condition that must be false. */
  readonly not: Condition;
};

/** Condition of a step or a branch. An array means all. */
export type ConditionInput = Condition | readonly Condition[];

export interface Pagination {
  /** Maximum number of entries per page. */
  readonly limit: number;
  /** Whether another page follows. */
  readonly hasMore: boolean;
  /** Cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** Number of entries in the whole list; only with `count=true`. */
  readonly total?: number;
}

export interface Error {
  /** Always false. */
  readonly success: false;
  /** What failed. */
  readonly error: {
    /** Stable error code. */
    readonly code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'tier_required' | 'FORBIDDEN' | 'scope_required' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PROVIDER_NOT_CONFIGURED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'EXPECTATION_FAILED' | 'INVALID_RANGE' | 'RATE_LIMITED' | 'HEADERS_TOO_LARGE' | 'INTERNAL' | 'DEADLINE_EXCEEDED' | 'OVERLOADED' | 'QUERY_TIMEOUT' | 'LOCK_TIMEOUT';
    /** What failed, in one sentence. */
    readonly message: string;
    /** More about the error, such as `fieldErrors`. */
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** An error of SCIM (RFC 7644, 3.12). */
export interface ScimError {
  /** The schema of errors. */
  readonly schemas: readonly string[];
  /** HTTP status as text. */
  readonly status: string;
  /** Keyword of the error, such as uniqueness. */
  readonly scimType?: string;
  /** What failed, in one sentence. */
  readonly detail: string;
}

/** Each route: what it takes and what its answer holds. */
export type Operations = {
  'GET /events': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; }; readonly answer: readonly EventRecord[] };
  'POST /events': { readonly body: EventInput; readonly query: undefined; readonly answer: Accepted };
  'POST /events/batch': { readonly body: EventBatchInput; readonly query: undefined; readonly answer: BatchAnswer };
  'POST /identify': { readonly body: IdentifyInput; readonly query: undefined; readonly answer: Accepted };
  'GET /events/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ExplainedEvent };
  'GET /profiles': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly userId?: string; }; readonly answer: readonly Profile[] };
  'GET /profiles/{userId}': { readonly body: undefined; readonly query: undefined; readonly answer: Profile };
  'PATCH /profiles/{userId}': { readonly body: ProfileInput; readonly query: undefined; readonly answer: Profile };
  'DELETE /profiles/{userId}': { readonly body: undefined; readonly query: undefined; readonly answer: ErasureRequested };
  'GET /profiles/erasures/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Erasure };
  'GET /profiles/{userId}/events': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; }; readonly answer: readonly EventRecord[] };
  'GET /profiles/{userId}/sends': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly Message[] };
  'GET /profiles/{userId}/subscriptions': { readonly body: undefined; readonly query: undefined; readonly answer: Subscriptions };
  'PUT /profiles/{userId}/subscriptions': { readonly body: SubscriptionsInput; readonly query: undefined; readonly answer: Subscriptions };
  'GET /analytics/overview': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; readonly interval?: 'hour' | 'day' | 'week' | 'month'; readonly timezone?: string; }; readonly answer: Overview };
  'GET /analytics/events': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; readonly interval?: 'hour' | 'day' | 'week' | 'month'; readonly timezone?: string; readonly eventType?: string; readonly groupBy?: 'eventType' | 'module' | 'source'; }; readonly answer: EventCounts };
  'GET /analytics/sends': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; readonly interval?: 'hour' | 'day' | 'week' | 'month'; readonly timezone?: string; readonly channel?: 'push' | 'email' | 'sms'; readonly groupBy?: 'template' | 'workflow' | 'day'; }; readonly answer: SendFigures };
  'POST /analytics/funnel': { readonly body: FunnelInput; readonly query: undefined; readonly answer: Funnel };
  'GET /analytics/retention': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; readonly interval?: 'hour' | 'day' | 'week' | 'month'; readonly timezone?: string; }; readonly answer: Retention };
  'GET /analytics/usage': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; }; readonly answer: Usage };
  'GET /analytics/workflows/{id}': { readonly body: undefined; readonly query: { readonly from?: string; readonly to?: string; readonly interval?: 'hour' | 'day' | 'week' | 'month'; readonly timezone?: string; }; readonly answer: WorkflowFigures };
  'GET /audiences': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly name?: string; readonly kind?: 'dynamic' | 'static'; readonly status?: 'ready' | 'computing'; readonly count?: boolean; }; readonly answer: readonly Audience[] };
  'POST /audiences': { readonly body: AudienceInput; readonly query: undefined; readonly answer: Audience };
  'POST /audiences/preview': { readonly body: PreviewAudienceInput; readonly query: undefined; readonly answer: AudiencePreview };
  'GET /audiences/{id}/explain/{userId}': { readonly body: undefined; readonly query: undefined; readonly answer: AudienceExplanation };
  'GET /audiences/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Audience };
  'PATCH /audiences/{id}': { readonly body: AudiencePatch; readonly query: undefined; readonly answer: Audience };
  'DELETE /audiences/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: AudienceSummary };
  'GET /audiences/{id}/members': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly userId?: string; readonly count?: boolean; }; readonly answer: readonly AudienceMember[] };
  'POST /audiences/{id}/members': { readonly body: MembersInput; readonly query: undefined; readonly answer: MembersAdded };
  'DELETE /audiences/{id}/members': { readonly body: MembersInput; readonly query: undefined; readonly answer: MembersRemoved };
  'POST /audiences/{id}/members/remove': { readonly body: MembersInput; readonly query: undefined; readonly answer: MembersRemoved };
  'GET /automation/workflows/export': { readonly body: undefined; readonly query: undefined; readonly answer: Bundle };
  'POST /automation/workflows/import': { readonly body: BundleInput; readonly query: { readonly dryRun?: boolean; readonly ifMatch?: string; readonly only?: 'create' | 'update'; readonly prune?: boolean; }; readonly answer: ImportAnswer };
  'GET /automation/workflows': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly name?: string; readonly isActive?: boolean; }; readonly answer: readonly WorkflowRow[] };
  'POST /automation/workflows': { readonly body: WorkflowInput; readonly query: undefined; readonly answer: WorkflowSaved };
  'GET /automation/workflows/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: WorkflowRecord };
  'PATCH /automation/workflows/{id}': { readonly body: WorkflowPatch; readonly query: { readonly ifMatch?: string; }; readonly answer: WorkflowSaved };
  'DELETE /automation/workflows/{id}': { readonly body: undefined; readonly query: { readonly ifMatch?: string; }; readonly answer: WorkflowSummary };
  'GET /automation/runs': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'; readonly workflowId?: string; readonly userId?: string; }; readonly answer: readonly Run[] };
  'GET /automation/runs/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: RunWithSteps };
  'POST /automation/runs/{id}/cancel': { readonly body: undefined; readonly query: undefined; readonly answer: RunWithSteps };
  'POST /automation/runs/{id}/retry': { readonly body: undefined; readonly query: undefined; readonly answer: RunWithSteps };
  'POST /automation/workflows/{id}/simulate': { readonly body: SimulateInput; readonly query: undefined; readonly answer: Simulation };
  'GET /automation/secrets': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly WorkflowSecret[] };
  'PUT /automation/secrets/{name}': { readonly body: SecretInput; readonly query: undefined; readonly answer: WorkflowSecret };
  'DELETE /automation/secrets/{name}': { readonly body: undefined; readonly query: undefined; readonly answer: SecretRemoved };
  'GET /automation/ai/settings': { readonly body: undefined; readonly query: undefined; readonly answer: AiSettings };
  'PUT /automation/ai/settings': { readonly body: AiSettingsInput; readonly query: undefined; readonly answer: AiSettings };
  'DELETE /automation/ai/settings': { readonly body: undefined; readonly query: undefined; readonly answer: AiSettings };
  'POST /push/tokens': { readonly body: DeviceInput; readonly query: undefined; readonly answer: PushToken };
  'DELETE /push/tokens/{tokenId}': { readonly body: undefined; readonly query: undefined; readonly answer: PushToken };
  'GET /push/web-config': { readonly body: undefined; readonly query: undefined; readonly answer: WebConfig };
  'POST /push/track-open': { readonly body: PushOpenInput; readonly query: undefined; readonly answer: Reported };
  'POST /push/track-delivered': { readonly body: PushDeliveredInput; readonly query: undefined; readonly answer: Reported };
  'POST /push/send': { readonly body: PushInput; readonly query: undefined; readonly answer: DryRun | Send };
  'POST /push/send-to-audience': { readonly body: PushAudienceInput; readonly query: undefined; readonly answer: DryRun | Send };
  'GET /push/sends': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Send[] };
  'GET /push/sends/delivery-health': { readonly body: undefined; readonly query: undefined; readonly answer: DeliveryHealth };
  'GET /push/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'DELETE /push/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'GET /push/sends/{id}/messages': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'deferred' | 'sending' | 'sent' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Message[] };
  'GET /push/messages/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ExplainedMessage };
  'GET /push/templates': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly name?: string; }; readonly answer: readonly TemplateRow[] };
  'POST /push/templates': { readonly body: PushTemplateInput; readonly query: undefined; readonly answer: PushTemplateSaved };
  'GET /push/templates/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: PushTemplate };
  'PATCH /push/templates/{id}': { readonly body: PushTemplatePatch; readonly query: { readonly ifMatch?: string; }; readonly answer: PushTemplateSaved };
  'DELETE /push/templates/{id}': { readonly body: undefined; readonly query: { readonly ifMatch?: string; }; readonly answer: TemplateSummary };
  'POST /push/templates/{id}/preview': { readonly body: PreviewInput; readonly query: undefined; readonly answer: PushPreview };
  'GET /push/ab-tests': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly count?: boolean; readonly status?: 'running' | 'paused' | 'completed'; }; readonly answer: readonly AbTest[] };
  'POST /push/ab-tests': { readonly body: PushAbTestInput; readonly query: undefined; readonly answer: AbTest };
  'GET /push/ab-tests/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: AbTest };
  'PATCH /push/ab-tests/{id}': { readonly body: PushAbTestPatch; readonly query: undefined; readonly answer: AbTest };
  'GET /push/ab-tests/{id}/stats': { readonly body: undefined; readonly query: undefined; readonly answer: AbTestStats };
  'POST /push/ab-tests/{id}/complete': { readonly body: AbTestCompletion; readonly query: undefined; readonly answer: AbTest };
  'GET /push/settings': { readonly body: undefined; readonly query: undefined; readonly answer: PushSettings };
  'POST /push/settings': { readonly body: PushSettingsInput; readonly query: undefined; readonly answer: PushSettings };
  'PUT /push/settings': { readonly body: PushSettingsInput; readonly query: undefined; readonly answer: PushSettings };
  'POST /push/settings/test': { readonly body: undefined; readonly query: undefined; readonly answer: ProviderTests };
  'GET /push/geofences/sync': { readonly body: undefined; readonly query: { readonly lat: number; readonly lng: number; readonly limit?: number; }; readonly answer: NearGeofences };
  'POST /push/geofences/event': { readonly body: GeofenceEventInput; readonly query: undefined; readonly answer: Reported };
  'GET /push/geofences': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly Geofence[] };
  'POST /push/geofences': { readonly body: GeofenceInput; readonly query: undefined; readonly answer: Geofence };
  'GET /push/geofences/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Geofence };
  'PATCH /push/geofences/{id}': { readonly body: GeofencePatch; readonly query: undefined; readonly answer: Geofence };
  'DELETE /push/geofences/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Geofence };
  'POST /push/live-activities/start-token': { readonly body: ActivityTokenInput; readonly query: undefined; readonly answer: ActivityTokenSaved };
  'POST /push/live-activities/start': { readonly body: ActivityStartInput; readonly query: undefined; readonly answer: ActivityStarted };
  'PATCH /push/live-activities/{externalId}': { readonly body: ActivityUpdateInput; readonly query: undefined; readonly answer: ActivityResult };
  'DELETE /push/live-activities/{externalId}': { readonly body: undefined; readonly query: undefined; readonly answer: ActivityResult };
  'POST /push/live-activities/{externalId}/end': { readonly body: ActivityEndInput; readonly query: undefined; readonly answer: ActivityResult };
  'GET /push/live-activities': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly userId?: string; readonly activityType?: string; readonly status?: 'active' | 'stale' | 'ended' | 'invalidated'; }; readonly answer: readonly LiveActivity[] };
  'POST /email/send': { readonly body: EmailInput; readonly query: undefined; readonly answer: DryRun | Send };
  'POST /email/send-to-audience': { readonly body: EmailAudienceInput; readonly query: undefined; readonly answer: DryRun | Send };
  'GET /email/sends': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Send[] };
  'GET /email/sends/delivery-health': { readonly body: undefined; readonly query: undefined; readonly answer: DeliveryHealth };
  'GET /email/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'DELETE /email/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'GET /email/sends/{id}/messages': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'deferred' | 'sending' | 'sent' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Message[] };
  'GET /email/messages/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ExplainedMessage };
  'GET /email/templates': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly name?: string; }; readonly answer: readonly TemplateRow[] };
  'POST /email/templates': { readonly body: EmailTemplateInput; readonly query: undefined; readonly answer: EmailTemplateSaved };
  'GET /email/templates/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: EmailTemplate };
  'PATCH /email/templates/{id}': { readonly body: EmailTemplatePatch; readonly query: { readonly ifMatch?: string; }; readonly answer: EmailTemplateSaved };
  'DELETE /email/templates/{id}': { readonly body: undefined; readonly query: { readonly ifMatch?: string; }; readonly answer: TemplateSummary };
  'POST /email/templates/{id}/preview': { readonly body: PreviewInput; readonly query: undefined; readonly answer: EmailPreview };
  'GET /email/ab-tests': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly count?: boolean; readonly status?: 'running' | 'paused' | 'completed'; }; readonly answer: readonly AbTest[] };
  'POST /email/ab-tests': { readonly body: EmailAbTestInput; readonly query: undefined; readonly answer: AbTest };
  'GET /email/ab-tests/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: AbTest };
  'PATCH /email/ab-tests/{id}': { readonly body: EmailAbTestPatch; readonly query: undefined; readonly answer: AbTest };
  'GET /email/ab-tests/{id}/stats': { readonly body: undefined; readonly query: undefined; readonly answer: AbTestStats };
  'POST /email/ab-tests/{id}/complete': { readonly body: AbTestCompletion; readonly query: undefined; readonly answer: AbTest };
  'GET /email/settings': { readonly body: undefined; readonly query: undefined; readonly answer: EmailSettings };
  'POST /email/settings': { readonly body: EmailSettingsInput; readonly query: undefined; readonly answer: EmailSettings };
  'PUT /email/settings': { readonly body: EmailSettingsInput; readonly query: undefined; readonly answer: EmailSettings };
  'POST /email/settings/test': { readonly body: undefined; readonly query: undefined; readonly answer: ProviderTests };
  'GET /email/suppressions': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly address?: string; readonly reason?: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual'; }; readonly answer: readonly Suppression[] };
  'POST /email/suppressions': { readonly body: EmailSuppressionInput; readonly query: undefined; readonly answer: SuppressionsAdded };
  'DELETE /email/suppressions': { readonly body: EmailSuppressionRemovalInput; readonly query: undefined; readonly answer: SuppressionsRemoved };
  'POST /email/suppressions/remove': { readonly body: EmailSuppressionRemovalInput; readonly query: undefined; readonly answer: SuppressionsRemoved };
  'GET /email/domains': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly EmailDomain[] };
  'POST /email/domains': { readonly body: EmailDomainInput; readonly query: undefined; readonly answer: EmailDomain };
  'GET /email/domains/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: EmailDomain };
  'DELETE /email/domains/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: EmailDomain };
  'POST /email/domains/{id}/verify': { readonly body: undefined; readonly query: undefined; readonly answer: EmailDomainChecked };
  'GET /email/o/{token}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /email/c/{token}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /unsubscribe/{token}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'POST /unsubscribe/{token}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'POST /sms/send': { readonly body: SmsInput; readonly query: undefined; readonly answer: SmsDryRun | SmsSend };
  'POST /sms/send-to-audience': { readonly body: SmsAudienceInput; readonly query: undefined; readonly answer: SmsDryRun | SmsSend };
  'GET /sms/sends': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Send[] };
  'GET /sms/sends/delivery-health': { readonly body: undefined; readonly query: undefined; readonly answer: DeliveryHealth };
  'GET /sms/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'DELETE /sms/sends/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Send };
  'GET /sms/sends/{id}/messages': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'queued' | 'deferred' | 'sending' | 'sent' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'cancelled'; readonly userId?: string; }; readonly answer: readonly Message[] };
  'GET /sms/messages/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ExplainedMessage };
  'GET /sms/templates': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly name?: string; }; readonly answer: readonly TemplateRow[] };
  'POST /sms/templates': { readonly body: SmsTemplateInput; readonly query: undefined; readonly answer: SmsTemplateSaved };
  'GET /sms/templates/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SmsTemplate };
  'PATCH /sms/templates/{id}': { readonly body: SmsTemplatePatch; readonly query: { readonly ifMatch?: string; }; readonly answer: SmsTemplateSaved };
  'DELETE /sms/templates/{id}': { readonly body: undefined; readonly query: { readonly ifMatch?: string; }; readonly answer: TemplateSummary };
  'POST /sms/templates/{id}/preview': { readonly body: PreviewInput; readonly query: undefined; readonly answer: SmsPreview };
  'GET /sms/ab-tests': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly count?: boolean; readonly status?: 'running' | 'paused' | 'completed'; }; readonly answer: readonly AbTest[] };
  'POST /sms/ab-tests': { readonly body: SmsAbTestInput; readonly query: undefined; readonly answer: AbTest };
  'GET /sms/ab-tests/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: AbTest };
  'PATCH /sms/ab-tests/{id}': { readonly body: SmsAbTestPatch; readonly query: undefined; readonly answer: AbTest };
  'GET /sms/ab-tests/{id}/stats': { readonly body: undefined; readonly query: undefined; readonly answer: AbTestStats };
  'POST /sms/ab-tests/{id}/complete': { readonly body: AbTestCompletion; readonly query: undefined; readonly answer: AbTest };
  'GET /sms/settings': { readonly body: undefined; readonly query: undefined; readonly answer: SmsSettings };
  'POST /sms/settings': { readonly body: SmsSettingsInput; readonly query: undefined; readonly answer: SmsSettings };
  'PUT /sms/settings': { readonly body: SmsSettingsInput; readonly query: undefined; readonly answer: SmsSettings };
  'POST /sms/settings/test': { readonly body: undefined; readonly query: undefined; readonly answer: ProviderTests };
  'GET /sms/suppressions': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly address?: string; readonly reason?: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual'; readonly sender?: string; }; readonly answer: readonly Suppression[] };
  'POST /sms/suppressions': { readonly body: SmsSuppressionInput; readonly query: undefined; readonly answer: SuppressionsAdded };
  'DELETE /sms/suppressions': { readonly body: SmsSuppressionRemovalInput; readonly query: undefined; readonly answer: SuppressionsRemoved };
  'POST /sms/suppressions/remove': { readonly body: SmsSuppressionRemovalInput; readonly query: undefined; readonly answer: SuppressionsRemoved };
  'POST /email/webhooks/{provider}': { readonly body: undefined; readonly query: undefined; readonly answer: CallbackCounts };
  'POST /sms/webhooks/{provider}/{orgId}': { readonly body: undefined; readonly query: undefined; readonly answer: CallbackCounts };
  'GET /webhooks': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly count?: boolean; }; readonly answer: readonly Webhook[] };
  'POST /webhooks': { readonly body: WebhookInput; readonly query: undefined; readonly answer: WebhookWithSecret };
  'GET /webhooks/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Webhook };
  'PATCH /webhooks/{id}': { readonly body: WebhookPatch; readonly query: undefined; readonly answer: Webhook };
  'DELETE /webhooks/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: Webhook };
  'POST /webhooks/{id}/rotate-secret': { readonly body: SecretRotation; readonly query: undefined; readonly answer: WebhookWithSecret };
  'POST /webhooks/{id}/test': { readonly body: undefined; readonly query: undefined; readonly answer: WebhookDeliveryRead };
  'GET /webhooks/{id}/deliveries': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly status?: 'pending' | 'held' | 'delivered' | 'failed' | 'cancelled'; readonly eventType?: string; }; readonly answer: readonly WebhookDelivery[] };
  'POST /webhooks/{id}/recover': { readonly body: WebhookRecovery; readonly query: undefined; readonly answer: Recovered };
  'GET /webhooks/deliveries/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: WebhookDeliveryRead };
  'POST /webhooks/deliveries/{id}/replay': { readonly body: undefined; readonly query: undefined; readonly answer: WebhookDeliveryRead };
  'POST /auth-service/signup': { readonly body: SignUpInput; readonly query: undefined; readonly answer: SignedUp };
  'POST /auth-service/login': { readonly body: SignInInput; readonly query: undefined; readonly answer: AuthResult };
  'POST /auth-service/password/forgot': { readonly body: ForgotPasswordInput; readonly query: undefined; readonly answer: AuthMailSent };
  'POST /auth-service/password/reset': { readonly body: ResetPasswordInput; readonly query: undefined; readonly answer: AuthResult };
  'POST /auth-service/password/change': { readonly body: ChangePasswordInput; readonly query: undefined; readonly answer: SessionsRevoked };
  'POST /auth-service/reauthenticate': { readonly body: ReauthenticateInput; readonly query: undefined; readonly answer: TokenSet };
  'POST /auth-service/email/verification': { readonly body: VerificationInput; readonly query: undefined; readonly answer: AuthMailSent };
  'POST /auth-service/email/verify': { readonly body: VerifyEmailInput; readonly query: undefined; readonly answer: EmailVerified };
  'POST /auth-service/email/change': { readonly body: ChangeEmailInput; readonly query: undefined; readonly answer: AuthMailSent };
  'POST /auth-service/email/change/undo': { readonly body: UndoEmailInput; readonly query: undefined; readonly answer: EmailRestored };
  'POST /auth-service/token/refresh': { readonly body: RefreshInput; readonly query: undefined; readonly answer: TokenSet };
  'POST /auth-service/logout': { readonly body: LogoutInput; readonly query: undefined; readonly answer: SessionsRevoked };
  'GET /auth-service/sessions': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Session[] };
  'DELETE /auth-service/sessions/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SessionsRevoked };
  'GET /auth-service/me': { readonly body: undefined; readonly query: undefined; readonly answer: User };
  'PATCH /auth-service/me': { readonly body: MeInput; readonly query: undefined; readonly answer: User };
  'DELETE /auth-service/me': { readonly body: undefined; readonly query: undefined; readonly answer: AuthUserDeleted };
  'GET /auth-service/.well-known/jwks.json': { readonly body: undefined; readonly query: undefined; readonly answer: AuthJwks };
  'POST /auth-service/login/magic-link': { readonly body: MagicLinkInput; readonly query: undefined; readonly answer: AuthChallengeSent };
  'POST /auth-service/login/magic-link/verify': { readonly body: MagicLinkVerifyInput; readonly query: undefined; readonly answer: AuthResult };
  'POST /auth-service/login/email-otp': { readonly body: EmailOtpInput; readonly query: undefined; readonly answer: AuthChallengeSent };
  'POST /auth-service/login/email-otp/verify': { readonly body: EmailOtpVerifyInput; readonly query: undefined; readonly answer: AuthResult };
  'POST /auth-service/reauthenticate/email': { readonly body: undefined; readonly query: undefined; readonly answer: AuthChallengeSent };
  'POST /auth-service/login/anonymous': { readonly body: GuestInput; readonly query: undefined; readonly answer: AuthResult };
  'POST /auth-service/anonymous/upgrade': { readonly body: GuestUpgradeInput; readonly query: undefined; readonly answer: GuestUpgraded };
  'GET /auth-service/users': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly email?: string; readonly userId?: string; readonly disabled?: 'true' | 'false'; readonly source?: 'signup' | 'admin' | 'import' | 'social' | 'sso' | 'scim' | 'anonymous'; }; readonly answer: readonly User[] };
  'POST /auth-service/users': { readonly body: UserInput; readonly query: undefined; readonly answer: User };
  'POST /auth-service/users/bulk-import': { readonly body: UsersImportInput; readonly query: undefined; readonly answer: UsersImported };
  'GET /auth-service/users/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: User };
  'PATCH /auth-service/users/{id}': { readonly body: UserPatch; readonly query: undefined; readonly answer: User };
  'DELETE /auth-service/users/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: AuthUserDeleted };
  'GET /auth-service/users/{id}/sessions': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Session[] };
  'POST /auth-service/users/{id}/sessions/revoke': { readonly body: undefined; readonly query: undefined; readonly answer: SessionsRevoked };
  'POST /auth-service/users/{id}/send-reset': { readonly body: undefined; readonly query: undefined; readonly answer: AuthMailSent };
  'POST /auth-service/users/{id}/impersonate': { readonly body: ImpersonateInput; readonly query: undefined; readonly answer: Impersonation };
  'GET /auth-service/settings': { readonly body: undefined; readonly query: undefined; readonly answer: AuthSettings };
  'PUT /auth-service/settings': { readonly body: AuthSettingsInput; readonly query: undefined; readonly answer: AuthSettings };
  'GET /auth-service/signing-keys': { readonly body: undefined; readonly query: undefined; readonly answer: readonly AuthSigningKey[] };
  'POST /auth-service/signing-keys/rotate': { readonly body: undefined; readonly query: undefined; readonly answer: readonly AuthSigningKey[] };
  'GET /auth-service/audit': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly actor?: string; readonly action?: string; readonly target?: string; readonly result?: string; }; readonly answer: readonly AuthAuditEntry[] };
  'GET /auth-service/config': { readonly body: undefined; readonly query: undefined; readonly answer: AuthConfig };
  'GET /auth-service/jwt-template': { readonly body: undefined; readonly query: undefined; readonly answer: ClaimsTemplate };
  'PUT /auth-service/jwt-template': { readonly body: ClaimsTemplateInput; readonly query: undefined; readonly answer: ClaimsTemplate };
  'DELETE /auth-service/jwt-template': { readonly body: undefined; readonly query: undefined; readonly answer: ClaimsTemplate };
  'POST /auth-service/jwt-template/preview': { readonly body: PreviewClaimsInput; readonly query: undefined; readonly answer: ClaimsPreview };
  'GET /auth-service/projects/{projectId}/{environment}/.well-known/jwks.json': { readonly body: undefined; readonly query: undefined; readonly answer: AuthJwks };
  'GET /auth-service/projects/{projectId}/{environment}/.well-known/openid-configuration': { readonly body: undefined; readonly query: undefined; readonly answer: AuthOpenIdConfiguration };
  'GET /auth-service/scim/v2/Users': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; readonly filter?: string; readonly startIndex?: number; readonly count?: number; }; readonly answer: unknown };
  'POST /auth-service/scim/v2/Users': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'POST /auth-service/scim/v2/Users/.search': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/Users/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'PUT /auth-service/scim/v2/Users/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'PATCH /auth-service/scim/v2/Users/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'DELETE /auth-service/scim/v2/Users/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/Groups': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; readonly filter?: string; readonly startIndex?: number; readonly count?: number; }; readonly answer: unknown };
  'POST /auth-service/scim/v2/Groups': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'POST /auth-service/scim/v2/Groups/.search': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/Groups/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'PUT /auth-service/scim/v2/Groups/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'PATCH /auth-service/scim/v2/Groups/{id}': { readonly body: undefined; readonly query: { readonly attributes?: string; readonly excludedAttributes?: string; }; readonly answer: unknown };
  'DELETE /auth-service/scim/v2/Groups/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'POST /auth-service/scim/v2/.search': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/ServiceProviderConfig': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/ResourceTypes': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/ResourceTypes/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/Schemas': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/v2/Schemas/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/scim/directories': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; }; readonly answer: readonly ScimDirectory[] };
  'POST /auth-service/scim/directories': { readonly body: ScimDirectoryInput; readonly query: undefined; readonly answer: ScimDirectory };
  'GET /auth-service/scim/directories/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ScimDirectory };
  'PATCH /auth-service/scim/directories/{id}': { readonly body: ScimDirectoryPatch; readonly query: undefined; readonly answer: ScimDirectory };
  'DELETE /auth-service/scim/directories/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ScimDirectoryDeleted };
  'GET /auth-service/scim/tokens': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly count?: boolean; readonly directoryId?: string; }; readonly answer: readonly ScimToken[] };
  'POST /auth-service/scim/tokens': { readonly body: ScimTokenInput; readonly query: undefined; readonly answer: NewScimToken };
  'DELETE /auth-service/scim/tokens/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: ScimTokenDeleted };
  'POST /auth-service/login/social': { readonly body: SocialSignInInput; readonly query: undefined; readonly answer: SocialSignIn };
  'GET /auth-service/login/social/providers': { readonly body: undefined; readonly query: undefined; readonly answer: readonly SocialProviderEnabled[] };
  'POST /auth-service/token/exchange': { readonly body: CodeExchangeInput; readonly query: undefined; readonly answer: CodeExchanged };
  'GET /auth-service/identities': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Identity[] };
  'POST /auth-service/identities/link': { readonly body: LinkIdentityInput; readonly query: undefined; readonly answer: SocialStarted };
  'DELETE /auth-service/identities/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: IdentityUnlinked };
  'GET /auth-service/login/social/callback/{provider}': { readonly body: undefined; readonly query: { readonly state?: string; readonly code?: string; readonly iss?: string; readonly error?: string; }; readonly answer: unknown };
  'POST /auth-service/login/social/callback/{provider}': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/social/providers': { readonly body: undefined; readonly query: undefined; readonly answer: readonly SocialProviderSettings[] };
  'GET /auth-service/social/providers/{provider}': { readonly body: undefined; readonly query: undefined; readonly answer: SocialProviderSettings };
  'PUT /auth-service/social/providers/{provider}': { readonly body: SocialProviderInput; readonly query: undefined; readonly answer: SocialProviderSettings };
  'DELETE /auth-service/social/providers/{provider}': { readonly body: undefined; readonly query: undefined; readonly answer: SocialProviderDeleted };
  'GET /auth-service/users/{id}/identities': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Identity[] };
  'POST /auth-service/sso/start': { readonly body: SsoStartInput; readonly query: undefined; readonly answer: SsoStarted };
  'GET /auth-service/sso/oidc/{connectionId}/callback': { readonly body: undefined; readonly query: { readonly state?: string; readonly code?: string; readonly iss?: string; readonly error?: string; }; readonly answer: unknown };
  'POST /auth-service/sso/saml/{orgId}/acs': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /auth-service/sso/saml/{orgId}/metadata': { readonly body: undefined; readonly query: { readonly connectionId?: string; }; readonly answer: unknown };
  'GET /auth-service/sso/connections': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly SsoConnection[] };
  'POST /auth-service/sso/connections': { readonly body: SsoConnectionInput; readonly query: undefined; readonly answer: SsoConnection };
  'GET /auth-service/sso/connections/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SsoConnection };
  'PATCH /auth-service/sso/connections/{id}': { readonly body: SsoConnectionPatch; readonly query: undefined; readonly answer: SsoConnection };
  'DELETE /auth-service/sso/connections/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SsoConnectionDeleted };
  'GET /auth-service/sso/domains': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly SsoDomain[] };
  'POST /auth-service/sso/domains': { readonly body: SsoDomainInput; readonly query: undefined; readonly answer: SsoDomain };
  'GET /auth-service/sso/domains/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SsoDomain };
  'DELETE /auth-service/sso/domains/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: SsoDomainDeleted };
  'POST /auth-service/sso/domains/{id}/verify': { readonly body: undefined; readonly query: undefined; readonly answer: SsoDomainChecked };
  'POST /auth-service/mfa/challenge/{id}/verify': { readonly body: VerifyMfaInput; readonly query: undefined; readonly answer: TokenSet };
  'GET /auth-service/mfa/factors': { readonly body: undefined; readonly query: undefined; readonly answer: readonly MfaFactor[] };
  'DELETE /auth-service/mfa/factors/{id}': { readonly body: DeleteFactorInput; readonly query: undefined; readonly answer: FactorDeleted };
  'POST /auth-service/mfa/totp/enroll': { readonly body: undefined; readonly query: undefined; readonly answer: MfaEnrollment };
  'POST /auth-service/mfa/totp/confirm': { readonly body: ConfirmFactorInput; readonly query: undefined; readonly answer: MfaConfirmed };
  'POST /auth-service/mfa/recovery-codes': { readonly body: undefined; readonly query: undefined; readonly answer: RecoveryCodes };
  'GET /auth-service/users/{id}/factors': { readonly body: undefined; readonly query: undefined; readonly answer: MfaStatus };
  'POST /auth-service/users/{id}/mfa/reset': { readonly body: undefined; readonly query: undefined; readonly answer: MfaReset };
  'POST /auth-service/login/passkey/options': { readonly body: undefined; readonly query: undefined; readonly answer: PasskeyRequest };
  'POST /auth-service/login/passkey/verify': { readonly body: PasskeySignInInput; readonly query: undefined; readonly answer: TokenSet };
  'POST /auth-service/passkeys/options': { readonly body: undefined; readonly query: undefined; readonly answer: PasskeyRegistration };
  'GET /auth-service/passkeys': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Passkey[] };
  'POST /auth-service/passkeys': { readonly body: PasskeyInput; readonly query: undefined; readonly answer: Passkey };
  'PATCH /auth-service/passkeys/{id}': { readonly body: PasskeyPatch; readonly query: undefined; readonly answer: Passkey };
  'DELETE /auth-service/passkeys/{id}': { readonly body: undefined; readonly query: undefined; readonly answer: PasskeyDeleted };
  'POST /auth-service/reauthenticate/passkey/options': { readonly body: undefined; readonly query: undefined; readonly answer: PasskeyRequest };
  'POST /auth-service/mfa/challenge/{id}/passkey-options': { readonly body: MfaPasskeyInput; readonly query: undefined; readonly answer: MfaPasskeyRequest };
  'GET /auth-service/users/{id}/passkeys': { readonly body: undefined; readonly query: undefined; readonly answer: readonly Passkey[] };
  'GET /sandbox/messages': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; readonly channel?: 'push' | 'email' | 'sms'; readonly userId?: string; }; readonly answer: readonly OutboxMessage[] };
  'GET /api-keys': { readonly body: undefined; readonly query: { readonly limit?: number; readonly cursor?: string; }; readonly answer: readonly ApiKey[] };
  'GET /openapi.json': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
  'GET /': { readonly body: undefined; readonly query: undefined; readonly answer: Service };
  'GET /healthz': { readonly body: undefined; readonly query: undefined; readonly answer: Alive };
  'GET /readyz': { readonly body: undefined; readonly query: undefined; readonly answer: Health };
  'GET /beckon-sw.js': { readonly body: undefined; readonly query: undefined; readonly answer: unknown };
};
