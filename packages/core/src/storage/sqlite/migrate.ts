import { type Applied, MIGRATIONS_TABLE, type Migratable } from '../migrate.ts';
import type { Connection } from './connection.ts';
import type { ConnectionMutex } from './mutex.ts';

/** A SQLite file for its migrator, whose lock is an immediate transaction that waits for the mutex. */
export const sqliteMigratable = (connection: Connection, mutex: ConnectionMutex): Migratable => {
  const applied = (): readonly Applied[] => {
    const isThere = connection.prepare("select 1 from sqlite_master where name = 'beckon_migrations'").get();
    // Safe: the two columns are text and not null.
    return isThere
      ? (connection.prepare('select name, checksum from beckon_migrations order by name').all() as Applied[])
      : [];
  };
  return {
    applied: () => mutex.outside(applied),
    locked: (work) =>
      mutex.exclusive(async () => {
        connection.exec('begin immediate');
        try {
          connection.exec(MIGRATIONS_TABLE('sqlite'));
          const result = await work({
            run: async (sql) => {
              connection.exec(sql);
            },
            record: async (name, checksum) => {
              connection
                .prepare("insert into beckon_migrations values (?, ?, cast(unixepoch('subsec') * 1000 as integer))")
                .run(name, checksum);
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
