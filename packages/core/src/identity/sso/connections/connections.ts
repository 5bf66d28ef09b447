// SSO connections: the identity providers of organizations, with their certificates, keys and attribute names.

import { type Write, write } from '../../../database/commit/write-set.ts';
import { insertBelow } from '../../../database/statements/capped.ts';
import { DEFINITION_CAPS } from '../../../foundation/definition-caps.ts';
import { capReached, conflict } from '../../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SecretPlace } from '../../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../../platform/tenancy/sealed-rows.ts';
import { ssoStatements } from './statements.ts';
import { type SsoConnectionRow, type SsoDomainRow, type SsoKey, type SsoStore, ssoStore } from './store.ts';
import type { SsoTables } from './tables.ts';

export type { SsoConnectionRow, SsoDomainRow } from './store.ts';
export type SsoPlatform = Platform<SsoTables>;

/** A new connection. The secret is sealed into its row. */
export type NewConnection = Pick<
  SsoConnectionRow,
  'type' | 'name' | 'enabled' | 'idpEntityId' | 'saml' | 'certs' | 'oidc' | 'provider' | 'attributes'
> & { readonly secret: string | null };
/** `secret` null: the stored one is kept. */
export type ConnectionChange = Partial<
  Pick<SsoConnectionRow, 'name' | 'enabled' | 'idpEntityId' | 'saml' | 'certs' | 'oidc' | 'provider' | 'attributes'>
> & { readonly secret: string | null };

export type SsoConnections = Omit<
  SsoStore,
  'insert' | 'save' | 'remove' | 'countOfAll' | 'pageOfAll' | 'reseal' | 'insertDomain' | 'removeDomainsOf'
> & {
  /** Null: the environment has no connection with this id. */
  byId(scope: InScope, id: string): Promise<SsoConnectionRow | null>;
  /** SAML connections of some environments with this entity id of the identity provider. */
  byIdp(scopes: readonly InScope[], entityId: string): Promise<readonly SsoConnectionRow[]>;
  ofScopes(scopes: readonly InScope[]): Promise<readonly SsoConnectionRow[]>;
  /** Throws CONFLICT `exists` for an identity provider that has a connection, VALIDATION_ERROR above the cap. */
  create(scope: Scope, connection: NewConnection): Promise<SsoConnectionRow>;
  /** Null: another call changed it since it was read. Throws CONFLICT `exists` as `create`. */
  change(scope: Scope, row: SsoConnectionRow, change: ConnectionChange): Promise<SsoConnectionRow | null>;
  /** Deletes a connection and its domains. False: it was gone. */
  remove(key: SsoKey): Promise<boolean>;
  /** The client secret or the decryption key; null: none, as after a restored backup without secrets. */
  secretOf(scope: Scope, row: SsoConnectionRow): Promise<string | null>;
  /** Null: the environment has no such domain, proven or not. */
  byDomain(scope: InScope, domain: string): Promise<SsoDomainRow | null>;
  /** Domains of several connections of an environment, by name. */
  domainsOf(scope: InScope, connectionIds: readonly string[]): Promise<readonly SsoDomainRow[]>;
  /** Throws CONFLICT `exists` for a domain that the environment has, VALIDATION_ERROR above the cap. */
  addDomain(row: SsoDomainRow): Promise<void>;
  /** True for an assertion that has signed somebody in. */
  isUsed(row: SsoConnectionRow, assertionId: string): Promise<boolean>;
  /** Guards that an assertion has not been used. */
  useAssertion(row: SsoConnectionRow, assertion: { readonly assertionId: string; readonly expiresAt: Date }): Write;
  readonly sealedValues: SealedValues;
};

const GUARD = 'saml assertion';

const placeOf = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_sso_connections', column: 'sealed', rowId: id },
});

