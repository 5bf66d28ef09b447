import { byStatement, type Tag, type Write, type WriteSet } from '../commit/write-set.ts';
import { isUnavailable, storageError } from '../errors.ts';
import type { StorageObserver } from '../observer.ts';
import type { BulkWrite } from '../statements/bulk.ts';
import { encodedBy } from '../statements/codec.ts';
import { ROWS_AT_ONCE, renderWrite } from '../statements/render.ts';
import type { RenderedWrite } from '../statements/rendered.ts';
import { commitHookRunner } from './commit-hooks.ts';
import type { Connection, Prepare } from './connection.ts';
import { keyForms, keyParams, variesAt } from './key-list.ts';

/**
 * Runs a plan's rows inside the open transaction and returns the tags of failed guards; the caller then rolls
 * everything back. Null: some rows of a fused statement failed, and running each row by itself finds out which. Throws
 * errors of SQLite.
 */
export type ApplyPlan = (plan: WriteSet, runsRowsSingly: boolean) => ReadonlySet<Tag> | null;

/** Creates the function that runs plans. Throws nothing. */
export const writeSetRunner = (
  connection: Connection,
  prepared: Prepare,
  observer: StorageObserver,
  now: () => number,
): ApplyPlan => {
  const rendered = keyForms((bulk: BulkWrite, varies): RenderedWrite => renderWrite('sqlite', bulk, varies));
  const runHooks = commitHookRunner(connection);

  /** Runs one statement for all rows; returns the tags of rows without effect. */
  const missed = (bulk: BulkWrite, { columns }: RenderedWrite, rows: readonly Write[]): Tag[] => {
    const keys = rows.map(({ row }) => columns.map(({ key }) => row[key] ?? null));
    const varies = variesAt(keys);
    const { id, text } = rendered(bulk, varies);
    observer.statement?.(id, rows.length, text);
    // Safe: statements are prepared in raw mode, and this one returns indexes.
    const indexes = prepared(text).all(keyParams(columns, keys, varies)) as [number][];
    return indexes.flatMap(([at]) => rows[at]?.tag ?? []);
  };

  /**
   * Inserts as many rows as fill whole statements; returns the remaining rows, or null if some guarded rows had no
   * effect.
   */
  const insertMany = (
    { columns, isGuarded, moments }: RenderedWrite,
    text: string,
    rows: readonly Write[],
  ): readonly Write[] | null => {
    const whole = rows.length - (rows.length % ROWS_AT_ONCE);
    if (whole === 0) return rows;
    const statement = prepared(text);
    const values: unknown[] = [];
    const nowMs = moments > 0 ? now() : 0;
    for (let from = 0; from < whole; from += ROWS_AT_ONCE) {
      let place = 0;
      for (let at = from; at < from + ROWS_AT_ONCE; at += 1) {
        const row = rows[at]?.row;
        if (row) for (const column of columns) values[place++] = encodedBy(column, row[column.key]);
        for (let moment = 0; moment < moments; moment += 1) values[place++] = nowMs;
      }
      const { changes } = statement.run(values);
      if (isGuarded && changes !== ROWS_AT_ONCE) return null;
    }
    return rows.slice(whole);
  };

  return (plan, runsRowsSingly) => {
    const failed = new Set<Tag>();
    try {
      for (const [bulk, rows] of byStatement(plan)) {
        const whole = rendered(bulk, null);
        const { id, text, columns, isGuarded, returns, moments, isNamed = false, many } = whole;
        if (returns === 'missed') {
          const tags = missed(bulk, whole, rows);
          if (isGuarded) for (const tag of tags) failed.add(tag);
          continue;
        }
        observer.statement?.(id, rows.length, text);
        const isBatched = many !== undefined && !(isGuarded && runsRowsSingly);
        const singleRows = isBatched ? insertMany(whole, many, rows) : rows;
        if (singleRows === null) return null;
        if (singleRows.length === 0) continue;
        const statement = prepared(text);
        // Values are copied when they are bound, so one object serves all rows.
        const values: unknown[] = [...columns.map(() => null), ...Array<number>(moments).fill(moments > 0 ? now() : 0)];
        const named: Record<string, unknown> = isNamed ? { now: values.at(-1) } : {};
        const bound = isNamed ? named : values;
        for (const { row, tag } of singleRows) {
          for (let at = 0; at < columns.length; at += 1) {
            const column = columns[at];
            if (!column) continue;
            const encoded = encodedBy(column, row[column.key]);
            if (isNamed) named[column.name] = encoded;
            else values[at] = encoded;
          }
          const changes = statement.reader ? statement.all(bound).length : statement.run(bound).changes;
          if (isGuarded && (returns === 'count' ? changes !== row['rows'] : changes === 0)) failed.add(tag);
        }
      }
    } catch (error) {
      // Statements after a failed guard relied on a row that does not exist; the plan is repeated anyway.
      if (failed.size === 0 || !connection.inTransaction || isUnavailable(storageError(error))) throw error;
    }
    if (failed.size === 0 && plan.hooks) runHooks(plan);
    return failed;
  };
};
