// The social providers: their endpoints, what they support, and where they differ from the standards.

import { createHmac } from 'node:crypto';
import { memberAt } from '../../foundation/json.ts';
import type { ProviderEndpoints, SocialProvider } from '../auth-settings/social-providers.ts';
import type { Claims, IdentityFields } from './identity.ts';

/** How a provider works. */
export type ProviderDefinition = {
  /** `oidc`: a signed ID token states the identity. `oauth2`: an API does. */
  readonly kind: 'oidc' | 'oauth2';
  readonly endpoints: ProviderEndpoints;
  /** Always requested; credentials may add more. */
  readonly scopes: readonly string[];
  /** The code is bound to a verifier of this service. */
  readonly hasPkce: boolean;
  /** ID tokens repeat the nonce of the request. */
  readonly hasNonce: boolean;
  /** The provider always sends `iss` with the code, so that a callback without it is refused. Source: RFC 9207. */
  readonly sendsIssuer: boolean;
  /** How the token endpoint expects the client secret. */
  readonly secretIn: 'body' | 'basic';
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /** Other accepted spellings of `iss` in native ID tokens. */
  readonly issuerAliases?: readonly string[];
  /** Native ID tokens hold the SHA-256 of the nonce in hex, and the app sends the nonce itself. */
  readonly hashesNativeNonce?: boolean;
  /** Additional parameters of the userinfo request. */
  userinfoParams?(call: {
    readonly accessToken: string;
    readonly clientSecret: string;
  }): Readonly<Record<string, string>>;
  /** @param emails answer of the `emails` endpoint */
  fieldsOf(claims: Claims, emails: unknown): IdentityFields;
};

/** Fields of the standard claims. Source: OpenID Connect Core, 5.1. */
const standardFields = (claims: Claims): IdentityFields => ({
  subject: claims['sub'],
  email: claims['email'],
  isEmailVerified: claims['email_verified'] === true,
  name: claims['name'],
});

const OIDC = {
  kind: 'oidc',
  scopes: ['openid', 'profile', 'email'],
  hasPkce: true,
  hasNonce: true,
  sendsIssuer: false,
  secretIn: 'body',
  fieldsOf: standardFields,
} as const;
const OAUTH2 = { kind: 'oauth2', hasPkce: true, hasNonce: false, sendsIssuer: false, secretIn: 'body' } as const;

/** The address that GitHub lists as primary and verified. */
const primaryEmail = (emails: unknown): unknown =>
  Array.isArray(emails)
    ? emails.find((entry) => memberAt(entry, 'primary') === true && memberAt(entry, 'verified') === true)
    : undefined;