export const ssoConnections = ({ storage, tables, clock, ids, keyring, scopes }: SsoPlatform): SsoConnections => {
  const hot = ssoStatements(tables);
  const store = ssoStore({ db: storage.db, tables });
  const { insert: _i, save, remove, countOfAll, pageOfAll, reseal, insertDomain: _d, removeDomainsOf, ...cold } = store;
  const unique = (error: unknown): never => {
    throw storage.dialect.isUniqueViolation(error) ? conflict('exists') : error;
  };
  const sealedOf = async (scope: Scope, id: string, secret: string | null): Promise<string | null> =>
    secret === null ? null : keyring.seal(placeOf(scope, id), secret);
  return {
    ...cold,
    byId: async ({ scopeId }, id) => (await storage.select(hot.byId, [[scopeId, id]]))[0] ?? null,
    byIdp: async (all, entityId) =>
      all.length === 0
        ? []
        : storage.select(
            hot.byIdp,
            all.map(({ scopeId }) => [scopeId, entityId]),
          ),
    ofScopes: async (all) =>
      all.length === 0
        ? []
        : storage.select(
            hot.ofScope,
            all.map(({ scopeId }) => [scopeId]),
          ),
    create: async (scope, { secret, ...values }) => {
      const id = ids.next();
      const now = clock.now();
      const row: SsoConnectionRow = {
        ...scopeOf(scope),
        ...{ id, ...values, sealed: await sealedOf(scope, id, secret), createdAt: now, updatedAt: now, version: 1 },
      };
      const isInserted = await insertBelow(storage, {
        name: `sso-connections/${scopeKey(scope)}`,
        max: DEFINITION_CAPS.ssoConnections.max,
        count: (db) => ssoStore({ db, tables }).count(scope),
        insert: (db) => ssoStore({ db, tables }).insert(row),
      }).catch(unique);
      if (!isInserted) throw capReached('name', DEFINITION_CAPS.ssoConnections);
      return row;
    },
    change: async (scope, row, { secret, ...values }) => {
      const sealed = secret === null ? row.sealed : await sealedOf(scope, row.id, secret);
      const changes = { ...values, sealed, updatedAt: clock.now() };
      return (await save(row, row.version, changes).catch(unique))
        ? { ...row, ...changes, version: row.version + 1 }
        : null;
    },
    remove: async (key) => {
      const isRemoved = await remove(key);
      await removeDomainsOf(key);
      return isRemoved;
    },
    secretOf: async (scope, { id, sealed }) => (sealed === null ? null : keyring.openText(placeOf(scope, id), sealed)),
    byDomain: async ({ scopeId }, domain) => (await storage.select(hot.domain, [[scopeId, domain]]))[0] ?? null,
    domainsOf: async ({ scopeId }, connectionIds) =>
      connectionIds.length === 0
        ? []
        : (
            await storage.select(
              hot.domainsOf,
              connectionIds.map((id) => [scopeId, id]),
            )
          ).toSorted((a, b) => (a.domain < b.domain ? -1 : 1)),
    addDomain: async (row) => {
      const isInserted = await insertBelow(storage, {
        name: `sso-domains/${scopeKey(row)}`,
        max: DEFINITION_CAPS.ssoDomains.max,
        count: (db) => ssoStore({ db, tables }).countDomains(row),
        insert: (db) => ssoStore({ db, tables }).insertDomain(row),
      }).catch(unique);
      if (!isInserted) throw capReached('domain', DEFINITION_CAPS.ssoDomains);
    },
    isUsed: async ({ scopeId, id }, assertionId) =>
      (await storage.select(hot.wasSeen, [[scopeId, id, assertionId]])).length > 0,
    useAssertion: (row, { assertionId, expiresAt }) =>
      write(hot.seen, { ...scopeOf(row), connectionId: row.id, assertionId, expiresAt }, GUARD),
    sealedValues: sealedInScopes({
      scopes,
      count: countOfAll,
      read: pageOfAll,
      valuesOf: ({ scopeId, id, sealed }: Awaited<ReturnType<typeof pageOfAll>>[number], scope) =>
        sealed === null
          ? []
          : [{ place: placeOf(scope, id), sealed, replace: (next) => reseal({ scopeId, id }, sealed, next) }],
    }),
  };
};
