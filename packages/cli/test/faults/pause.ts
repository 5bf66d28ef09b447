import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Running } from '../beckon.ts';
import type { Deployment } from '../kill/deployment.ts';
import type { Random } from '../kill/random.ts';

/** How long somebody else's transaction may take on a busy machine, in milliseconds; ours. */
const TRANSACTION_MS = 500;
const TRIES = 100;
/** Between two tries the program gets on by at most so much; ours, drawn anew each time. */
const BETWEEN_MS = 100;

/** True when the file of an SQLite database can be written. */
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

/** The transactions that a program of this database has begun and is not asking anything in. */
const openTransactions = async ({ query }: Deployment): Promise<Set<string>> => {
  const rows = await query<{ key: string }>(
    `select pid || '/' || xact_start as key from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  );
  return new Set(rows.map(({ key }) => key));
};

/** True when nobody sits on a transaction of PostgreSQL. */
const isUnlocked = async (deployment: Deployment): Promise<boolean> => {
  const before = await openTransactions(deployment);
  if (before.size === 0) return true;
  await sleep(TRANSACTION_MS);
  return [...(await openTransactions(deployment))].every((key) => !before.has(key));
};

/**
 * Stops a program with SIGSTOP and answers how to let it go on.
 *
 * It is stopped where it holds no lock: a process that is stopped within a transaction keeps everybody else from
 * writing, on SQLite to the file, on PostgreSQL to the rows that it changed. No lease can help against that.
 */
export const pause = async (deployment: Deployment, { child }: Running, random: Random): Promise<() => void> => {
  const resume = (): void => void child.kill('SIGCONT');
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    child.kill('SIGSTOP');
    const isFree = deployment.engine === 'sqlite' ? isWritable(deployment.url) : await isUnlocked(deployment);
    if (isFree) return resume;
    resume();
    await sleep(random() * BETWEEN_MS);
  }
  throw new Error(`${TRIES} times it was stopped within a transaction`);
};
