import { getTableName, type Table } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { SECRETS } from './backup.ts';
import { tablesOf } from './tables.ts';

describe('backup without secrets', () => {
  it('a backup without secrets leaves out every column with encrypted data', () => {
    const out = SECRETS.flatMap(({ table, columns }) =>
      Object.keys(columns ?? { '*': null }).map((one) => `${table}.${one}`),
    );
    // Safe: each is a table of the database, whose members are its columns.
    for (const table of Object.values(tablesOf('sqlite')) as unknown as (Table & Record<string, { name?: string }>)[])
      for (const { name = '' } of Object.values(table))
        if (/sealed|wrapped|shared_token/.test(name)) {
          const of = getTableName(table);
          expect(
            [`${of}.*`, `${of}.${name}`].some((one) => out.includes(one)),
            `${of}.${name}`,
          ).toBe(true);
        }
  });
});
