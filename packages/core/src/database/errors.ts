/**
 * An error of the database, without the values that its statement carried. `code` is the driver's own, `CLOSED` (the
 * storage was closed), `DEADLINE` (whoever asked has no time left), `LOCK_WAIT`
 * (the same, while what had to go first waited for a lock) or an SQLSTATE of ours: 08006 the connection was lost,
 * 08007 it was lost while committing.
 */
export class StorageError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`the database refused a statement (${code})`);
    this.name = 'StorageError';
    this.code = code;
  }
}

/** Codes after which the same transaction may succeed. Source: PostgreSQL, appendix A (class 40). */
const RETRYABLE = new Set(['40001', '40P01']);
const LOST = '08006';
const OUTCOME_UNKNOWN = '08007';
/** Sockets and name look-ups. Source: Node.js, common system errors. */
const NETWORK = /^(ECONN|ETIMEDOUT|EPIPE|ERR_STREAM_|ERR_SOCKET_CLOSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** Codes of a database that is out of reach, full, busy, closed or switched over. Source: SQLite result codes; appendix A. */
const UNAVAILABLE =
  /^(SQLITE_(FULL|BUSY|IOERR|LOCKED|CANTOPEN|READONLY)|CLOSED|DEADLINE|LOCK_WAIT|08(?!007)|25006|25P03|40001|40P01|53|55P03|57014|57P)/;
/** Codes of a value that does not fit where it was to be written. Source: SQLite result codes; appendix A. */
const REFUSED = /^(SQLITE_(TOOBIG|CONSTRAINT|MISMATCH)|22|23|54)/;
/** What node-postgres says, without a code, when a connection ended or never came. Source: pg 8.23, pg-pool 3. */
const LOST_WORDS = /^(Connection terminated|timeout e|Query read timeout)|not queryable$/;

const codeOf = (error: unknown): string | null => {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (LOST_WORDS.test(current.message)) return LOST;
  }
  return null;
};

/** True when the transaction lost a race and may simply be run again. */
export const isRetryable = (error: unknown): boolean => error instanceof StorageError && RETRYABLE.has(error.code);

/**
 * True when the database could not serve at all; nothing of the statement's transaction is kept. A connection that was
 * lost while committing (08007) is not among them: nobody knows what is kept.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError && (UNAVAILABLE.test(error.code) || NETWORK.test(error.code));

/** True when the server takes no writes, as a standby does. Source: PostgreSQL, appendix A. */
export const isReadOnly = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.code === '25006';

/** What ran out of time. Source: PostgreSQL, appendix A; SQLite result codes; semantics, Deadlines. */
const TIMEOUTS: readonly (readonly [RegExp, TimeoutCode])[] = [
  [/^(55P03|SQLITE_BUSY|LOCK_WAIT)/, 'LOCK_TIMEOUT'],
  [/^57014/, 'QUERY_TIMEOUT'],
  [/^DEADLINE/, 'DEADLINE_EXCEEDED'],
];

/** The public codes of what took too long: nothing of it was done. */
export type TimeoutCode = 'LOCK_TIMEOUT' | 'QUERY_TIMEOUT' | 'DEADLINE_EXCEEDED';

/** What took too long: waiting for somebody's lock, one statement, or all of it; null for any other error. */
export const timeoutOf = (error: unknown): TimeoutCode | null => {
  if (!(error instanceof StorageError)) return null;
  return TIMEOUTS.find(([codes]) => codes.test(error.code))?.[1] ?? null;
};

/** True when a transaction may have taken place all the same: running it again could do it twice. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof StorageError && error.code === OUTCOME_UNKNOWN;

/** True when it was the values of the statement that the database refused: it would refuse them again, and no others. */
export const isRefusal = (error: unknown): boolean => error instanceof StorageError && REFUSED.test(error.code);

/** An error of a driver or of drizzle as ours: drizzle's own message holds parameter values. */
export const storageError = (error: unknown): unknown => {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
  return code === null ? error : new StorageError(code);
};

/** An error that answered COMMIT, as ours. When the connection went away, the outcome is not known. */
export const commitError = (error: unknown): unknown => {
  const mine = storageError(error);
  const isLost = mine instanceof StorageError && (NETWORK.test(mine.code) || /^(08|57P)/.test(mine.code));
  return isLost ? new StorageError(OUTCOME_UNKNOWN) : mine;
};

/** Runs a database call so that only our own errors leave it. */
export const storageErrors = {
  sync: <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw storageError(error);
    }
  },
  around: async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw storageError(error);
    }
  },
};
