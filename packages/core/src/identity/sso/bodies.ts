// Bodies of sign-in with the identity providers of organizations.

import { z } from 'zod';
import { isRowId } from '../../foundation/ids.ts';
import { isCodeChallenge } from '../one-time/pkce.ts';
import { type ATTRIBUTES, IDP_PRESETS } from './connections/settings.ts';

const MAX_URL = 2_048;
const MAX_NAME = 200;
/** Source: SAML metadata 2.0, 2.2.1. */
const MAX_ENTITY_ID = 1_024;
/** Characters of metadata that are read. Chosen: metadata of Entra ID has 20 KB. */
const MAX_METADATA = 262_144;
const MAX_CERTIFICATE = 16_384;
const MAX_CERTIFICATES = 5;
const MAX_ID = 512;
const MAX_SECRET = 4_096;
const MAX_ATTRIBUTE_NAMES = 5;

const connectionId = z.string().refine(isRowId, 'must be the id of a connection');
const url = z
  .string()
  .max(MAX_URL)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL');

const names = z.array(z.string().min(1).max(MAX_ID)).max(MAX_ATTRIBUTE_NAMES);
const attributes = z
  .strictObject({
    email: names.optional().describe('Names of the email address. Default: those of the provider.'),
    name: names.optional().describe('Names of the display name. Default: those of the provider.'),
    locale: names.optional().describe('Names of the language. Default: those of the provider.'),
    externalId: names
      .optional()
      .describe('Names of the externalId, which becomes the userId of new users. Default: none.'),
    groups: names.optional().describe('Names of the groups. Default: those of the provider.'),
  } satisfies Record<(typeof ATTRIBUTES)[number], z.ZodType>)
  .describe('Names of attributes or claims, at most 5 each; the first that is present counts. Default: {}.');

const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .describe('Name of the connection, such as that of the organization.');
const enabled = z.boolean().describe('Whether users may sign in with it. Default: true.');
const provider = z
  .enum(IDP_PRESETS)
  .nullable()
  .describe('Product of the identity provider, which sets the default names of attributes. Default: null.');

const metadataXml = z
  .string()
  .max(MAX_METADATA)
  .describe('Metadata of the identity provider, in place of entityId, ssoUrl and certificates. At most 256 KB.');
const entityId = z
  .string()
  .min(1)
  .max(MAX_ENTITY_ID)
  .describe('Entity id of the identity provider. Can be set once. Default: none until it is known.');
const ssoUrl = url.describe('URL of the identity provider for the redirect binding.');
const certificates = z
  .array(z.string().max(MAX_CERTIFICATE))
  .min(1)
  .max(MAX_CERTIFICATES)
  .describe('Signing certificates in PEM or base64. During a rotation, the old one and the new one. At most 5.');
const wantEncrypted = z
  .boolean()
  .describe(
    'Whether assertions must be encrypted. Beckon then makes a key and puts it into its metadata. Default: false.',
  );
const idpInitiated = z
  .boolean()
  .describe(
    'Whether the identity provider may start a sign-in. Such a sign-in is not bound to a browser. Default: false.',
  );
const idpInitiatedRedirectTo = z
  .string()
  .max(MAX_URL)
  .nullable()
  .describe('Page that such a sign-in ends at. One of the redirectUris. Default: the first of them.');

const samlBody = z.strictObject({
  metadataXml: metadataXml.optional(),
  entityId: entityId.optional(),
  ssoUrl: ssoUrl.optional(),
  certificates: certificates.optional(),
  wantEncrypted: wantEncrypted.default(false),
  idpInitiated: idpInitiated.default(false),
  idpInitiatedRedirectTo: idpInitiatedRedirectTo.default(null),
});
const samlPatch = z.strictObject({
  metadataXml: metadataXml.optional(),
  entityId: entityId.optional(),
  ssoUrl: ssoUrl.optional(),
  certificates: certificates.optional(),
  wantEncrypted: wantEncrypted.optional(),
  idpInitiated: idpInitiated.optional(),
  idpInitiatedRedirectTo: idpInitiatedRedirectTo.optional(),
});

const clientId = z.string().min(1).max(MAX_ID).describe('Client id of your app at the provider.');
const clientSecret = z.string().min(1).max(MAX_SECRET).describe('Client secret. Never returned.');
const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope without spaces'))
  .max(20)
  .describe('Scopes to request in addition to openid, email and profile. At most 20. Default: none.');

const oidcBody = z.strictObject({
  issuer: url.describe('Issuer of the provider, as its discovery document states it.'),
  clientId,
  clientSecret,
  scopes: scopes.default([]),
});
const oidcPatch = z.strictObject({
  clientId: clientId.optional(),
  clientSecret: clientSecret.optional(),
  scopes: scopes.optional(),
});

export const ssoConnectionBody = z
  .strictObject({
    name,
    enabled: enabled.default(true),
    provider: provider.default(null),
    attributes: attributes.default({}),
    saml: samlBody.optional().describe('Settings of a SAML connection. Default: none.'),
    oidc: oidcBody.optional().describe('Settings of an OpenID Connect connection. Default: none.'),
  })
  .refine(({ saml, oidc }) => (saml === undefined) !== (oidc === undefined), {
    path: ['saml'],
    message: 'pass either saml or oidc',
  });
export const ssoConnectionPatch = z.strictObject({
  name: name.optional(),
  enabled: enabled.optional(),
  provider: provider.optional(),
  attributes: attributes.optional(),
  saml: samlPatch.optional().describe('New settings of a SAML connection. A known entity id cannot be changed.'),
  oidc: oidcPatch.optional().describe('New settings of an OpenID Connect connection. The issuer cannot be changed.'),
});

export const ssoDomainBody = z.strictObject({
  connectionId: connectionId.describe('Connection that users with addresses of the domain sign in with.'),
  domain: z.string().max(253).describe('Email domain, such as example.com.'),
});

export const ssoStartBody = z
  .strictObject({
    email: z.string().max(1_024).optional().describe('Email address, whose domain selects the connection.'),
    domain: z.string().max(253).optional().describe('Proven email domain of the connection.'),
    connectionId: connectionId.optional().describe('Connection id.'),
    redirectTo: z
      .string()
      .max(MAX_URL)
      .describe('Page that the browser returns to, with `code` and `c`. One of the redirectUris of the settings.'),
    codeChallenge: z
      .string()
      .refine(isCodeChallenge, 'must be a PKCE code challenge of the method S256')
      .describe('PKCE code challenge (S256). Only the holder of its verifier can use the resulting code.'),
    codeChallengeMethod: z.literal('S256').default('S256').describe('Method of the challenge. Default: S256.'),
  })
  .refine((body) => [body.email, body.domain, body.connectionId].filter((value) => value !== undefined).length === 1, {
    path: ['connectionId'],
    message: 'pass exactly one of email, domain and connectionId',
  });
