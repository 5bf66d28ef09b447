// Connections and their domains, as operators manage them.

import { X509Certificate } from 'node:crypto';
import { nextTurn } from '../../foundation/contained.ts';
import { notFound, overloaded, validationError } from '../../foundation/errors.ts';
import { idOf, listPage, type Page, type PageQuery } from '../../foundation/page.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { registeredRedirectOf } from '../auth-settings/redirect-uris.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import { recordAction } from '../flow/record.ts';
import { redirectNotAllowed } from '../shapes/errors.ts';
import type { SsoCertificate, SsoConnection, SsoDomain } from './answers.generated.ts';
import type { SsoApi } from './api.ts';
import { ssoConnectionBody, ssoConnectionPatch, ssoDomainBody } from './bodies.ts';
import type {
  ConnectionChange,
  NewConnection,
  SsoConnectionRow,
  SsoConnections,
  SsoDomainRow,
} from './connections/connections.ts';
import { attributeNamesOf, type SamlSettings } from './connections/settings.ts';
import { domainView, type SsoDomains } from './domains.ts';
import { signingCertificate } from './saml/certificates.ts';
import { type IdpMetadata, readIdpMetadata } from './saml/metadata.ts';
import { newDecryptionKey } from './saml/self-signed.ts';
import { oidcCallbackOf, samlUrlsOf } from './urls.ts';

/** Identities that are deleted per step with their connection. Chosen: some milliseconds. */
const SLICE = 500;
/** Changes of one connection that may come first before a change is refused. Chosen. */
const MAX_TRIES = 5;

type AdminApi = Pick<
  SsoApi,
  | 'listSsoConnections'
  | 'getSsoConnection'
  | 'createSsoConnection'
  | 'updateSsoConnection'
  | 'deleteSsoConnection'
  | 'listSsoDomains'
  | 'getSsoDomain'
  | 'createSsoDomain'
  | 'verifySsoDomain'
  | 'deleteSsoDomain'
>;

const certificateOf = (pem: string): SsoCertificate => {
  const certificate = new X509Certificate(pem);
  return { pem, fingerprint: certificate.fingerprint256, expiresAt: new Date(certificate.validTo) };
};

const pemsOf = (certificates: readonly string[]): readonly string[] => {
  const pems = certificates.map((text, at) => {
    const certificate = signingCertificate(text);
    if (certificate === null)
      throw validationError({
        [`saml.certificates.${at}`]: ['must be an X.509 certificate with an RSA key of 2048 bits or more'],
      });
    return certificate.pem;
  });
  return [...new Set(pems)];
};

const metadataOf = async (xml: string): Promise<IdpMetadata> => {
  const read = await readIdpMetadata(xml);
  if (!read.ok)
    throw validationError({ 'saml.metadataXml': [`must be the metadata of one identity provider (${read.reason})`] });
  return read.metadata;
};

type SamlSource = {
  readonly metadataXml?: string | undefined;
  readonly entityId?: string | undefined;
  readonly ssoUrl?: string | undefined;
  readonly certificates?: readonly string[] | undefined;
};

/** The identity provider of a body: its metadata, or the fields beside it. Throws VALIDATION_ERROR. */
const idpOf = async (source: SamlSource): Promise<Partial<IdpMetadata>> => {
  const { metadataXml, entityId, ssoUrl, certificates } = source;
  if (metadataXml === undefined)
    return {
      ...(entityId !== undefined && { entityId }),
      ...(ssoUrl !== undefined && { ssoUrl }),
      ...(certificates !== undefined && { certificates: pemsOf(certificates) }),
    };
  if ([entityId, ssoUrl, certificates].some((value) => value !== undefined))
    throw validationError({
      'saml.metadataXml': ['takes the place of entityId, ssoUrl and certificates: pass one or the other'],
    });
  return metadataOf(metadataXml);
};

