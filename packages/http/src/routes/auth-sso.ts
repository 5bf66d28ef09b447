// Sign-in with the identity providers of organizations: the start for apps, the addresses that identity providers know, and the
// set-up for operators.

import { DEFINITION_CAPS } from '@beckon/core';
import { z } from 'zod';
import { type Answer, succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type OpenRoute, type ProjectCall, type ProjectRoute, param, type Route } from '../route.ts';
import { capsText } from './caps.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const start: ProjectRoute = {
  method: 'POST',
  path: '/auth-service/sso/start',
  shape: 'both',
  needs: 'project',
  scope: 'tokens:write',
  kind: 'signin',
  attempts: 'social',
  sheds: 'other sign-in',
  bodyCap: BODY_CAP,
  plan: 'sso',
  summary: 'Sign in with the identity provider of an organization',
  description:
    'Finds the connection by its id, or by the proven domain of an email address, and returns a URL to open in the browser. The browser comes back to redirectTo with a one-time code for POST /auth-service/token/exchange.',
  takes: 'SsoStartInput',
  answer: { 200: 'SsoStarted' },
  errors: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED'],
  run: async (beckon, { scope, body }) => succeed(await beckon.auth.startSso(scope, body)),
};

const open = { shape: 'auto', kind: 'public', scope: null, needs: 'nothing' } as const;
const callback = { ...open, attempts: 'social', sheds: 'other sign-in', answer: { redirect: 303 } } as const;
const redirect = ({ url }: { readonly url: string }): Answer => ({
  status: 303,
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', Location: url },
  body: '',
});
const clientOf = ({ network, sent }: Parameters<OpenRoute['run']>[1]) => ({
  ip: network === '' ? null : network,
  userAgent: sent.header('user-agent') ?? null,
});

const callbackQuery = z.object({
  state: z.string().optional().describe('State of the sign-in.'),
  code: z.string().optional().describe('Code of the provider. Absent: the sign-in failed.'),
  iss: z.string().optional().describe('Issuer of the code (RFC 9207). Absent: the provider sends none.'),
  error: z.string().optional().describe('Why the sign-in failed. Absent: it did not.'),
});
const metadataQuery = z.object({
  connectionId: z
    .string()
    .optional()
    .describe('Connection id. May be absent while the organization has one SAML connection.'),
});

const forProviders: readonly OpenRoute[] = [
  {
    ...callback,
    method: 'GET',
    path: '/auth-service/sso/oidc/:connectionId/callback',
    query: callbackQuery,
    summary: 'Receive the callback of an OpenID provider',
    description:
      'Redirects to the page that was stored when the sign-in began, with `code` and `c`, or `error` and `c`. An invalid state is answered with an error and never redirects.',
    errors: ['VALIDATION_ERROR'],
    run: async (beckon, call) => {
      const input = { connectionId: param(call, 'connectionId'), params: call.query };
      return redirect(await beckon.auth.handleOidcCallback(input, clientOf(call)));
    },
  },
  {
    ...callback,
    method: 'POST',
    path: '/auth-service/sso/saml/:orgId/acs',
    formCap: BODY_CAP,
    summary: 'Receive a SAML response',
    description:
      'The assertion consumer service: takes the form fields SAMLResponse and RelayState, and redirects to the page of the sign-in with a one-time code. Every response that is not accepted gets the same error; the audit log has the reason.',
    errors: ['VALIDATION_ERROR', 'PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call) => {
      const [response = ''] = call.form.getAll('SAMLResponse');
      const input = { orgId: param(call, 'orgId'), response, relayState: call.form.get('RelayState') };
      return redirect(await beckon.auth.handleSamlResponse(input, clientOf(call)));
    },
  },
  {
    ...open,
    method: 'GET',
    path: '/auth-service/sso/saml/:orgId/metadata',
    query: metadataQuery,
    summary: 'Get the SAML metadata of Beckon',
    description: 'The document that an identity provider reads to trust this service.',
    answer: { bytes: 'application/samlmetadata+xml' },
    errors: ['NOT_FOUND', 'tier_required', 'PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call): Promise<Answer> => {
      const { connectionId = null } = readQuery(call.query, metadataQuery);
      const input = { orgId: param(call, 'orgId'), connectionId };
      const body = await beckon.auth.samlMetadata(input);
      return {
        status: 200,
        headers: { 'Content-Type': 'application/samlmetadata+xml; charset=utf-8', 'Cache-Control': 'no-store' },
        body,
      };
    },
  },
];

