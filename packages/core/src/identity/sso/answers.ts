import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';
import { CONNECTION_TYPES, IDP_PRESETS } from './connections/settings.ts';

const names = (what: string) => z.array(z.string()).describe(`Names of ${what}, in the order in which they are tried.`);

/** Schemas of the answers of sign-in with the identity providers of organizations. */
export const ssoAnswers = answersOf<Answers>()(() => {
  const SsoCertificate = z
    .object({
      pem: z.string().describe('Certificate in PEM.'),
      fingerprint: z.string().describe('SHA-256 of the certificate, as identity providers show it.'),
      expiresAt: z.date().describe('Afterwards its signatures are refused.'),
    })
    .describe('Signing certificate of an identity provider.');
  const SsoSaml = z
    .object({
      entityId: z.string().nullable().describe('Entity id of the identity provider; null: not known yet.'),
      ssoUrl: z
        .string()
        .nullable()
        .describe('URL of the identity provider for the redirect binding; null: not known yet.'),
      certificates: z.array(SsoCertificate).describe('Signing certificates of the identity provider.'),
      wantEncrypted: z.boolean().describe('Whether assertions must be encrypted.'),
      idpInitiated: z.boolean().describe('Whether the identity provider may start a sign-in.'),
      idpInitiatedRedirectTo: z
        .string()
        .nullable()
        .describe('Page that such a sign-in ends at; null: the first of the redirectUris.'),
      spEntityId: z.string().nullable().describe('Entity id (audience) of Beckon; null if publicUrl is not set.'),
      acsUrl: z.string().nullable().describe('URL that responses are posted to; null if publicUrl is not set.'),
      metadataUrl: z.string().nullable().describe('URL of the metadata of Beckon; null if publicUrl is not set.'),
    })
    .describe('Settings of a SAML connection.');
  const SsoOidc = z
    .object({
      issuer: z.string().describe('Issuer of the provider.'),
      clientId: z.string().describe('Client id of your app at the provider.'),
      hasClientSecret: z.boolean().describe('Whether a client secret is stored. The secret is never returned.'),
      scopes: z.array(z.string()).describe('Scopes that are requested in addition.'),
      callbackUrl: z
        .string()
        .nullable()
        .describe('Callback URL to enter at the provider; null if publicUrl is not set.'),
    })
    .describe('Settings of an OpenID Connect connection.');
  const SsoConnectionDomain = z
    .object({
      id: z.uuid().describe('Domain id.'),
      domain: z.string().describe('Email domain.'),
      isVerified: z.boolean().describe('Whether the DNS record was found.'),
    })
    .describe('Domain of a connection.');
  const domain = {
    id: z.uuid().describe('Domain id.'),
    connectionId: z.uuid().describe('Connection id.'),
    domain: z.string().describe('Email domain.'),
    isVerified: z.boolean().describe('Whether the DNS record was found: only then accounts are linked by address.'),
    txtName: z.string().describe('Name of the TXT record to publish.'),
    txtValue: z.string().describe('Value of the TXT record to publish.'),
    createdAt: z.date().describe('When the domain was added.'),
    verifiedAt: z.date().nullable().describe('When the record was first found; null: not proven.'),
    checkedAt: z.date().nullable().describe('When the record was last looked up; null: never.'),
  };
  return {
    SsoCertificate,
    SsoSaml,
    SsoOidc,
    SsoConnectionDomain,
    SsoConnection: z
      .object({
        id: z.uuid().describe('Connection id.'),
        type: z.enum(CONNECTION_TYPES).describe('Protocol.'),
        name: z.string().describe('Name of the connection.'),
        enabled: z.boolean().describe('Whether users may sign in with it.'),
        provider: z.enum(IDP_PRESETS).nullable().describe('Product of the identity provider; null: unknown.'),
        attributes: z
          .object({
            email: names('the email address'),
            name: names('the display name'),
            locale: names('the language'),
            externalId: names('the externalId'),
            groups: names('the groups'),
          })
          .describe('Names of attributes or claims that are read.'),
        saml: SsoSaml.nullable().describe('Settings of SAML; null: another protocol.'),
        oidc: SsoOidc.nullable().describe('Settings of OpenID Connect; null: another protocol.'),
        domains: z.array(SsoConnectionDomain).describe('Domains of the connection.'),
        createdAt: z.date().describe('When the connection was created.'),
        updatedAt: z.date().describe('When the connection last changed.'),
      })
      .describe('Connection to the identity provider of an organization.'),
    SsoConnectionDeleted: z
      .object({ deleted: z.literal(true).describe('The connection, its domains and its identities are gone.') })
      .describe('Result of deleting a connection.'),
    SsoDomain: z.object(domain).describe('Email domain of a connection.'),
    SsoDomainChecked: z
      .object({
        ...domain,
        state: z.enum(['found', 'missing', 'wrong', 'unknown']).describe('What the look-up of the record found.'),
        message: z.string().describe('What to do.'),
      })
      .describe('Email domain of a connection, with the result of its check.'),
    SsoDomainDeleted: z
      .object({ deleted: z.literal(true).describe('The domain is gone.') })
      .describe('Result of deleting a domain.'),
    SsoStarted: z
      .object({
        authorizationUrl: z.string().describe('URL to open in the browser.'),
        connectionId: z.uuid().describe('Connection that the sign-in uses.'),
        expiresIn: z.int().describe('Seconds within which the user must finish.'),
      })
      .describe('A sign-in at an identity provider that has begun.'),
  };
});
