// Deadlines on PostgreSQL. The server itself cancels statements that may write: after a timeout in this process, the
// statement would still take effect once its lock is free.

import type { Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { checkDeadline, databaseMs, deadlineOver } from '../deadlines.ts';
import { StorageError } from '../errors.ts';
import type { JoinedClient } from './join.ts';

/** SQLSTATE query_canceled. */
const CANCELED = '57014';
/**
 * The lock timeout is shorter than the statement timeout, so that the server reports which one it was: by at least this
 * many milliseconds, and by a tenth of the limit. Chosen: a statement works for a while before it meets the lock.
 */
const LOCK_FIRST_MS = 50;
const LOCK_FIRST_PART = 0.1;
/** The limits are sent again once the time left has shrunk by this much since they were sent. Chosen. */
const SLACK_MS = 100;
/** How long after the timeout the connection of a slow read is closed. Chosen. */
const CLOSE_MS = 50;
/**
 * How late the server may be in cancelling a statement, and in committing, before its connection counts as dead.
 * Chosen: a commit may have succeeded, so it gets more time.
 */
const SILENT_MS = 500;
const SILENT_COMMIT_MS = 2_000;
/** SQLSTATE connection_failure. */
const LOST = '08006';

/** Waits for a call at most `ms` milliseconds; after that it throws, and the call goes on without a waiter. */
export const within = async <T>(ms: number, call: Promise<T>, late: () => StorageError): Promise<T> => {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    contained(() => over.reject(late())),
    ms,
  );
  try {
    return await Promise.race([call, over.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** A connection of the pool. Throws StorageError `DEADLINE` if none is free in time, and errors of the driver. */
export const connectInTime = async (pool: Pool, untilMs: number): Promise<PoolClient> => {
  const connecting = pool.connect();
  if (untilMs === Number.POSITIVE_INFINITY) return connecting;
  let isLate = false;
  connecting.then(
    (client) => isLate && client.release(),
    () => undefined,
  );
  return within(Math.max(1, untilMs - performance.now()), connecting, () => {
    isLate = true;
    return deadlineOver();
  });
};

/** The pool, for reads with a deadline. Throws StorageError `DEADLINE` if it has passed. */
export const readingUntil = (pool: Pool, untilMs: number): JoinedClient => {
  // Safe: the driver accepts a text or the object that drizzle and this module create, and returns rows in the
  // requested form.
  const plain = pool as unknown as JoinedClient;
  if (untilMs === Number.POSITIVE_INFINITY) return plain;
  const ms = databaseMs(untilMs);
  // The driver closes the connection, on which the server may still be busy.
  const query = (config: object, values?: unknown[]) =>
    within(ms, plain.query({ ...config, query_timeout: ms + CLOSE_MS }, values), () => new StorageError(CANCELED));
  // Safe: as above.
  return { query } as JoinedClient;
};

/** A lent connection, and a function that marks it as unusable. */
export type Lent = { readonly client: PoolClient; discard(error: Error): void };

/** A transaction's connection with its deadline. */
export type Timed = JoinedClient & {
  /** Begins the transaction. Throws StorageError `DEADLINE`. */
  begin(text: string): Promise<unknown>;
  /** Commits, unless the deadline has passed: then it throws StorageError `DEADLINE`. */
  commit(): Promise<{ readonly command: string }>;
};

/**
 * Makes the server cancel statements at the deadline. Pipelined statements each get the time that was left when they
 * were sent, and callers are answered at most `SILENT_MS` late. If the server does not even report the timeout, it
 * counts as out of reach: nothing of the transaction is done, or its outcome is unknown if it was committing.
 *
 * @param lockMs limit of a wait for a lock, in any case
 */
export const timed = ({ client, discard }: Lent, untilMs: number, lockMs = Number.POSITIVE_INFINITY): Timed => {
  // Safe: see readingUntil.
  const plain = client as unknown as JoinedClient;
  // Not set in a pool that the host created without it, nor by an older driver.
  const isPipelined = client.pipeline === true;
  if (untilMs === Number.POSITIVE_INFINITY) {
    const limits = Number.isFinite(lockMs) ? `; set local lock_timeout = ${lockMs}` : '';
    const begin = (text: string) => client.query(`${text}${limits}`);
    return { isPipelined, query: plain.query.bind(plain), begin, commit: () => client.query('commit') };
  }
  const withinDeadline = <T>(call: Promise<T>, lateMs: number, late: () => StorageError): Promise<T> =>
    within(Math.max(1, untilMs + lateMs - performance.now()), call, () => {
      const error = late();
      discard(error);
      return error;
    });
  let statedMs = 0;
  const limits = (): string => {
    statedMs = databaseMs(untilMs);
    const lock = Math.max(
      1,
      Math.min(lockMs, Math.floor(statedMs - Math.max(LOCK_FIRST_MS, statedMs * LOCK_FIRST_PART))),
    );
    return `; set local lock_timeout = ${lock}; set local statement_timeout = ${statedMs}`;
  };
  const query = async (config: unknown, values?: unknown[]) => {
    const isStale = statedMs - databaseMs(untilMs) > SLACK_MS;
    const limitsSet = isStale ? withinDeadline(client.query(limits().slice(2)), SILENT_MS, deadlineOver) : undefined;
    // Awaited unless the connection is pipelined, which keeps the order: otherwise the next statement could be sent
    // first.
    if (!isPipelined) await limitsSet;
    const [answer] = await Promise.all([
      withinDeadline(plain.query(config, values), SILENT_MS, deadlineOver),
      limitsSet,
    ]);
    return answer;
  };
  return {
    isPipelined,
    // Safe: as above.
    query: query as JoinedClient['query'],
    begin: (text) => withinDeadline(client.query(`${text}${limits()}`), SILENT_MS, deadlineOver),
    commit: async () => {
      checkDeadline(untilMs);
      // A commit that waits for a standby is not cancelled: the server would report success.
      const call = client.query('set local statement_timeout = 0; commit');
      const answers: unknown = await withinDeadline(call, SILENT_COMMIT_MS, () => new StorageError(LOST));
      // Safe: for two statements the driver returns two results.
      return (answers as { readonly command: string }[])[1] ?? { command: '' };
    },
  };
};