/** The providers. Source: their documentation, November 2026; authentication design, Social providers. */
export const PROVIDERS: Readonly<Record<SocialProvider, ProviderDefinition>> = {
  google: {
    ...OIDC,
    endpoints: {
      issuer: 'https://accounts.google.com',
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      jwks: 'https://www.googleapis.com/oauth2/v3/certs',
    },
    issuerAliases: ['accounts.google.com'],
    hashesNativeNonce: true,
  },
  apple: {
    ...OIDC,
    endpoints: {
      issuer: 'https://appleid.apple.com',
      authorization: 'https://appleid.apple.com/auth/authorize',
      token: 'https://appleid.apple.com/auth/token',
      jwks: 'https://appleid.apple.com/auth/keys',
    },
    scopes: ['openid', 'name', 'email'],
    hasPkce: false,
    // Apple refuses the scopes name and email without it.
    authorizationParams: { response_mode: 'form_post' },
    hashesNativeNonce: true,
    // Apple sends the boolean or the text "true".
    fieldsOf: (claims) => ({
      ...standardFields(claims),
      isEmailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    }),
  },
  microsoft: {
    ...OIDC,
    endpoints: {
      // Each tenant has its own issuer, whichever tenant the request names.
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
      authorization: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
      token: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
      jwks: 'https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys',
    },
    // `sub` differs per app, so the object id is the subject. The admin of any tenant can set any email address, so an
    // address is verified only if Microsoft says that its domain is verified (`xms_edov`).
    fieldsOf: (claims) => ({
      subject: claims['oid'],
      email: claims['email'],
      isEmailVerified: claims['xms_edov'] === true,
      name: claims['name'],
    }),
  },
  facebook: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://www.facebook.com',
      authorization: 'https://www.facebook.com/v23.0/dialog/oauth',
      token: 'https://graph.facebook.com/v23.0/oauth/access_token',
      userinfo: 'https://graph.facebook.com/v23.0/me?fields=id,name,email',
    },
    scopes: ['email', 'public_profile'],
    hasPkce: false,
    // Required by apps with "Require app secret".
    userinfoParams: ({ accessToken, clientSecret }) => ({
      appsecret_proof: createHmac('sha256', clientSecret).update(accessToken).digest('hex'),
    }),
    fieldsOf: ({ id, email, name }) => ({ subject: id, email, name }),
  },
  github: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://github.com',
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      userinfo: 'https://api.github.com/user',
      emails: 'https://api.github.com/user/emails',
    },
    scopes: ['read:user', 'user:email'],
    // The address of the profile is public text, so only the list of addresses counts.
    fieldsOf: ({ id, name, login }, emails) => {
      const email = memberAt(primaryEmail(emails), 'email');
      return { subject: id, email, isEmailVerified: email !== undefined, name: name ?? login };
    },
  },
  gitlab: {
    ...OIDC,
    endpoints: {
      issuer: 'https://gitlab.com',
      authorization: 'https://gitlab.com/oauth/authorize',
      token: 'https://gitlab.com/oauth/token',
      jwks: 'https://gitlab.com/oauth/discovery/keys',
      userinfo: 'https://gitlab.com/oauth/userinfo',
    },
  },
  discord: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://discord.com',
      authorization: 'https://discord.com/oauth2/authorize',
      token: 'https://discord.com/api/oauth2/token',
      userinfo: 'https://discord.com/api/users/@me',
    },
    scopes: ['identify', 'email'],
    fieldsOf: (claims) => ({
      subject: claims['id'],
      email: claims['email'],
      isEmailVerified: claims['verified'] === true,
      name: claims['global_name'] ?? claims['username'],
    }),
  },
  linkedin: {
    ...OIDC,
    endpoints: {
      issuer: 'https://www.linkedin.com/oauth',
      authorization: 'https://www.linkedin.com/oauth/v2/authorization',
      token: 'https://www.linkedin.com/oauth/v2/accessToken',
      jwks: 'https://www.linkedin.com/oauth/openid/jwks',
      userinfo: 'https://api.linkedin.com/v2/userinfo',
    },
    // LinkedIn does not repeat the nonce, and its token endpoint refuses a code verifier with invalid_client.
    hasPkce: false,
    hasNonce: false,
  },
  x: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://x.com',
      authorization: 'https://x.com/i/oauth2/authorize',
      token: 'https://api.x.com/2/oauth2/token',
      userinfo: 'https://api.x.com/2/users/me?user.fields=confirmed_email',
    },
    scopes: ['users.read', 'tweet.read', 'users.email'],
    secretIn: 'basic',
    fieldsOf: ({ data }) => ({
      subject: memberAt(data, 'id'),
      email: memberAt(data, 'confirmed_email'),
      name: memberAt(data, 'name'),
    }),
  },
  twitch: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://id.twitch.tv/oauth2',
      authorization: 'https://id.twitch.tv/oauth2/authorize',
      token: 'https://id.twitch.tv/oauth2/token',
      userinfo: 'https://id.twitch.tv/oauth2/userinfo',
    },
    scopes: ['openid', 'user:read:email'],
    hasPkce: false,
    // Twitch returns only the claims that a request names.
    authorizationParams: {
      claims: JSON.stringify({ userinfo: { email: null, email_verified: null, preferred_username: null } }),
    },
    fieldsOf: (claims) => ({ ...standardFields(claims), name: claims['preferred_username'] }),
  },
  slack: {
    ...OIDC,
    endpoints: {
      issuer: 'https://slack.com',
      authorization: 'https://slack.com/openid/connect/authorize',
      token: 'https://slack.com/api/openid.connect.token',
      jwks: 'https://slack.com/openid/connect/keys',
      userinfo: 'https://slack.com/api/openid.connect.userInfo',
    },
    hasPkce: false,
  },
  spotify: {
    ...OAUTH2,
    endpoints: {
      issuer: 'https://accounts.spotify.com',
      authorization: 'https://accounts.spotify.com/authorize',
      token: 'https://accounts.spotify.com/api/token',
      userinfo: 'https://api.spotify.com/v1/me',
    },
    scopes: ['user-read-email'],
    secretIn: 'basic',
    // Spotify documents its addresses as unverified.
    fieldsOf: (claims) => ({ subject: claims['id'], email: claims['email'], name: claims['display_name'] }),
  },
};
