// Settings of a connection as they are stored, and the names under which identity providers send what accounts need.

export const CONNECTION_TYPES = ['saml', 'oidc'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

export type SamlSettings = {
  /** URL of the identity provider for the redirect binding; null: not known yet. */
  readonly ssoUrl: string | null;
  /** True if assertions must be encrypted; false if they must not be. */
  readonly wantEncrypted: boolean;
  /** Certificate of the key that decrypts assertions, in PEM; null: none was made. */
  readonly encryptionCertificate: string | null;
  /** Whether the identity provider may start a sign-in. */
  readonly idpInitiated: boolean;
  /** Where such a sign-in ends; null: the first redirect address of the settings. */
  readonly idpInitiatedRedirectTo: string | null;
};

export type OidcSettings = {
  /** Never changes: identities are found by it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Requested in addition to openid, email and profile. */
  readonly scopes: readonly string[];
};

/** What an identity provider states of a user and accounts take over. */
export const ATTRIBUTES = ['email', 'name', 'locale', 'externalId', 'groups'] as const;
export type AttributeName = (typeof ATTRIBUTES)[number];

/** Names of attributes or claims, by what they hold. The first that is present counts. */
export type AttributeNames = Readonly<{ [Name in AttributeName]?: readonly string[] | undefined }>;

/** Products with their own names of attributes. */
export const IDP_PRESETS = ['okta', 'entra', 'google', 'keycloak', 'auth0'] as const;
export type IdpPreset = (typeof IDP_PRESETS)[number];

/** In place of an attribute: the subject of the assertion. */
export const NAME_ID = 'NameID';

const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const MICROSOFT = 'http://schemas.microsoft.com';
/** X.500 attributes, as Keycloak, Shibboleth and others name them. */
const MAIL_OID = 'urn:oid:0.9.2342.19200300.100.1.3';
const MAIL_OID_OLD = 'urn:oid:1.2.840.113549.1.9.1';
const DISPLAY_NAME_OID = 'urn:oid:2.16.840.1.113730.3.1.241';

type Names = Readonly<Record<Exclude<AttributeName, 'externalId'>, readonly string[]>>;

const ANY_SAML: Names = {
  email: ['email', 'mail', `${SOAP}/emailaddress`, MAIL_OID, MAIL_OID_OLD, NAME_ID],
  name: ['name', 'displayName', `${SOAP}/name`, DISPLAY_NAME_OID],
  locale: ['locale', 'preferredLanguage'],
  groups: ['groups'],
};
const SAML: Readonly<Record<IdpPreset, Names>> = {
  okta: {
    email: ['email', NAME_ID],
    name: ['name', 'displayName'],
    locale: ['locale'],
    groups: ['groups'],
  },
  entra: {
    // The claim `name` is the user principal name, which may be an address that receives no email.
    email: [`${SOAP}/emailaddress`],
    name: [`${MICROSOFT}/identity/claims/displayname`],
    locale: ['locale'],
    groups: [`${MICROSOFT}/ws/2008/06/identity/claims/groups`],
  },
  google: { email: ['email', NAME_ID], name: ['name'], locale: ['locale'], groups: ['groups'] },
  keycloak: {
    email: ['email', MAIL_OID_OLD],
    name: ['name'],
    locale: ['locale'],
    groups: ['groups', 'member'],
  },
  auth0: {
    email: [`${SOAP}/emailaddress`],
    name: [`${SOAP}/name`],
    locale: ['http://schemas.auth0.com/locale'],
    groups: ['http://schemas.xmlsoap.org/claims/Group'],
  },
};
const OIDC: Names = { email: ['email'], name: ['name'], locale: ['locale'], groups: ['groups'] };

/**
 * The names that a connection reads, in the order in which they are tried. `externalId` has no default: it becomes the
 * user's `userId`, so only an operator decides who may state it.
 */
export const attributeNamesOf = ({
  type,
  provider,
  attributes,
}: {
  readonly type: ConnectionType;
  readonly provider: IdpPreset | null;
  readonly attributes: AttributeNames;
}): Readonly<Record<AttributeName, readonly string[]>> => {
  const defaults = type === 'oidc' ? OIDC : provider === null ? ANY_SAML : SAML[provider];
  const { email = defaults.email, name = defaults.name, locale = defaults.locale } = attributes;
  const { externalId = [], groups = defaults.groups } = attributes;
  return { email, name, locale, externalId, groups };
};