const administration = { shape: 'both', kind: 'secret', needs: 'project', plan: 'sso' } as const;
const read = { ...administration, method: 'GET', scope: 'auth:read', bodyCap: null } as const;
const write = { ...administration, scope: 'auth:write', bodyCap: DEFAULT_BODY_CAP } as const;
const CONNECTIONS = '/auth-service/sso/connections';
const DOMAINS = '/auth-service/sso/domains';
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

const forOperators: readonly ProjectRoute[] = [
  {
    ...read,
    path: CONNECTIONS,
    summary: 'List SSO connections',
    description: 'Connections to identity providers, oldest first. Secrets are never returned.',
    query: pageQuery,
    answer: { page: 'SsoConnection' },
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.auth.listSsoConnections(scope, readQuery(query, pageQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: CONNECTIONS,
    summary: 'Create an SSO connection',
    description: capsText(
      'For SAML, pass the metadata of the identity provider, or its entity id, URL and certificates; if it needs the metadata of Beckon first, pass an empty `saml` and add its metadata later. For OpenID Connect, pass its issuer and your client.',
      DEFINITION_CAPS.ssoConnections,
    ),
    takes: 'SsoConnectionInput',
    answer: { 201: 'SsoConnection' },
    errors: ['CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.createSsoConnection(call.scope, call.body, actorOf(call)), 201),
  },
  {
    ...read,
    path: `${CONNECTIONS}/:id`,
    summary: 'Get an SSO connection',
    description: 'Secrets are never returned.',
    answer: { 200: 'SsoConnection' },
    run: async (beckon, call) => succeed(await beckon.auth.getSsoConnection(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${CONNECTIONS}/:id`,
    summary: 'Change an SSO connection',
    description:
      'Changes what the body names. For a new signing certificate, pass the old and the new one until the identity provider has changed over.',
    takes: 'SsoConnectionPatch',
    answer: { 200: 'SsoConnection' },
    errors: ['CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.updateSsoConnection(call.scope, param(call, 'id'), call.body, actorOf(call))),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${CONNECTIONS}/:id`,
    bodyCap: null,
    summary: 'Delete an SSO connection',
    description: 'Deletes the connection, its domains and the identities of its users. Accounts and sessions stay.',
    answer: { 200: 'SsoConnectionDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteSsoConnection(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...read,
    path: DOMAINS,
    summary: 'List SSO domains',
    description: 'Email domains of connections with the DNS record that proves each, oldest first.',
    query: pageQuery,
    answer: { page: 'SsoDomain' },
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.auth.listSsoDomains(scope, readQuery(query, pageQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: DOMAINS,
    summary: 'Add an SSO domain',
    description: capsText(
      'Returns the DNS record to publish. Until it is verified, the domain links no accounts and selects no connection.',
      DEFINITION_CAPS.ssoDomains,
    ),
    takes: 'SsoDomainInput',
    answer: { 201: 'SsoDomain' },
    errors: ['CONFLICT', 'NOT_FOUND'],
    run: async (beckon, call) => succeed(await beckon.auth.createSsoDomain(call.scope, call.body, actorOf(call)), 201),
  },
  {
    ...read,
    path: `${DOMAINS}/:id`,
    summary: 'Get an SSO domain',
    description: 'The domain with the DNS record that proves it.',
    answer: { 200: 'SsoDomain' },
    run: async (beckon, call) => succeed(await beckon.auth.getSsoDomain(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: `${DOMAINS}/:id/verify`,
    bodyCap: null,
    summary: 'Verify an SSO domain',
    description: 'Looks the DNS record up. A proven domain is checked once a day from then on.',
    answer: { 200: 'SsoDomainChecked' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.verifySsoDomain(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${DOMAINS}/:id`,
    bodyCap: null,
    summary: 'Delete an SSO domain',
    description: 'Accounts are no longer linked by addresses of the domain. Linked identities stay.',
    answer: { 200: 'SsoDomainDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteSsoDomain(call.scope, param(call, 'id'), actorOf(call))),
  },
];

export const authSsoRoutes: readonly Route[] = [start, ...forProviders, ...forOperators];
