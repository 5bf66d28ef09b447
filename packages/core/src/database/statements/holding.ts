import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Whether a text holds another one, whatever that one's characters mean in a pattern. Throws nothing. */
export const holding = (text: SQLWrapper, part: string): SQL =>
  sql`${text} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
