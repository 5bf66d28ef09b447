// The public function in its own file: the types of `create.ts` name the storage and so its database drivers.
import type { StorageObserver } from '../database/observer.ts';
import type { OrgReference, ProjectReference } from '../platform/tenancy/api.ts';
import type { Beckon, BeckonWithProject } from './api.ts';
import { createBeckon as create } from './create.ts';
import type { BeckonOptions } from './options.ts';

/** Options that name the tenant of the program. */
export type TenantOptions = BeckonOptions & { readonly org: OrgReference; readonly project: ProjectReference };

/** Hooks for tests of this repository. */
type Seams = { readonly observer?: StorageObserver };

/** Opens Beckon; the overloads determine whether `beckon.project` exists. */
type CreateBeckon = {
  (options: TenantOptions, seams?: Seams): Promise<BeckonWithProject>;
  (options: BeckonOptions, seams?: Seams): Promise<Beckon>;
};

/**
 * Opens a database and creates the whole service for it. The worker exists but is not started. With the options `org`
 * and
 * `project`, `beckon.project` is the client of this project, which is created the first time.
 *
 * @throws Error for an old Node, TypeError for invalid options, SchemaError for a database of another version,
 * UnsafeDatabase, WrongMasterKey, NOT_FOUND for an `id` of `org` or `project` that does not exist, CONFLICT `exists`
 * for a name that several organizations or projects have, and what the database driver throws
 */
// Safe: `project` exists exactly if the options name both.
export const createBeckon: CreateBeckon = ((options: BeckonOptions, seams: Seams = {}) =>
  create(options, seams)) as CreateBeckon;
