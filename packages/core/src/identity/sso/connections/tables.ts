import { sql } from 'drizzle-orm';
import type { Columns } from '../../../database/columns.ts';
import type { AttributeNames, ConnectionType, IdpPreset, OidcSettings, SamlSettings } from './settings.ts';

/** Identity providers of organizations: connections, the domains that are proven for them, and assertions that were used. */
export const ssoTables = (c: Columns) => ({
  authSsoConnections: c.table(
    'auth_sso_connections',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      type: c.text('type').$type<ConnectionType>().notNull(),
      name: c.text('name').notNull(),
      enabled: c.bool('enabled').notNull(),
      /** Entity id of a SAML identity provider; null: OpenID Connect, or not known yet. Set once: identities are found by it. */
      idpEntityId: c.text('idp_entity_id'),
      /** Settings of SAML; null: OpenID Connect. */
      saml: c.json<SamlSettings>('saml'),
      /** Certificates of the identity provider, in PEM. Several during a rotation. */
      certs: c.json<readonly string[]>('certs').notNull(),
      /** Settings of OpenID Connect; null: SAML. */
      oidc: c.json<OidcSettings>('oidc'),
      /** Product of the identity provider, for the default names of attributes; null: unknown. */
      provider: c.text('provider').$type<IdpPreset>(),
      /** Names of attributes or claims in place of the defaults. */
      attributes: c.json<AttributeNames>('attributes').notNull(),
      /** Sealed: the client secret of OpenID Connect, or the key that decrypts SAML assertions; null: none. */
      sealed: c.text('sealed'),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      /** Incremented by every change; a change is guarded by the version that was read. */
      version: c.int('version').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_sso_connections_idp').on(t.scopeId, t.idpEntityId),
    ],
  ),
  authSsoDomains: c.table(
    'auth_sso_domains',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      connectionId: c.id('connection_id').notNull(),
      /** In lower case and in punycode. */
      domain: c.text('domain').notNull(),
      /** Value of the DNS record. */
      nonce: c.text('nonce').notNull(),
      /** Null: not proven, so no account is linked by an address of the domain. */
      verifiedAt: c.time('verified_at'),
      /** When the record of a proven domain was first found absent; null: it was there. */
      absentAt: c.time('absent_at'),
      checkedAt: c.time('checked_at'),
      recheckAt: c.time('recheck_at').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_sso_domains_domain').on(t.scopeId, t.domain),
      c.index('auth_sso_domains_connection').on(t.scopeId, t.connectionId, t.id),
      c.index('auth_sso_domains_recheck').on(t.recheckAt, t.id).where(sql`verified_at is not null`),
    ],
  ),
  authSamlSeen: c.table(
    'auth_saml_seen',
    {
      scopeId: c.scope('scope_id').notNull(),
      connectionId: c.id('connection_id').notNull(),
      /** Id that the identity provider gave the assertion. */
      assertionId: c.text('assertion_id').notNull(),
      /** Afterwards the assertion is refused because of its own times. */
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.connectionId, t.assertionId] }),
      c.index('auth_saml_seen_expiry').on(t.expiresAt),
    ],
  ),
});

export type SsoTables = ReturnType<typeof ssoTables>;
