import type { Storage } from '../../../database/storage.ts';
import type { ScopeDirectory } from '../../../foundation/scope.ts';
import type { SealedValues } from '../../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../../platform/tenancy/sealed-rows.ts';
import { dkimPlace } from './domains.ts';
import { emailDomainStore } from './store.ts';
import type { EmailDomainTables } from './tables.ts';

/** The domains' private keys, for rotation of the master key. */
export const sealedDkimKeys = ({
  storage,
  tables,
  scopes,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: EmailDomainTables;
  readonly scopes: ScopeDirectory;
}): SealedValues => {
  const store = emailDomainStore({ db: storage.db, tables });
  return sealedInScopes({
    scopes,
    count: store.countSealed,
    read: store.sealedOfAll,
    valuesOf: (row, scope) => {
      const { dkimSealed: sealed } = row;
      if (sealed === null) return [];
      return [{ place: dkimPlace(scope, row.id), sealed, replace: (next) => store.reseal(row, sealed, next) }];
    },
  });
};
