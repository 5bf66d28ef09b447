import { type SQL, sql } from 'drizzle-orm';
import type { Dialect } from './storage.ts';

const causes = function* (error: unknown): Generator<Record<string, unknown>> {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    // Safe: an Error is an object; its fields are only read.
    yield current as unknown as Record<string, unknown>;
    current = current.cause;
  }
};
const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  [...causes(error)].some(({ code }) => typeof code === 'string' && codes.includes(code));

/**
 * SQLite: json_each finds a key with any characters, which a JSON path cannot. A number is returned as its stored text,
 * as on PostgreSQL: a cast would write 0.00001 as 1.0e-05.
 */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  jsonText: (column, key): SQL<string | null> =>
    sql<
      string | null
    >`(select case when j.type in ('true', 'false') then j.type when j.type in ('integer', 'real') then ${column} -> j.fullkey else j.value end from json_each(${column}) as j where j.key = ${key})`,
  isUniqueViolation: (error) => hasCode(error, ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']),
};

/** PostgreSQL: `->>` takes the key as a bound value. */
export const postgresDialect: Dialect = {
  name: 'postgres',
  jsonText: (column, key): SQL<string | null> => sql<string | null>`(${column} ->> ${key})`,
  isUniqueViolation: (error) => hasCode(error, ['23505']),
};
