import type { StorageObserver } from '../database/observer.ts';
import type { Beckon } from './api.ts';
import { createBeckon as wired } from './beckon.ts';
import type { BeckonOptions } from './options.ts';

/**
 * Opens a database and the whole service over it. The worker is there but not started. `seams` are for tests of this
 * repository; here without those whose types are the storage's own.
 *
 * Throws TypeError for wrong options, SchemaError for a database of another version, WrongMasterKey, and what the
 * database driver throws.
 */
export const createBeckon = (
  options: BeckonOptions,
  seams: { readonly observer?: StorageObserver } = {},
): Promise<Beckon> => wired(options, seams);
