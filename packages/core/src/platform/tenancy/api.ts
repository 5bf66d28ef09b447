import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Environment, ProjectScope, Scope } from '../../foundation/scope.ts';
import type { ApiKey, Grant } from './answers.generated.ts';
import type { KeyScope } from './scopes.ts';

export type Org = {
  readonly id: string;
  readonly name: string;
  /** Name of its plan; `unlimited` if none was set. */
  readonly plan: string;
  readonly createdAt: Date;
};
export type Project = { readonly id: string; readonly orgId: string; readonly name: string; readonly createdAt: Date };

/** An organization by its name, which creates it if there is none of this name, or by its id. */
export type OrgReference = { readonly name: string } | { readonly id: string };
/** A project of the organization by its name, which creates it if there is none of this name, or by its id. */
export type ProjectReference = { readonly name: string } | { readonly id: string };

/** The caller, according to its key. */
export type Principal = {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly scopes: ReadonlySet<KeyScope>;
  readonly grants: readonly Grant[];
};

export type NewKey = {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly grants: readonly Grant[];
  readonly name?: string | undefined;
  /** Default: all scopes of the kind. Throws VALIDATION_ERROR for an unknown one. */
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly expiresAt?: Date | undefined;
};

export type ProjectQuery = PageQuery & { readonly orgId?: string | undefined };
export type KeyQuery = PageQuery & {
  readonly orgId?: string | undefined;
  readonly reader?: Pick<Principal, 'environment' | 'grants'> | undefined;
};

export type TenancyApi = {
  /** Throws VALIDATION_ERROR for a name that is empty or longer than 200 characters. */
  createOrg(input: { name: string }): Promise<Org>;
  /**
   * By id, which is in order of creation; organizations that a program created by their name come first. Throws
   * VALIDATION_ERROR for an invalid limit or cursor.
   */
  listOrgs(query?: PageQuery): Promise<Page<Org>>;
  /** Throws VALIDATION_ERROR as `createOrg`, NOT_FOUND for an unknown organization. */
  createProject(input: { orgId: string; name: string }): Promise<Project>;
  /** Projects of one organization or of all, ordered as in `listOrgs`. Throws as `listOrgs`. */
  listProjects(query?: ProjectQuery): Promise<Page<Project>>;
  /**
   * Returns the secret, which is shown only here. Throws VALIDATION_ERROR for a grant to an unknown organization or
   * project, for scopes that the kind may not have, and for an expiry in the past.
   */
  createKey(input: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /**
   * Keys with a grant for this organization, or all keys; oldest first. With `reader`: keys of its environment with a
   * grant that it covers, and only those grants. Throws as `listOrgs`.
   */
  listKeys(query?: KeyQuery): Promise<Page<ApiKey>>;
  /** Idempotent. Other processes stop accepting the key within 10 s. Throws NOT_FOUND. */
  revokeKey(id: string): Promise<ApiKey>;
  /** The caller with this key; null for anything that is not an active key. Throws nothing of its own. */
  authenticate(secret: string): Promise<Principal | null>;
  /**
   * The scope of a request, by the grants of its key and the organization or project of the request. Throws
   * VALIDATION_ERROR if the key needs one that the request lacks, NOT_FOUND for one without a grant.
   */
  scopeFor(
    principal: Principal,
    asked: { readonly orgId?: string | undefined; readonly projectId?: string | undefined },
  ): Promise<Scope>;
  /**
   * The scope that other functions require first: one environment of a project. An object that was not created here is
   * rejected with a TypeError. Throws NOT_FOUND.
   */
  scope(names: {
    readonly orgId: string;
    readonly projectId: string;
    readonly environment: Environment;
  }): Promise<Scope>;
  /** The project whose definitions serve both environments; a scope can be used as well. Throws NOT_FOUND. */
  project(names: { readonly orgId: string; readonly projectId: string }): Promise<ProjectScope>;
};

export type RotateOptions = {
  /** Called with progress; `of` is the total at the start. */
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined;
};

export type MasterKeyRotation = {
  /** Data keys that were wrapped again. */
  readonly dataKeys: number;
  /** Values that were sealed again. */
  readonly values: number;
  /** Values that no key opens; they are left unchanged. */
  readonly unreadable: number;
  /** Data keys that another master key still wraps: a process with only that key created them meanwhile. */
  readonly left: number;
};

export type SecretsApi = {
  /**
   * Wraps and seals everything with the first configured master key, so that the others can be removed once `left` is
   * 0. May be stopped anywhere and run again, also beside servers that have both keys. Throws WrongMasterKey if no key
   * opens a data key.
   */
  rotateMasterKey(options?: RotateOptions): Promise<MasterKeyRotation>;
};
