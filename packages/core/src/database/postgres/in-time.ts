// Deadlines on PostgreSQL. Whatever may write is given up by the server itself: a timer of ours would leave a statement
// behind that takes effect once its lock is free.

import type { Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { StorageError } from '../errors.ts';
import { checkDeadline, databaseMs, deadlineOver } from '../in-time.ts';
import type { JoinedClient } from './join.ts';

/** SQLSTATE query_canceled. */
const CANCELED = '57014';
/**
 * By how much waiting for a lock ends before its statement does, so that the server says which it was: at least so long, and
 * a tenth of the limit. Chosen: a statement works for a while before it meets the lock.
 */
const LOCK_FIRST_MS = 50;
const LOCK_FIRST_PART = 0.1;
/** By how much what was left when the server was told may have shrunk until it is told again; ours. */
const SLACK_MS = 100;
/** How long after its answer the connection of a read that took too long is closed; ours. */
const CLOSE_MS = 50;
/**
 * By how much the server may be late with giving up, and with a commit, before its connection counts as silent. Ours: a
 * commit that is given up may have been done, so it is waited for longer.
 */
const SILENT_MS = 500;
const SILENT_COMMIT_MS = 2_000;
/** SQLSTATE connection_failure. */
const LOST = '08006';

/** What a call comes to within so many milliseconds; after them it throws, and the call goes on for nobody. */
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

/** A connection of the pool. Throws StorageError `DEADLINE` where none is free in time, and what the driver throws. */
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

/** The pool, for a read that nobody waits for after a deadline. Throws StorageError `DEADLINE` where it is over. */
export const readingUntil = (pool: Pool, untilMs: number): JoinedClient => {
  // Safe: the driver takes a text or the object that drizzle and we make, and answers rows as that asks for them.
  const plain = pool as unknown as JoinedClient;
  if (untilMs === Number.POSITIVE_INFINITY) return plain;
  const ms = databaseMs(untilMs);
  // The driver closes the connection, on which the server may be at it for long.
  const query = (config: object, values?: unknown[]) =>
    within(ms, plain.query({ ...config, query_timeout: ms + CLOSE_MS }, values), () => new StorageError(CANCELED));
  // Safe: as above.
  return { query } as JoinedClient;
};

/** A connection that is lent, and the way to say that it is of no use any more. */
export type Lent = { readonly client: PoolClient; giveUp(error: Error): void };

/** A transaction's connection with its deadline. */
export type Timed = JoinedClient & {
  /** Opens it. Throws StorageError `DEADLINE`. */
  begin(text: string): Promise<unknown>;
  /** COMMIT, unless the deadline has passed: then it throws StorageError `DEADLINE`. */
  commit(): Promise<{ readonly command: string }>;
};

/**
 * Makes the server give up what would take longer than a deadline, statement by statement; of those that are asked together
 * each has what was left then, and whoever waits is answered `SILENT_MS` later at most. A server that does not even say
 * so is out of reach: then nothing of the transaction is done, or nobody knows where it was committing.
 *
 * @param lockMs waiting for a lock ends after so long in any case
 */
export const timed = ({ client, giveUp }: Lent, untilMs: number, lockMs = Number.POSITIVE_INFINITY): Timed => {
  // Safe: see readingUntil.
  const plain = client as unknown as JoinedClient;
  // Not so of a pool that the host made without it, nor with an older driver.
  const isPipelined = client.pipeline === true;
  if (untilMs === Number.POSITIVE_INFINITY) {
    const limits = Number.isFinite(lockMs) ? `; set local lock_timeout = ${lockMs}` : '';
    const begin = (text: string) => client.query(`${text}${limits}`);
    return { isPipelined, query: plain.query.bind(plain), begin, commit: () => client.query('commit') };
  }
  const answered = <T>(call: Promise<T>, lateMs: number, late: () => StorageError): Promise<T> =>
    within(Math.max(1, untilMs + lateMs - performance.now()), call, () => {
      const error = late();
      giveUp(error);
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
    const isLess = statedMs - databaseMs(untilMs) > SLACK_MS;
    const told = isLess ? answered(client.query(limits().slice(2)), SILENT_MS, deadlineOver) : undefined;
    // Behind it in the pipeline: what is asked next would else be asked before this.
    if (!isPipelined) await told;
    const [answer] = await Promise.all([answered(plain.query(config, values), SILENT_MS, deadlineOver), told]);
    return answer;
  };
  return {
    isPipelined,
    // Safe: as above.
    query: query as JoinedClient['query'],
    begin: (text) => answered(client.query(`${text}${limits()}`), SILENT_MS, deadlineOver),
    commit: async () => {
      checkDeadline(untilMs);
      // A commit that waits for a standby is not given up: the server would say that it is done.
      const call = client.query('set local statement_timeout = 0; commit');
      const answers: unknown = await answered(call, SILENT_COMMIT_MS, () => new StorageError(LOST));
      // Safe: of two statements the driver answers two results.
      return (answers as { readonly command: string }[])[1] ?? { command: '' };
    },
  };
};
