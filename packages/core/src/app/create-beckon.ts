// The public function in a file of its own: the types of `create.ts` name the storage and so its database drivers.
import type { StorageObserver } from '../database/observer.ts';
import type { Beckon } from './api.ts';
import { createBeckon as create } from './create.ts';
import type { BeckonOptions } from './options.ts';

/**
 * Opens a database and builds the whole service over it. The worker is there but not started. `seams` are for tests of this
 * repository.
 *
 * @throws Error for an old Node, TypeError for wrong options, SchemaError for a database of another version,
 * UnsafeDatabase, WrongMasterKey, and what the database driver throws
 */
export const createBeckon = (
  options: BeckonOptions,
  seams: { readonly observer?: StorageObserver } = {},
): Promise<Beckon> => create(options, seams);