export const ssoAdmin = ({
  context,
  connections,
  domains,
  publicUrl,
}: {
  readonly context: AuthContext;
  readonly connections: SsoConnections;
  readonly domains: SsoDomains;
  readonly publicUrl: string | null;
}): AdminApi => {
  const { clock, identities } = context;

  const view = (scope: Scope, row: SsoConnectionRow, own: readonly SsoDomainRow[]): SsoConnection => {
    const { id, type, name, enabled, provider, saml, oidc, sealed, createdAt, updatedAt } = row;
    const urls = publicUrl === null ? null : samlUrlsOf(publicUrl, scope.orgId, id);
    return {
      ...{ id, type, name, enabled, provider, attributes: attributeNamesOf(row), createdAt, updatedAt },
      saml: saml && {
        ...{ entityId: row.idpEntityId, ssoUrl: saml.ssoUrl, certificates: row.certs.map(certificateOf) },
        ...{ wantEncrypted: saml.wantEncrypted, idpInitiated: saml.idpInitiated },
        idpInitiatedRedirectTo: saml.idpInitiatedRedirectTo,
        ...{ spEntityId: urls?.entityId ?? null, acsUrl: urls?.acsUrl ?? null, metadataUrl: urls?.entityId ?? null },
      },
      oidc: oidc && {
        ...{ issuer: oidc.issuer, clientId: oidc.clientId, hasClientSecret: sealed !== null, scopes: [...oidc.scopes] },
        callbackUrl: publicUrl === null ? null : oidcCallbackOf(publicUrl, id),
      },
      domains: own.map(({ id: domainId, domain, verifiedAt }) => ({
        ...{ id: domainId, domain, isVerified: verifiedAt !== null },
      })),
    };
  };
  const viewOne = async (scope: Scope, row: SsoConnectionRow): Promise<SsoConnection> =>
    view(scope, row, await connections.domainsOf(scope, [row.id]));

  const require = async (scope: Scope, id: string): Promise<SsoConnectionRow> => {
    const row = await connections.byId(scope, id);
    if (!row) throw notFound('SSO connection with this id', scope);
    return row;
  };
  const record = (
    scope: Scope,
    actor: string,
    action: string,
    target: string,
    detail?: Readonly<Record<string, string>>,
  ) => recordAction(context, scope, { actor, action, target, result: 'ok', ...(detail && { detail }) });

  const pageIn = async (scope: Scope, target: string | null): Promise<string | null> => {
    if (target === null) return null;
    const page = registeredRedirectOf(target, (await context.settings.load(scope)).redirectUris);
    if (page === null) throw redirectNotAllowed();
    return page;
  };

  /** What SAML settings become, and a new key if assertions must be encrypted and there is none. */
  const samlOf = async (
    settings: Omit<SamlSettings, 'encryptionCertificate'>,
    existing: SsoConnectionRow | null,
  ): Promise<{ readonly saml: SamlSettings; readonly secret: string | null }> => {
    const certificate = existing?.saml?.encryptionCertificate ?? null;
    const hasKey = certificate !== null && existing !== null && existing.sealed !== null;
    if (!settings.wantEncrypted || hasKey)
      return { saml: { ...settings, encryptionCertificate: certificate }, secret: null };
    const key = await newDecryptionKey(clock.now());
    return { saml: { ...settings, encryptionCertificate: key.certificate }, secret: key.privateKey };
  };

  const newConnectionOf = async (scope: Scope, input: unknown): Promise<NewConnection> => {
    const { saml, oidc, ...common } = parseBody(ssoConnectionBody, input);
    if (saml === undefined) {
      // Never here: the schema requires one of the two.
      if (oidc === undefined) throw validationError({ saml: ['pass either saml or oidc'] });
      const { clientSecret, ...settings } = oidc;
      return {
        ...{ ...common, type: 'oidc', idpEntityId: null, saml: null, certs: [], oidc: settings },
        secret: clientSecret,
      };
    }
    const { entityId = null, ssoUrl = null, certificates = [] } = await idpOf(saml);
    const present = { entityId: entityId !== null, ssoUrl: ssoUrl !== null, certificates: certificates.length > 0 };
    const missing = Object.entries(present).flatMap(([name, isPresent]) => (isPresent ? [] : [name]));
    // All three may be missing: the identity provider may need the metadata of Beckon first.
    if (missing.length === 1 || missing.length === 2)
      throw validationError(
        Object.fromEntries(missing.map((name) => [`saml.${name}`, ['is required beside the others']])),
      );
    const { wantEncrypted, idpInitiated } = saml;
    const idpInitiatedRedirectTo = await pageIn(scope, saml.idpInitiatedRedirectTo);
    const made = await samlOf({ ssoUrl, wantEncrypted, idpInitiated, idpInitiatedRedirectTo }, null);
    return {
      ...{ ...common, type: 'saml', idpEntityId: entityId, certs: certificates, oidc: null },
      ...made,
    };
  };

  const changeOf = async (scope: Scope, row: SsoConnectionRow, input: unknown): Promise<ConnectionChange> => {
    const { saml, oidc, name, enabled, provider, attributes } = parseBody(ssoConnectionPatch, input);
    const common = {
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { enabled }),
      ...(provider !== undefined && { provider }),
      ...(attributes !== undefined && { attributes }),
    };
    if (saml !== undefined && row.saml === null)
      throw validationError({ saml: ['the connection uses OpenID Connect'] });
    if (oidc !== undefined && row.oidc === null) throw validationError({ oidc: ['the connection uses SAML'] });
    if (saml !== undefined && row.saml !== null) {
      const idp = await idpOf(saml);
      if (idp.entityId !== undefined && row.idpEntityId !== null && idp.entityId !== row.idpEntityId)
        throw validationError({
          'saml.entityId': ['is of another identity provider: create a connection of its own for it'],
        });
      const stored = row.saml;
      const made = await samlOf(
        {
          ssoUrl: idp.ssoUrl ?? stored.ssoUrl,
          wantEncrypted: saml.wantEncrypted ?? stored.wantEncrypted,
          idpInitiated: saml.idpInitiated ?? stored.idpInitiated,
          idpInitiatedRedirectTo:
            saml.idpInitiatedRedirectTo === undefined
              ? stored.idpInitiatedRedirectTo
              : await pageIn(scope, saml.idpInitiatedRedirectTo),
        },
        row,
      );
      return {
        ...common,
        ...made,
        ...(idp.certificates !== undefined && { certs: idp.certificates }),
        ...(idp.entityId !== undefined && { idpEntityId: idp.entityId }),
      };
    }
    if (oidc !== undefined && row.oidc !== null) {
      const { clientId = row.oidc.clientId, scopes = row.oidc.scopes, clientSecret = null } = oidc;
      return { ...common, oidc: { issuer: row.oidc.issuer, clientId, scopes }, secret: clientSecret };
    }
    return { ...common, secret: null };
  };

  /** Deletes the identities of a connection in slices. Each statement checks the deadline of the call. */
  const removeIdentities = async (scope: Scope, id: string): Promise<void> => {
    while ((await identities.removeOfConnection(scope, id, SLICE)) > 0) await nextTurn();
  };

  const domainPage = (scope: Scope, query: PageQuery): Promise<Page<SsoDomain>> =>
    listPage(query, {
      binding: `auth/sso-domains/${scopeKey(scope)}`,
      read: async (place) => (await connections.pageOfDomains(scope, place)).map(domainView),
      positionOf: idOf,
    });

  return {
    listSsoConnections: (scope, query = {}) =>
      listPage(query, {
        binding: `auth/sso-connections/${scopeKey(scope)}`,
        read: async (place) => {
          const rows = await connections.page(scope, place);
          const own = Map.groupBy(
            await connections.domainsOf(
              scope,
              rows.map(({ id }) => id),
            ),
            ({ connectionId }) => connectionId,
          );
          return rows.map((row) => view(scope, row, own.get(row.id) ?? []));
        },
        positionOf: idOf,
      }),
    getSsoConnection: async (scope, id) => viewOne(scope, await require(scope, id)),
    createSsoConnection: async (scope, input, { actor = 'system' } = {}) => {
      const row = await connections.create(scope, await newConnectionOf(scope, input));
      await record(scope, actor, 'sso_connection.create', row.id);
      return viewOne(scope, row);
    },
    updateSsoConnection: async (scope, id, input, { actor = 'system' } = {}) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const row = await require(scope, id);
        const changed = await connections.change(scope, row, await changeOf(scope, row, input));
        if (changed === null) continue;
        await record(scope, actor, 'sso_connection.update', id);
        return viewOne(scope, changed);
      }
      throw overloaded(1);
    },
    deleteSsoConnection: async (scope, id, { actor = 'system' } = {}) => {
      await require(scope, id);
      // The connection goes after its identities, so that a call that broke off can be repeated.
      await removeIdentities(scope, id);
      if (!(await connections.remove({ ...scopeOf(scope), id }))) throw notFound('SSO connection with this id', scope);
      // Those that sign-ins have linked meanwhile.
      await removeIdentities(scope, id);
      await record(scope, actor, 'sso_connection.delete', id);
      return { deleted: true };
    },
    listSsoDomains: (scope, query = {}) => domainPage(scope, query),
    getSsoDomain: async (scope, id) => domainView(await domains.require(scope, id)),
    createSsoDomain: async (scope, input, { actor = 'system' } = {}) => {
      const { connectionId, domain } = parseBody(ssoDomainBody, input);
      await require(scope, connectionId);
      const row = await domains.add(scope, connectionId, domain);
      await record(scope, actor, 'sso_domain.create', row.id, { domain: row.domain });
      return domainView(row);
    },
    verifySsoDomain: async (scope, id, { actor = 'system' } = {}) => {
      const checked = await domains.verify(scope, id);
      await record(scope, actor, 'sso_domain.verify', id, { domain: checked.domain, state: checked.state });
      return checked;
    },
    deleteSsoDomain: async (scope, id, { actor = 'system' } = {}) => {
      const row = await domains.require(scope, id);
      if (!(await connections.removeDomain(row))) throw notFound('SSO domain with this id', scope);
      await record(scope, actor, 'sso_domain.delete', id, { domain: row.domain });
      return { deleted: true };
    },
  };
};
