import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Environment, ProjectScope, Scope } from '../../foundation/scope.ts';
import type { ApiKey, Grant } from './answers.generated.ts';
import type { KeyScope } from './scopes.ts';

export type Org = {
  readonly id: string;
  readonly name: string;
  /** The name of its plan; `unlimited` of whoever was given none. */
  readonly plan: string;
  readonly createdAt: Date;
};
export type Project = { readonly id: string; readonly orgId: string; readonly name: string; readonly createdAt: Date };

/** Who is calling, as the key says. */
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
  /** Default: the kind's own scopes. Throws VALIDATION_ERROR for an unknown one. */
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly expiresAt?: Date | undefined;
};

export type TenancyApi = {
  /** Throws VALIDATION_ERROR for a name that is empty or longer than 200 characters. */
  createOrg(input: { name: string }): Promise<Org>;
  listOrgs(): Promise<readonly Org[]>;
  /** Throws VALIDATION_ERROR as `createOrg`, NOT_FOUND for an org that there is not. */
  createProject(input: { orgId: string; name: string }): Promise<Project>;
  listProjects(query?: { orgId?: string | undefined }): Promise<readonly Project[]>;
  /**
   * The secret is in this answer and nowhere else. Throws VALIDATION_ERROR for a grant to an org or a project that
   * there is not, for scopes that the kind may not hold and for an end that is past.
   */
  createKey(input: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /**
   * Keys with a grant for this org, or all of them. With `reader` those of its environment that hold a grant which it
   * covers, and of their grants those alone.
   */
  listKeys(query?: {
    orgId?: string | undefined;
    reader?: Pick<Principal, 'environment' | 'grants'> | undefined;
  }): Promise<readonly ApiKey[]>;
  /** Idempotent. Other processes stop accepting the key within 10 s. Throws NOT_FOUND. */
  revokeKey(id: string): Promise<ApiKey>;
  /** Whose key this is; null for anything that is not a live key. Throws nothing of its own. */
  authenticate(secret: string): Promise<Principal | null>;
  /**
   * Whose rows a request acts on, by the grants of its key and the org or project that it names. Throws
   * VALIDATION_ERROR for what the key needs and the request leaves out, NOT_FOUND for what it has no grant for.
   */
  scopeFor(
    principal: Principal,
    asked: { readonly orgId?: string | undefined; readonly projectId?: string | undefined },
  ): Promise<Scope>;
  /**
   * The scope that every other group takes first: rows of one environment of a project. One that was not handed out here
   * is refused with a TypeError. Throws NOT_FOUND.
   */
  scope(names: {
    readonly orgId: string;
    readonly projectId: string;
    readonly environment: Environment;
  }): Promise<Scope>;
  /** The project whose definitions serve both environments; a scope does as well. Throws NOT_FOUND. */
  project(names: { readonly orgId: string; readonly projectId: string }): Promise<ProjectScope>;
};

export type RotateOptions = {
  /** Told as it goes on; `of` is what there was at the start. */
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined;
};

export type MasterKeyRotation = {
  /** Data keys that were wrapped anew. */
  readonly dataKeys: number;
  /** Values that were sealed anew. */
  readonly values: number;
  /** Values that no key opens, before as after; they are left as they are. */
  readonly unreadable: number;
  /** Data keys that another master key still wraps: a process that knows only that one made them meanwhile. */
  readonly left: number;
};

export type SecretsApi = {
  /**
   * Wraps and seals everything with the first of the configured master keys, so that the others may be removed once
   * `left` is 0. May be stopped anywhere and run again, also beside servers that have both keys. Throws WrongMasterKey for
   * what none of the keys opens.
   */
  rotateMasterKey(options?: RotateOptions): Promise<MasterKeyRotation>;
};
