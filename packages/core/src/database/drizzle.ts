import type { StorageObserver } from './observer.ts';
import type { Db } from './storage.ts';

/** Remembers what was made for each key; used to render a statement once. */
export const once = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) => {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
};

/** Tells the observer about each SQL text that a builder of this handle makes. */
export const countBuilds = (db: object, observer: StorageObserver): void => {
  if (!observer.built) return;
  // Safe: every drizzle database holds its dialect there (0.45.4, pinned); a test fails when builds go uncounted.
  const { dialect } = db as { dialect: { sqlToQuery(...args: unknown[]): unknown } };
  const original = dialect.sqlToQuery.bind(dialect);
  dialect.sqlToQuery = (...args) => {
    observer.built?.();
    return original(...args);
  };
};

type Prepared = {
  queryWithCache?: (text: string, params: unknown[], query: () => Promise<unknown>) => Promise<unknown>;
};

/**
 * The handle with drizzle's error wrapper taken out of the way: the message of its `DrizzleQueryError` holds the
 * statement's values, and addresses, traits and codes would reach the log with it.
 */
export const bareErrors = (db: object): Db => {
  // Safe: both sessions prepare every query through this method (0.45.4, pinned); the storage contract proves that
  // no error that leaves storage holds a value.
  const { session } = db as { session: { prepareQuery(...args: unknown[]): Prepared } };
  const original = session.prepareQuery.bind(session);
  session.prepareQuery = (...args) => {
    const prepared = original(...args);
    prepared.queryWithCache = (_text, _params, query) => query();
    return prepared;
  };
  // Safe: the shared surface of both dialects, proven by the storage contract (see columns.ts).
  return db as Db;
};
