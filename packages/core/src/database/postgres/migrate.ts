import type { ClientBase, Pool } from 'pg';
import { commitError, storageErrors } from '../errors.ts';
import { type Applied, MIGRATIONS_TABLE, type Migratable } from '../migrate.ts';
import { withClient } from './client.ts';

/** Key of the advisory lock. Chosen: unlikely to collide in a shared database ("beckon" in hexadecimal). */
const LOCK_ID = '0x6265636b6f6e';
/** The applied migrations. */
export const APPLIED = 'select name, checksum from beckon_migrations order by name';
/** With the version of the program that applied each; in a table without that column, `*` returns none. */
const APPLIED_BY = 'select * from beckon_migrations order by name';

/** Locks out every other migrator until the open transaction ends. */
export const migrateLocked = async (client: ClientBase): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1::bigint)', [BigInt(LOCK_ID).toString()]);
};

/** A connection with an open transaction that holds the lock, for a migrator. */
export const postgresSession = (client: ClientBase): Migratable => {
  const applied = async (): Promise<Applied[]> => (await client.query<Applied>(APPLIED_BY)).rows;
  return {
    applied,
    locked: async (work) => {
      await client.query(MIGRATIONS_TABLE('postgres'));
      await client.query('alter table beckon_migrations add column if not exists version text');
      return work({
        run: async (sql) => {
          await client.query(sql);
        },
        record: async (name, checksum, version) => {
          await client.query('insert into beckon_migrations values ($1, $2, now(), $3)', [name, checksum, version]);
        },
        applied,
      });
    },
  };
};

/** A PostgreSQL database for a migrator; its lock is an advisory one for one transaction. */
export const postgresMigratable = (pool: Pool): Migratable => ({
  applied: async () => {
    const tableExists = `select to_regclass('beckon_migrations') is not null as "isThere"`;
    const { rows } = await storageErrors.around(pool.query<{ isThere: boolean }>(tableExists));
    return rows[0]?.isThere ? (await storageErrors.around(pool.query<Applied>(APPLIED_BY))).rows : [];
  },
  locked: (work) =>
    withClient(pool, async (client) => {
      await client.query('begin');
      await migrateLocked(client);
      const result = await postgresSession(client).locked(work);
      await client.query('commit').catch((error: unknown) => {
        throw commitError(error);
      });
      return result;
    }),
});
