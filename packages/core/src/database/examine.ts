import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';

/** What is known of a database beside its content. */
export type DatabaseFacts =
  | {
      readonly dialect: 'sqlite';
      readonly version: string;
      /** `ok`, or the first thing that is wrong. */
      readonly integrity: string;
      /** Of the log that is not in the file yet. */
      readonly walBytes: number;
    }
  | {
      readonly dialect: 'postgres';
      readonly version: string;
      /** How far its clock is ahead of this machine's; negative where it is behind. */
      readonly clockAheadMs: number;
      /** Whether a signal of one connection reaches another; a pooler between may lose them. */
      readonly isHeard: boolean;
    };

/** How long a signal may take; ours. */
const HEAR_MS = 2_000;

const ofSqlite = async (path: string): Promise<DatabaseFacts> => {
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(path, { fileMustExist: true });
  try {
    const one = (text: string): string => String(database.prepare(text).pluck().get());
    const { size: walBytes } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
    const integrity = one('pragma integrity_check(1)');
    return { dialect: 'sqlite', version: one('select sqlite_version()'), integrity, walBytes };
  } finally {
    database.close();
  }
};

const ofPostgres = async (url: string, clock: Clock): Promise<DatabaseFacts> => {
  const { default: pg } = await import('pg');
  const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })] as const;
  const [one, other] = clients;
  try {
    for (const client of clients) {
      client.on(
        'error',
        contained(() => undefined),
      );
      await client.connect();
    }
    const asked = clock.now().getTime();
    const { rows } = await one.query<{ now: Date; version: string }>(
      `select clock_timestamp() as now, current_setting('server_version') as version`,
    );
    const answered = clock.now().getTime();
    const [row] = rows;
    if (!row) throw new Error('The database answered no row.');
    const channel = `beckon_${randomUUID().replaceAll('-', '')}`;
    const heard = Promise.withResolvers<boolean>();
    one.on(
      'notification',
      contained(() => heard.resolve(true)),
    );
    await one.query(`listen ${channel}`);
    await other.query(`notify ${channel}`);
    const isHeard = await Promise.race([heard.promise, later(HEAR_MS, false, { ref: false })]);
    const clockAheadMs = Math.round(row.now.getTime() - (asked + answered) / 2);
    return { dialect: 'postgres', version: row.version, clockAheadMs, isHeard };
  } finally {
    for (const client of clients) await client.end();
  }
};

/** Looks at a database without its service, and changes nothing. Throws what the driver throws. */
export const examineDatabase = ({
  db,
  clock,
}: {
  readonly db: string;
  readonly clock: Clock;
}): Promise<DatabaseFacts> => (db.startsWith('sqlite:') ? ofSqlite(db.slice('sqlite:'.length)) : ofPostgres(db, clock));
