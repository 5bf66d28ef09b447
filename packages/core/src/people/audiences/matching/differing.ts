import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { predicateSql } from '../predicate/store.ts';
import type { EventLeaf, Predicate } from '../predicate/types.ts';
import { isMemoryCheaper, largeFrom, sqlWeightOfAll } from '../predicate/weight.ts';
import { matchingStores } from './store.ts';

/** Somebody whose row in an audience is not as its predicate has it: they are to be in it, or not. */
export type Move<Audience> = {
  readonly person: string;
  readonly version: number;
  readonly audience: Audience;
  readonly isIn: boolean;
};

/** `last` null: there are no more users. Not `isWhole`: it ends where there were enough moves. */
export type Differences<Audience> = {
  readonly moves: readonly Move<Audience>[];
  readonly last: string | null;
  readonly isWhole: boolean;
};

/**
 * Of the next users those who move, by one statement, which sees them as they were at one moment. Null where SQL does not
 * tell exactly, or would take too long over somebody's traits. What a predicate says of other audiences is asked of their rows.
 */
export type Differing = <Audience extends { readonly id: string; readonly predicate: Predicate }>(
  scope: InScope,
  audiences: readonly Audience[],
  slice: { readonly after: string | null; readonly users: number; readonly most: number },
) => Promise<Differences<Audience> | null>;

export const membershipDiff = ({
  storage,
  clock,
  coversLeaf,
}: {
  readonly storage: Pick<Storage, 'db' | 'readOnlyConnection' | 'dialect'>;
  readonly clock: Clock;
  readonly coversLeaf: (scope: InScope) => Promise<(leaf: EventLeaf) => boolean>;
}): Differing => {
  const stores = matchingStores(storage);
  return async (scope, audiences, { after, users, most }) => {
    const weight = sqlWeightOfAll(audiences.map(({ predicate }) => predicate));
    const isSqlite = storage.dialect.name === 'sqlite';
    if (isSqlite && isMemoryCheaper(weight)) return null;
    const told = await coversLeaf(scope);
    const now = clock.now();
    const asked = audiences.map(({ id, predicate }) => {
      return { id, ...predicateSql(storage.dialect.name, scope, predicate, now, told) };
    });
    if (asked.some(({ isExact }) => !isExact)) return null;
    const until = await stores.edge(scope, after, users);
    const range = { after, until };
    const largest = isSqlite ? largeFrom(weight) : null;
    if (largest !== null && (await stores.of(range).isAnyLarge(scope, range, largest))) return null;
    const rows = await stores.of(range).differing(scope, range, asked, most);
    const end = rows.length < most ? undefined : rows.at(-1)?.person;
    // The last person's rows may have been cut off, so they are left for the next slice, unless there is nobody else.
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
