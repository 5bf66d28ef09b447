/** Social providers. Source: authentication design, Social providers. */
export const SOCIAL_PROVIDERS = [
  'google',
  'apple',
  'microsoft',
  'facebook',
  'github',
  'gitlab',
  'discord',
  'linkedin',
  'x',
  'twitch',
  'slack',
  'spotify',
] as const;
export type SocialProvider = (typeof SOCIAL_PROVIDERS)[number];

/** URLs of a provider. `{tenant}` is replaced by the Microsoft tenant. */
export type ProviderEndpoints = {
  /** OIDC: `iss` of its ID tokens. OAuth 2.0: the text that identities store, which is never compared. */
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  /** Signing keys of ID tokens. */
  readonly jwks?: string;
  readonly userinfo?: string;
  /** A second call for the email addresses of a user. */
  readonly emails?: string;
};
