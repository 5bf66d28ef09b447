import type { BulkWrite } from '../bulk.ts';
import { once } from '../drizzle.ts';
import { isUnavailable, storageError } from '../errors.ts';
import type { StorageObserver } from '../observer.ts';
import { type RenderedWrite, renderWrite } from '../render.ts';
import { byStatement, type Tag, type WriteSet } from '../write-set.ts';
import { alongRunner } from './along.ts';
import type { Connection, Prepare } from './connection.ts';

/**
 * Runs a plan's rows inside the open transaction and answers the tags whose guards failed; then the caller undoes all
 * of it. Throws what SQLite throws.
 */
export const writeSetRunner = (
  connection: Connection,
  prepared: Prepare,
  observer: StorageObserver,
  now: () => number,
): ((plan: WriteSet) => ReadonlySet<Tag>) => {
  const rendered = once((bulk: BulkWrite): RenderedWrite => renderWrite('sqlite', bulk));
  const runAlong = alongRunner(connection);
  return (plan) => {
    const failed = new Set<Tag>();
    try {
      for (const [bulk, rows] of byStatement(plan)) {
        const { id, text, columns, isGuarded, returns, moments } = rendered(bulk);
        observer.statement?.(id, rows.length, text);
        const statement = prepared(text);
        // Values are taken over as they are bound, so one array serves all rows.
        const values: unknown[] = new Array(columns.length + moments).fill(null);
        if (moments > 0) values.fill(now(), columns.length);
        for (const { row, tag } of rows) {
          for (let at = 0; at < columns.length; at += 1) {
            const column = columns[at];
            if (!column) continue;
            const value = row[column.key];
            values[at] = column.isPlain ? (value ?? null) : column.encode(value);
          }
          const changes = statement.reader ? statement.all(values).length : statement.run(values).changes;
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
