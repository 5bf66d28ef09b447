import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Running } from '../beckon.ts';
import type { Deployment } from '../kill/deployment.ts';
import type { Random } from '../kill/random.ts';
import { until } from './wait.ts';

/** Maximum duration of another transaction on a busy machine, in milliseconds. Chosen. */
const TRANSACTION_MS = 500;
const TRIES = 100;
/** Maximum random delay between two attempts. Chosen. */
const BETWEEN_MS = 100;

/** True if the SQLite database is not locked. */
const isWritable = (url: string): boolean => {
  const connection = new Database(url.slice('sqlite:'.length), { fileMustExist: true, timeout: TRANSACTION_MS });
  try {
    connection.exec('begin immediate; rollback');
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
};

/** Other sessions of a PostgreSQL database within a matching transaction. */
const sessions = async ({ query }: Deployment, condition: string): Promise<Set<string>> => {
  const rows = await query<{ key: string }>(
    `select pid || '/' || xact_start as key from pg_stat_activity as one
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and ${condition}`,
  );
  return new Set(rows.map(({ key }) => key));
};

/** True if a session is within such a transaction; first waits until no other transaction is open. */
const isAnyStuck = async (deployment: Deployment, condition: string): Promise<boolean> => {
  for (;;) {
    const before = await sessions(deployment, condition);
    if (before.size === 0) return false;
    await sleep(TRANSACTION_MS);
    const after = await sessions(deployment, condition);
    if ([...after].some((key) => before.has(key))) return true;
  }
};

/** Waits until PostgreSQL has finished pending commands, because a killed program may have sent a commit. */
export const untilSettled = async (deployment: Deployment): Promise<void> => {
  if (deployment.engine === 'sqlite') return;
  await until('nobody is within a transaction', async () => (await sessions(deployment, 'true')).size === 0);
};

const CHANGED_ROWS =
  "state like 'idle in transaction%' and exists " +
  "(select 1 from pg_locks where pg_locks.pid = one.pid and mode = 'RowExclusiveLock')";

/** Stops a program with SIGSTOP at a point where `isRight` holds; returns a function that resumes it. */
const stopWhere = async (
  { child }: Running,
  random: Random,
  what: string,
  isRight: () => boolean | Promise<boolean>,
): Promise<() => void> => {
  const resume = (): void => void child.kill('SIGCONT');
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    child.kill('SIGSTOP');
    if (await isRight()) return resume;
    resume();
    await sleep(random() * BETWEEN_MS);
  }
  throw new Error(`${TRIES} times it was not stopped ${what}`);
};

/**
 * Stops a program while it holds no lock. A program stopped within a transaction would block writes of others: on SQLite for
 * as long as it is stopped, on PostgreSQL until the server ends the transaction.
 */
export const pause = (deployment: Deployment, program: Running, random: Random): Promise<() => void> =>
  stopWhere(program, random, 'outside a transaction', () =>
    deployment.engine === 'sqlite' ? isWritable(deployment.url) : isAnyStuck(deployment, 'true').then((is) => !is),
  );

/** Stops a program within a PostgreSQL transaction with changed rows. */
export const pauseWithin = (deployment: Deployment, program: Running, random: Random): Promise<() => void> =>
  stopWhere(program, random, 'within a transaction', () => isAnyStuck(deployment, CHANGED_ROWS));
