// Iterates over a table with sealed values, to seal all of them again.

import type { InScope, Scope, ScopeDirectory } from '../../foundation/scope.ts';
import type { SealedValue, SealedValues } from './rotation.ts';

/** A table with sealed values; `After` is the part of a row that identifies its position. */
export type SealedRows<Row extends After, After> = {
  /** Number of rows with sealed values. */
  count(): Promise<number>;
  /** At most `limit` of them in a fixed order, after a position; null: from the first. */
  read(after: After | null, limit: number): Promise<readonly Row[]>;
};

/** Reads slice by slice. Throws errors of the functions passed in. */
export const sealedRows = <Row extends After, After>({
  count,
  read,
  valuesOf,
}: SealedRows<Row, After> & {
  valuesOf(rows: readonly Row[]): readonly SealedValue[] | Promise<readonly SealedValue[]>;
}): SealedValues => ({
  count,
  batches: async function* (size) {
    let after: After | null = null;
    for (;;) {
      const rows: readonly Row[] = await read(after, size);
      if (rows.length === 0) return;
      yield await valuesOf(rows);
      after = rows.at(-1) ?? null;
    }
  },
});

/** The same for rows that belong to an environment. */
export const sealedInScopes = <Row extends After & InScope, After>({
  scopes,
  valuesOf,
  ...rows
}: SealedRows<Row, After> & {
  readonly scopes: ScopeDirectory;
  valuesOf(row: Row, scope: Scope): readonly SealedValue[];
}): SealedValues =>
  sealedRows({
    ...rows,
    valuesOf: async (some) => {
      const scopeOf = await scopes.load(some.map(({ scopeId }) => scopeId));
      return some.flatMap((row) => valuesOf(row, scopeOf(row.scopeId)));
    },
  });
