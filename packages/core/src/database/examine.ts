import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';

/** Facts about a database other than its content. */
export type DatabaseFacts =
  | {
      readonly dialect: 'sqlite';
      readonly version: string;
      /** `ok`, or the first problem. */
      readonly integrity: string;
      /** Size of the write-ahead log. */
      readonly walBytes: number;
    }
  | {
      readonly dialect: 'postgres';
      readonly version: string;
      /** How far its clock is ahead of this machine's; negative if it is behind. */
      readonly clockAheadMs: number;
      /** Whether a notification of one connection reaches another; a pooler in between may lose it. */
      readonly areSignalsDelivered: boolean;
    };

/** How long a notification may take. Chosen. */
const SIGNAL_TIMEOUT_MS = 2_000;

const examineSqlite = async (path: string): Promise<DatabaseFacts> => {
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

const examinePostgres = async (url: string, clock: Clock): Promise<DatabaseFacts> => {
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
    const requestedMs = clock.now().getTime();
    const { rows } = await one.query<{ now: Date; version: string }>(
      `select clock_timestamp() as now, current_setting('server_version') as version`,
    );
    const answeredMs = clock.now().getTime();
    const [row] = rows;
    if (!row) throw new Error('The database answered no row.');
    const channel = `beckon_${randomUUID().replaceAll('-', '')}`;
    const notified = Promise.withResolvers<boolean>();
    one.on(
      'notification',
      contained(() => notified.resolve(true)),
    );
    await one.query(`listen ${channel}`);
    await other.query(`notify ${channel}`);
    const areSignalsDelivered = await Promise.race([notified.promise, later(SIGNAL_TIMEOUT_MS, false, { ref: false })]);
    const clockAheadMs = Math.round(row.now.getTime() - (requestedMs + answeredMs) / 2);
    return { dialect: 'postgres', version: row.version, clockAheadMs, areSignalsDelivered };
  } finally {
    for (const client of clients) await client.end();
  }
};

/** Reads facts about a database without starting the service, and changes nothing. Throws errors of the driver. */
export const examineDatabase = ({
  db,
  clock,
}: {
  readonly db: string;
  readonly clock: Clock;
}): Promise<DatabaseFacts> =>
  db.startsWith('sqlite:') ? examineSqlite(db.slice('sqlite:'.length)) : examinePostgres(db, clock);
