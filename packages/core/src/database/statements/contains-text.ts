import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** True if a text contains another one, whose pattern characters have no special meaning. Throws nothing. */
export const containsText = (text: SQLWrapper, part: string): SQL =>
  sql`${text} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
