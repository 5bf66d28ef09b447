// What engines keep sealed, for whoever changes the master key.

import type { Storage } from '../../database/storage.ts';
import { sealedCredentials } from '../../delivery/providers/sealed.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import { sealedCallbackSecrets } from '../../messaging/callbacks/secrets/secrets.ts';
import { sealedDkimKeys } from '../../messaging/email/domains/sealed.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedSecrets } from '../../platform/tenancy/sealed.ts';
import type { Tables } from '../tables.ts';

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
