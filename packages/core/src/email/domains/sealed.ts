import type { ScopeDirectory } from '../../primitives/scope.ts';
import type { Storage } from '../../storage/storage.ts';
import type { SealedValues } from '../../tenancy/rotation.ts';
import { dkimPlace } from './domains.ts';
import { type DomainKey, type EmailDomainRow, emailDomainStore } from './store.ts';
import type { EmailDomainTables } from './tables.ts';

/** The private keys of domains, for a rotation of the master key. */
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
  return {
    count: store.countSealed,
    batches: async function* (size) {
      let after: DomainKey | null = null;
      for (;;) {
        const rows: EmailDomainRow[] = await store.sealedOfAll(after, size);
        if (rows.length === 0) return;
        const scopeOf = await scopes.load(rows.map(({ scopeId }) => scopeId));
        yield rows.flatMap((row) => {
          const { dkimSealed: sealed } = row;
          if (sealed === null) return [];
          const place = dkimPlace(scopeOf(row.scopeId), row.id);
          return [{ place, sealed, replace: (next: string) => store.reseal(row, sealed, next) }];
        });
        after = rows.at(-1) ?? null;
      }
    },
  };
};
