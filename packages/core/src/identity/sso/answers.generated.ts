// Made of the schemas in answers.ts by `npm run openapi`.

/** Signing certificate of an identity provider. */
export interface SsoCertificate {
  /** Certificate in PEM. */
  readonly pem: string;
  /** SHA-256 of the certificate, as identity providers show it. */
  readonly fingerprint: string;
  /** Afterwards its signatures are refused. */
  readonly expiresAt: Date;
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
  readonly createdAt: Date;
  /** When the connection last changed. */
  readonly updatedAt: Date;
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
  readonly createdAt: Date;
  /** When the record was first found; null: not proven. */
  readonly verifiedAt: Date | null;
  /** When the record was last looked up; null: never. */
  readonly checkedAt: Date | null;
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

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly SsoCertificate: SsoCertificate;
  readonly SsoSaml: SsoSaml;
  readonly SsoOidc: SsoOidc;
  readonly SsoConnectionDomain: SsoConnectionDomain;
  readonly SsoConnection: SsoConnection;
  readonly SsoConnectionDeleted: SsoConnectionDeleted;
  readonly SsoDomain: SsoDomain;
  readonly SsoDomainChecked: SsoDomainChecked;
  readonly SsoDomainDeleted: SsoDomainDeleted;
  readonly SsoStarted: SsoStarted;
}
