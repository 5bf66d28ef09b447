import type { Storage } from '../../database/storage.ts';
import type { Scope, ScopeDirectory } from '../../foundation/scope.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import { type CredentialKey, credentialStore } from './store.ts';
import type { CredentialTables } from './tables.ts';

type SealedColumn = 'sealed' | 'sharedToken';
const COLUMNS: readonly SealedColumn[] = ['sealed', 'sharedToken'];

/** The row that a value of `credentials` is sealed for. */
export const placeOf = (
  { orgId, projectId, environment }: Scope,
  key: CredentialKey,
  column: SealedColumn,
): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'credentials',
  column,
  rowId: `${key.channel}/${key.provider}`,
});

/** The sealed values of credentials, for a key rotation. Versions stay the same, so live connections are kept. */
export const sealedCredentials = ({
  storage,
  tables,
  scopes,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: CredentialTables;
  readonly scopes: ScopeDirectory;
}): SealedValues => {
  const store = credentialStore({ db: storage.db, tables });
  return sealedInScopes({
    scopes,
    count: store.countSealed,
    read: store.sealedOfAll,
    valuesOf: (row, scope) =>
      COLUMNS.flatMap((column) => {
        const sealed = row[column];
        if (sealed === null) return [];
        return [
          { place: placeOf(scope, row, column), sealed, replace: (next) => store.reseal(row, column, sealed, next) },
        ];
      }),
  });
};
