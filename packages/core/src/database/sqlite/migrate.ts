import { type Applied, MIGRATIONS_TABLE, type Migratable } from '../migrate.ts';
import type { Connection } from './connection.ts';
import type { ConnectionMutex } from './mutex.ts';

/** A SQLite file for a migrator; its lock is an immediate transaction that waits for the mutex. */
export const sqliteMigratable = (connection: Connection, mutex: ConnectionMutex): Migratable => {
  const applied = (): readonly Applied[] => {
    const isThere = connection.prepare("select 1 from sqlite_master where name = 'beckon_migrations'").get();
    // Safe: the columns are text, and only the version may be null. In a table without versions, `*` returns none.
    return isThere ? (connection.prepare('select * from beckon_migrations order by name').all() as Applied[]) : [];
  };
  return {
    applied: () => mutex.outside(applied),
    locked: (work) =>
      mutex.exclusive(async () => {
        connection.exec('begin immediate');
        try {
          connection.exec(MIGRATIONS_TABLE('sqlite'));
          const hasVersion = "select 1 from pragma_table_info('beckon_migrations') where name = 'version'";
          if (!connection.prepare(hasVersion).get())
            connection.exec('alter table beckon_migrations add column version text');
          const result = await work({
            run: async (sql) => {
              connection.exec(sql);
            },
            record: async (name, checksum, version) => {
              connection
                .prepare("insert into beckon_migrations values (?, ?, cast(unixepoch('subsec') * 1000 as integer), ?)")
                .run(name, checksum, version);
            },
            applied: async () => applied(),
          });
          connection.exec('commit');
          return result;
        } catch (error) {
          if (connection.inTransaction) connection.exec('rollback');
          throw error;
        }
      }),
  };
};
