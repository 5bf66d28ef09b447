// What engines keep sealed, for whoever changes the master key.

import type { Storage } from '../../database/storage.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedSecrets } from '../../platform/tenancy/sealed.ts';
import type { Tables } from '../tables.ts';

export type SealedDeps = {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: Tables;
};

/** Every table with sealed values whose engine does not bring its own. */
export const sealedValuesOf = ({ storage, tables }: SealedDeps): readonly SealedValues[] => [
  sealedSecrets({ storage, tables }),
];
