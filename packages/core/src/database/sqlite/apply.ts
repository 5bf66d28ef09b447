import { byStatement, type Tag, type Write, type WriteSet } from '../commit/write-set.ts';
import { isUnavailable, storageError } from '../errors.ts';
import type { StorageObserver } from '../observer.ts';
import type { BulkWrite } from '../statements/bulk.ts';
import { encodedBy } from '../statements/codec.ts';
import { ROWS_AT_ONCE, renderWrite } from '../statements/render.ts';
import type { RenderedWrite } from '../statements/rendered.ts';
import { alongRunner } from './along.ts';
import type { Connection, Prepare } from './connection.ts';
import { keyForms, keyParams, variesAt } from './key-list.ts';

/**
 * Runs a plan's rows inside the open transaction and answers the tags whose guards failed; then the caller undoes all
 * of it. Null: some failed of rows that ran as one statement, and which is told where each runs by itself. Throws what
 * SQLite throws.
 */
export type ApplyPlan = (plan: WriteSet, isApart: boolean) => ReadonlySet<Tag> | null;

/** Makes the function that runs plans. Throws nothing. */
export const writeSetRunner = (
  connection: Connection,
  prepared: Prepare,
  observer: StorageObserver,
  now: () => number,
): ApplyPlan => {
  const rendered = keyForms((bulk: BulkWrite, varies): RenderedWrite => renderWrite('sqlite', bulk, varies));
  const runAlong = alongRunner(connection);

  /** Runs a statement that is all of its rows; answers the tags of those without effect. */
  const missed = (bulk: BulkWrite, { columns }: RenderedWrite, rows: readonly Write[]): Tag[] => {
    const keys = rows.map(({ row }) => columns.map(({ key }) => row[key] ?? null));
    const varies = variesAt(keys);
    const { id, text } = rendered(bulk, varies);
    observer.statement?.(id, rows.length, text);
    // Safe: statements are prepared in raw mode, and this one answers places.
    const places = prepared(text).all(keyParams(columns, keys, varies)) as [number][];
    return places.flatMap(([at]) => rows[at]?.tag ?? []);
  };

  /** Inserts as many of these rows as fill whole statements; answers the others, null: of guarded rows some had no effect. */
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

  return (plan, isApart) => {
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
        const isTogether = many !== undefined && !(isGuarded && isApart);
        const alone = isTogether ? insertMany(whole, many, rows) : rows;
        if (alone === null) return null;
        if (alone.length === 0) continue;
        const statement = prepared(text);
        // Values are taken over as they are bound, so one object serves all rows.
        const values: unknown[] = [...columns.map(() => null), ...Array<number>(moments).fill(moments > 0 ? now() : 0)];
        const named: Record<string, unknown> = isNamed ? { now: values.at(-1) } : {};
        const bound = isNamed ? named : values;
        for (const { row, tag } of alone) {
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
      // What ran after a failed guard stood on a row that is not there; the plan is made again anyway.
      if (failed.size === 0 || !connection.inTransaction || isUnavailable(storageError(error))) throw error;
    }
    if (failed.size === 0 && plan.along) runAlong(plan);
    return failed;
  };
};
