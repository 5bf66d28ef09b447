import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { predicateSql } from '../predicate/store.ts';
import type { EventLeaf, Predicate } from '../predicate/types.ts';
import { isMemoryCheaper, largeFrom, sqlWeightOfAll } from '../predicate/weight.ts';
import { matchingStores } from './store.ts';

/** A user whose membership row differs from the predicate's verdict. */
export type MembershipDifference<Audience> = {
  readonly person: string;
  readonly version: number;
  readonly audience: Audience;
  readonly isIn: boolean;
};

/** `last` null: no more users. `isWhole` false: it ended early because there were enough moves. */
export type MembershipDiff<Audience> = {
  readonly moves: readonly MembershipDifference<Audience>[];
  readonly last: string | null;
  readonly isWhole: boolean;
};

/**
 * Finds differences among the next users by one statement, which sees one snapshot. Null if SQL cannot evaluate the
 * predicates exactly, or large traits would take too long. References to other audiences use their rows.
 */
export type FindMembershipDiff = <Audience extends { readonly id: string; readonly predicate: Predicate }>(
  scope: InScope,
  audiences: readonly Audience[],
  slice: { readonly after: string | null; readonly users: number; readonly most: number },
) => Promise<MembershipDiff<Audience> | null>;

export const membershipDiff = ({
  storage,
  clock,
  coversLeaf,
}: {
  readonly storage: Pick<Storage, 'db' | 'readOnlyConnection' | 'dialect'>;
  readonly clock: Clock;
  readonly coversLeaf: (scope: InScope) => Promise<(leaf: EventLeaf) => boolean>;
}): FindMembershipDiff => {
  const stores = matchingStores(storage);
  return async (scope, audiences, { after, users, most }) => {
    const weight = sqlWeightOfAll(audiences.map(({ predicate }) => predicate));
    const isSqlite = storage.dialect.name === 'sqlite';
    if (isSqlite && isMemoryCheaper(weight)) return null;
    const isCounted = await coversLeaf(scope);
    const now = clock.now();
    const compiled = audiences.map(({ id, predicate }) => {
      return { id, ...predicateSql(storage.dialect.name, scope, predicate, now, isCounted) };
    });
    if (compiled.some(({ isExact }) => !isExact)) return null;
    const until = await stores.edge(scope, after, users);
    const range = { after, until };
    const largest = isSqlite ? largeFrom(weight) : null;
    if (largest !== null && (await stores.of(range).isAnyLarge(scope, range, largest))) return null;
    const rows = await stores.of(range).findDiff(scope, range, compiled, most);
    const end = rows.length < most ? undefined : rows.at(-1)?.person;
    // Rows of the last user may be cut off: leave them to the next slice, unless there is no other user.
    const kept = end === undefined ? rows : rows.filter(({ person }) => person !== end);
    const whole = kept.length === 0 ? rows : kept;
    const moves = whole.flatMap(({ place, ...row }) => {
      const audience = audiences[place];
      return audience === undefined ? [] : [{ ...row, audience }];
    });
    return end === undefined
      ? { moves, last: until, isWhole: true }
      : { moves, last: moves.at(-1)?.person ?? null, isWhole: false };
  };
};
