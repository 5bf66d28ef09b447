import type { Storage } from '../../database/storage.ts';
import type { SecretPlace } from './keyring.ts';
import type { SealedValues } from './rotation.ts';
import { sealedRows } from './sealed-rows.ts';
import type { SecretName } from './secrets/store.ts';
import { tenancyStore } from './store.ts';
import type { TenancyTables } from './tables.ts';

/** The row and column of a value of `secrets`. */
export const placeOf = ({ name, orgId, projectId, environment }: SecretName): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'secrets',
  column: 'sealed',
  rowId: name,
});

/** The sealed values of tenancy, for a rotation. */
export const sealedSecrets = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: TenancyTables;
}): SealedValues => {
  const store = tenancyStore({ db: storage.db, tables });
  return sealedRows({
    count: store.countSecrets,
    read: async (after: SecretName | null, limit) =>
      // Safe: the stored value is an environment or empty.
      (await store.allSecrets(after, limit)).map((row) => ({
        ...row,
        environment: row.environment as SecretName['environment'],
      })),
    valuesOf: (rows) =>
      rows.map((name) => ({
        place: placeOf(name),
        sealed: name.sealed,
        replace: (next) => store.resealSecret(name, name.sealed, next),
      })),
  });
};
