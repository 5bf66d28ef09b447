import { bulkInsert, bulkSelect } from '../../../database/statements/bulk.ts';
import type { SsoTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const COLUMNS = [
  ...SCOPE,
  ...(['id', 'type', 'name', 'enabled', 'idpEntityId', 'saml', 'certs', 'oidc', 'provider', 'attributes'] as const),
  ...(['sealed', 'createdAt', 'updatedAt', 'version'] as const),
] as const;
const DOMAIN_COLUMNS = [
  ...SCOPE,
  ...(['id', 'connectionId', 'domain', 'nonce', 'verifiedAt', 'absentAt', 'checkedAt', 'recheckAt'] as const),
  'createdAt',
] as const;

/** The statements of sign-in with connections. */
export const ssoStatements = ({ authSsoConnections, authSsoDomains, authSamlSeen }: SsoTables) => ({
  byId: bulkSelect('auth.sso_connection', authSsoConnections, [...SCOPE, 'id'], COLUMNS),
  byIdp: bulkSelect('auth.sso_connection_by_idp', authSsoConnections, [...SCOPE, 'idpEntityId'], COLUMNS),
  ofScope: bulkSelect('auth.sso_connections_of', authSsoConnections, SCOPE, COLUMNS),
  domain: bulkSelect('auth.sso_domain', authSsoDomains, [...SCOPE, 'domain'], DOMAIN_COLUMNS),
  domainsOf: bulkSelect('auth.sso_domains_of', authSsoDomains, [...SCOPE, 'connectionId'], DOMAIN_COLUMNS),
  wasSeen: bulkSelect('auth.saml_seen', authSamlSeen, [...SCOPE, 'connectionId', 'assertionId'], ['assertionId']),
  /** Of several posts of one assertion, one takes effect. */
  seen: bulkInsert('auth.insert_saml_seen', authSamlSeen, [...SCOPE, 'connectionId', 'assertionId', 'expiresAt'], {
    conflict: { target: [...SCOPE, 'connectionId', 'assertionId'] },
    isGuarded: true,
  }),
});
