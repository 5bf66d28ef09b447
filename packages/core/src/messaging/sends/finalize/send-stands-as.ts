import type { ColumnName } from '../../../database/statements/bulk.ts';
import type { SendStatus } from '../schema.ts';

/**
 * A condition for another engine's statement over rows that name a send: it stands so, as this transaction leaves it.
 * Whoever writes such a row after the statements that end sends sees what they did.
 *
 * @param column renders a column of the other table, with its name
 * @param sendId the column that names the send, of the same scope
 */
export const sendStandsAs = (column: ColumnName, sendId: string, statuses: readonly SendStatus[]): string => {
  const same = `s."scope_id" = ${column('scope_id')}`;
  const list = statuses.map((status) => `'${status}'`).join(', ');
  return `exists (select 1 from "sends" as s where ${same} and s."id" = ${column(sendId)} and s."status" in (${list}))`;
};
