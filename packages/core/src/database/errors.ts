/**
 * An error of the database, without the values of its statement. `code` is the driver's, or `CLOSED` (the storage was
 * closed), `DEADLINE` (the caller's deadline passed), `LOCK_WAIT` (it passed while an earlier call waited for a lock),
 * or one of two SQLSTATEs: 08006 the connection was lost, 08007 it was lost while committing.
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
/** Codes of sockets and name resolution. Source: Node.js, common system errors. */
const NETWORK = /^(ECONN|ETIMEDOUT|EPIPE|ERR_STREAM_|ERR_SOCKET_CLOSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** Codes of a database that is out of reach, full, busy, closed or switched over. Source: SQLite result codes; appendix A. */
const UNAVAILABLE =
  /^(SQLITE_(FULL|BUSY|IOERR|LOCKED|CANTOPEN|READONLY)|CLOSED|DEADLINE|LOCK_WAIT|08(?!007)|25006|25P03|40001|40P01|53|55P03|57014|57P)/;
/** Codes of a value that the column does not accept. Source: SQLite result codes; appendix A. */
const REFUSED = /^(SQLITE_(TOOBIG|CONSTRAINT|MISMATCH)|22|23|54)/;
/**
 * Messages of node-postgres, without a code, for a connection that ended or was never made. Source: pg 8.23, pg-pool 3.
 */
const LOST_WORDS = /^(Connection terminated|timeout e|Query read timeout)|not queryable$/;

const codeOf = (error: unknown): string | null => {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (LOST_WORDS.test(current.message)) return LOST;
  }
  return null;
};

/** True if the transaction lost a race and can be run again. */
export const isRetryable = (error: unknown): boolean => error instanceof StorageError && RETRYABLE.has(error.code);

/**
 * True if the database could not serve; nothing of the transaction was kept. A connection lost while committing (08007)
 * is excluded, since its outcome is unknown.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError && (UNAVAILABLE.test(error.code) || NETWORK.test(error.code));

/** True if the server accepts no writes, such as a standby. Source: PostgreSQL, appendix A. */
export const isReadOnly = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.code === '25006';

/** Codes of timeouts. Source: PostgreSQL, appendix A; SQLite result codes; semantics, Deadlines. */
const TIMEOUTS: readonly (readonly [RegExp, TimeoutCode])[] = [
  [/^(55P03|SQLITE_BUSY|LOCK_WAIT)/, 'LOCK_TIMEOUT'],
  [/^57014/, 'QUERY_TIMEOUT'],
  [/^DEADLINE/, 'DEADLINE_EXCEEDED'],
];

/** Public codes of timeouts; nothing was done. */
export type TimeoutCode = 'LOCK_TIMEOUT' | 'QUERY_TIMEOUT' | 'DEADLINE_EXCEEDED';

/** The kind of timeout: waiting for a lock, one statement, or the whole call; null for any other error. */
export const timeoutOf = (error: unknown): TimeoutCode | null => {
  if (!(error instanceof StorageError)) return null;
  return TIMEOUTS.find(([codes]) => codes.test(error.code))?.[1] ?? null;
};

/** True if the transaction may have been committed: running it again could do it twice. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof StorageError && error.code === OUTCOME_UNKNOWN;

/** True if the database rejected the values of the statement: it would reject them again, but not others. */
export const isRefusal = (error: unknown): boolean => error instanceof StorageError && REFUSED.test(error.code);

/** Converts an error of the driver or of drizzle, whose own message contains parameter values. */
export const storageError = (error: unknown): unknown => {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
  return code === null ? error : new StorageError(code);
};

/** Converts an error of COMMIT. If the connection was lost, the outcome is unknown. */
export const commitError = (error: unknown): unknown => {
  const mine = storageError(error);
  const isLost = mine instanceof StorageError && (NETWORK.test(mine.code) || /^(08|57P)/.test(mine.code));
  return isLost ? new StorageError(OUTCOME_UNKNOWN) : mine;
};

/** Runs a database call and converts its errors. */
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
