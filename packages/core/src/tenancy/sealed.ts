import type { Storage } from '../storage/storage.ts';
import type { SecretPlace } from './keyring.ts';
import type { SealedValues } from './rotation.ts';
import type { SecretName } from './secrets/store.ts';
import { tenancyStore } from './store.ts';
import type { TenancyTables } from './tables.ts';

/** Where a value of `secrets` is sealed for. */
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
  return {
    count: store.countSecrets,
    batches: async function* (size) {
      let after: SecretName | null = null;
      for (;;) {
        const rows = await store.allSecrets(after, size);
        // Safe: what was written there is an environment or nothing.
        const values = rows.map((row) => ({ ...row, environment: row.environment as SecretName['environment'] }));
        if (values.length === 0) return;
        yield values.map((name) => ({
          place: placeOf(name),
          sealed: name.sealed,
          replace: (next: string) => store.resealSecret(name, name.sealed, next),
        }));
        after = values.at(-1) ?? null;
      }
    },
  };
};
