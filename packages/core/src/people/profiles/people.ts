import type { Write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Profile } from './answers.generated.ts';
import type { PersonKey, ProfileView } from './view.ts';

/** A profile key with the version that was read. */
export type SeenPerson = PersonKey & { readonly version: number };

/** Profiles as audiences read them, and a guard for their versions. */
export type People = {
  /** Complete profiles; missing ones are omitted. */
  load(keys: readonly PersonKey[]): Promise<readonly ProfileView[]>;
  /** Profiles in public form; missing ones are omitted. */
  loadPublic(keys: readonly PersonKey[]): Promise<readonly Profile[]>;
  /** Versions only; missing profiles are omitted. */
  versions(keys: readonly PersonKey[]): Promise<readonly SeenPerson[]>;
  /** Users into which these anonymous ids were merged. A key is the scope's number and the anonymous id. */
  usersOf(anonymous: readonly SelectKey[]): Promise<readonly (InScope & { readonly userId: string })[]>;
  /** Users ordered by id, after the given one. */
  usersAfter(scope: InScope, after: string | undefined, limit: number): Promise<readonly ProfileView[]>;
  /**
   * A guard that fails if the profile changed since it was read. It increments the version, so concurrent evaluations
   * of one profile conflict.
   */
  bumpVersion(seen: SeenPerson, tag: string): Write;
};
