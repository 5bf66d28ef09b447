// The public function in a file of its own: the types of `create.ts` name the storage and so its database drivers.
import type { StorageObserver } from '../database/observer.ts';
import type { OrgReference, ProjectReference } from '../platform/tenancy/api.ts';
import type { Beckon, BeckonWithProject } from './api.ts';
import { createBeckon as create } from './create.ts';
import type { BeckonOptions } from './options.ts';

/** Options that name the tenant of the program. */
export type TenantOptions = BeckonOptions & { readonly org: OrgReference; readonly project: ProjectReference };

/** Seams for tests of this repository. */
type Seams = { readonly observer?: StorageObserver };

/** Opens Beckon; the overloads tell whether `beckon.project` is there. */
type CreateBeckon = {
  (options: TenantOptions, seams?: Seams): Promise<BeckonWithProject>;
  (options: BeckonOptions, seams?: Seams): Promise<Beckon>;
};

/**
 * Opens a database and builds the whole service over it. The worker is there but not started. With the options `org` and
 * `project`, `beckon.project` is the client of this project, which is created the first time.
 *
 * @throws Error for an old Node, TypeError for wrong options, SchemaError for a database of another version,
 * UnsafeDatabase, WrongMasterKey, NOT_FOUND for an `id` of `org` or `project` that does not exist, CONFLICT `exists` for a
 * name that several organizations or projects have, and what the database driver throws
 */
// Safe: `project` is there exactly where the options name both.
export const createBeckon: CreateBeckon = ((options: BeckonOptions, seams: Seams = {}) =>
  create(options, seams)) as CreateBeckon;
