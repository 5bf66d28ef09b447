// What engines keep sealed, for whoever changes the master key.

import { sealedCallbackSecrets } from '../callbacks/secrets/secrets.ts';
import { sealedDkimKeys } from '../email/domains/sealed.ts';
import type { ScopeDirectory } from '../primitives/scope.ts';
import { sealedCredentials } from '../providers/sealed.ts';
import type { Storage } from '../storage/storage.ts';
import type { Tables } from '../tables.ts';
import type { SealedValues } from '../tenancy/rotation.ts';
import { sealedSecrets } from '../tenancy/sealed.ts';

export type SealedDeps = {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: Tables;
  readonly scopes: ScopeDirectory;
};

/** Every table with sealed values whose engine does not bring its own. */
export const sealedValuesOf = ({ storage, tables, scopes }: SealedDeps): readonly SealedValues[] => [
  sealedSecrets({ storage, tables }),
  sealedCredentials({ storage, tables, scopes }),
  sealedCallbackSecrets({ storage, tables, scopes }),
  sealedDkimKeys({ storage, tables, scopes }),
];
