import type { StorageObserver } from './observer.ts';
import type { Db } from './storage.ts';

/** Caches one value per key; used to render a statement once. */
export const once = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) => {
  const cache = new WeakMap<Key, Made>();
  return (key) => {
    const existing = cache.get(key);
    if (existing) return existing;
    const value = make(key);
    cache.set(key, value);
    return value;
  };
};

/** Reports each SQL text that a builder of this handle creates to the observer. */
export const countBuilds = (db: object, observer: StorageObserver): void => {
  if (!observer.built) return;
  // Safe: every drizzle database has its dialect there (0.45.4, pinned); a test fails if builds are not counted.
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
 * Removes drizzle's error wrapper: the message of its `DrizzleQueryError` contains the statement's values, so
 * addresses, traits and codes would reach the log.
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
