import type { Scope, ScopeDirectory } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import type { SecretPlace } from '../tenancy/keyring.ts';
import type { SealedValue, SealedValues } from '../tenancy/rotation.ts';
import { type CredentialKey, type CredentialRow, credentialStore } from './store.ts';
import type { CredentialTables } from './tables.ts';

type SealedColumn = 'sealed' | 'sharedToken';
const COLUMNS: readonly SealedColumn[] = ['sealed', 'sharedToken'];

/** Where a value of `credentials` is sealed for. */
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

/** The sealed values of credentials, for a rotation. Their versions stay: live connections have nothing to do anew. */
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
  const valuesOf = (scope: Scope, row: CredentialRow): SealedValue[] =>
    COLUMNS.flatMap((column) => {
      const sealed = row[column];
      if (sealed === null) return [];
      return [
        { place: placeOf(scope, row, column), sealed, replace: (next) => store.reseal(row, column, sealed, next) },
      ];
    });
  return {
    count: store.countSealed,
    batches: async function* (size) {
      let after: CredentialKey | null = null;
      for (;;) {
        const rows: CredentialRow[] = await store.sealedOfAll(after, size);
        if (rows.length === 0) return;
        const scopeOf = await scopes.load(rows.map(({ scopeId }) => scopeId));
        yield rows.flatMap((row) => valuesOf(scopeOf(row.scopeId), row));
        after = rows.at(-1) ?? null;
      }
    },
  };
};
