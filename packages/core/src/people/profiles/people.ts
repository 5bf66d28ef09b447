import type { Write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Profile } from './answers.generated.ts';
import type { PersonKey, ProfileView } from './view.ts';

/** A person as they were read. */
export type SeenPerson = PersonKey & { readonly version: number };

/** Profiles as audiences read them, and a guard that they stay as they were read. */
export type People = {
  /** Profiles whole; whoever has none is missing. */
  whole(keys: readonly PersonKey[]): Promise<readonly ProfileView[]>;
  /** As they are shown; whoever has none is missing. */
  shown(keys: readonly PersonKey[]): Promise<readonly Profile[]>;
  /** Their versions alone. */
  versions(keys: readonly PersonKey[]): Promise<readonly SeenPerson[]>;
  /** Users who are known to have had these anonymous ids, each after the scope's number. */
  usersOf(anonymous: readonly SelectKey[]): Promise<readonly (InScope & { readonly userId: string })[]>;
  /** Users in the order of their ids, after one of them. */
  usersAfter(scope: InScope, after: string | undefined, limit: number): Promise<readonly ProfileView[]>;
  /** A guard: nobody has changed this person since they were read, nor judged them anew. */
  hold(seen: SeenPerson, tag: string): Write;
};
