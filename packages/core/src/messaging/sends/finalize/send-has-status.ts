import type { ColumnName } from '../../../database/statements/bulk.ts';
import type { SendStatus } from '../schema.ts';

/**
 * A condition, for statements of other engines, on the status of the send that a row names, as this transaction leaves
 * it. Statements placed after those that end sends see the new status.
 *
 * @param column renders a column of the other table with its alias
 * @param sendId the column that names the send, of the same scope
 */
export const sendHasStatus = (column: ColumnName, sendId: string, statuses: readonly SendStatus[]): string => {
  const same = `s."scope_id" = ${column('scope_id')}`;
  const list = statuses.map((status) => `'${status}'`).join(', ');
  return `exists (select 1 from "sends" as s where ${same} and s."id" = ${column(sendId)} and s."status" in (${list}))`;
};
