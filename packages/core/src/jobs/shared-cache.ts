// Caches of database reads that may be slightly stale, shared by all callers of one process.
//
//   load(keys)   cached values, and one read for all keys that are missing or too old
//   change       write, then clear here, then signal the topic: other processes clear theirs
//   lost signal  a value is used for at most `maxAgeMs`
//
// A value enters the cache when its read begins. If it is dropped before the read ends, current waiters still get it,
// and no later caller does: a value read before a change is never kept after it.

import type { BulkSelect } from '../database/statements/bulk.ts';
import type { Storage } from '../database/storage.ts';
import type { Clock } from '../foundation/clock.ts';
import { lru } from '../foundation/lru.ts';
import { type InScope, scopeKey } from '../foundation/scope.ts';

/** Default age of a value, in milliseconds. Chosen: the same for settings, plans, keys and credentials. */
const MAX_AGE_MS = 10_000;
/** Default number of values. Chosen: far more tenants than are active at once; a kilobyte or two each. */
const MAX_ENTRIES = 10_000;

export type SharedCache<Key, Value> = {
  /**
   * The values of several keys: one read for all that are not fresh, or that `isUrgent` selects.
   *
   * @returns a function that throws TypeError for a key that was not requested. Throws errors of the read.
   */
  load(keys: readonly Key[], isUrgent?: (key: Key) => boolean): Promise<(key: Key) => Value>;
  /** The value of one key. Throws errors of the read. */
  get(key: Key): Promise<Value>;
  /** Drops one key in this process. */
  forget(key: Key): void;
  /** Drops everything in this process. */
  clear(): void;
  /** After a change that is on disk: clears the caches of this topic in all processes. */
  changed(): void;
  /** Runs a write, then `changed`. If the write throws, only this process clears. Throws errors of the write. */
  change<Result>(write: () => Promise<Result>): Promise<Result>;
  /** Ends the subscription to the topic. */
  close(): void;
};

type Name = string | number;

/** Reads keys that differ from each other; the result has a value for each of them. Failed reads are not kept. */
export type ReadKeys<Key, Value> = (keys: readonly Key[]) => Promise<(key: Key) => Value>;

export type SharedCacheOptions<Key, Value> = {
  readonly storage: Pick<Storage, 'outsideTransaction' | 'wake'>;
  readonly clock: Clock;
  /** Signalled when a value changed. Caches of one topic are cleared together. Null: other processes wait `maxAgeMs`. */
  readonly topic: string | null;
  /** Equal for equal keys. */
  readonly nameOf: (key: Key) => Name;
  /** Runs outside a joined transaction of the host, which may be rolled back. */
  readonly read: ReadKeys<Key, Value>;
  /** Counted from the beginning of the read. Default: 10 s. */
  readonly maxAgeMs?: number;
  /** The least recently used value is dropped. Default: 10,000. */
  readonly maxEntries?: number;
};

type Entry<Value> = {
  readonly beganAt: number;
  readonly reading: Promise<Value>;
  /** The value, after the read has ended. */
  held?: { readonly value: Value };
};

export const sharedCache = <Key, Value>({
  storage,
  clock,
  topic,
  nameOf,
  read,
  maxAgeMs = MAX_AGE_MS,
  maxEntries = MAX_ENTRIES,
}: SharedCacheOptions<Key, Value>): SharedCache<Key, Value> => {
  const entries = lru<Name, Entry<Value>>(maxEntries);
  let unsubscribe: (() => void) | undefined;

  const clear = (): void => entries.clear();
  // At the first read, so that an unused cache needs no listening connection.
  const subscribe = (): void => {
    if (topic === null || unsubscribe !== undefined) return;
    unsubscribe = storage.wake.subscribe((signalled) => signalled === topic && clear());
  };

  const fresh = (name: Name, now: number): Entry<Value> | undefined => {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    const ageMs = now - entry.beganAt;
    // A clock that was set back makes ages negative; such an entry would live twice as long.
    return ageMs >= 0 && ageMs < maxAgeMs ? entry : undefined;
  };

  const begin = (name: Name, beganAt: number, reading: Promise<Value>): Entry<Value> => {
    const entry: Entry<Value> = { beganAt, reading };
    entries.set(name, entry);
    reading.then(
      (value) => {
        entry.held = { value };
      },
      () => {
        if (entries.peek(name) === entry) entries.delete(name);
      },
    );
    return entry;
  };

  const changed = (): void => {
    clear();
    if (topic !== null) storage.wake.signal([topic]);
  };

  return {
    load: async (keys, isUrgent) => {
      subscribe();
      const now = clock.now().getTime();
      const requested = new Map<Name, Entry<Value>>();
      const missing = new Map<Name, Key>();
      for (const key of keys) {
        const name = nameOf(key);
        if (requested.has(name)) continue;
        const entry = isUrgent?.(key) ? undefined : fresh(name, now);
        if (entry) requested.set(name, entry);
        else missing.set(name, key);
      }
      if (missing.size > 0) {
        const all = storage.outsideTransaction(() => read([...missing.values()]));
        for (const [name, key] of missing)
          requested.set(
            name,
            begin(
              name,
              now,
              all.then((valueFor) => valueFor(key)),
            ),
          );
      }
      const underWay: Promise<Value>[] = [];
      for (const entry of requested.values()) if (entry.held === undefined) underWay.push(entry.reading);
      if (underWay.length > 0) await Promise.all(underWay);
      return (key) => {
        const held = requested.get(nameOf(key))?.held;
        if (held === undefined) throw new TypeError('this key was not requested');
        return held.value;
      };
    },
    get: (key) => {
      subscribe();
      const now = clock.now().getTime();
      const name = nameOf(key);
      const entry = fresh(name, now);
      if (entry) return entry.reading;
      const reading = storage.outsideTransaction(() => read([key]));
      return begin(
        name,
        now,
        reading.then((valueFor) => valueFor(key)),
      ).reading;
    },
    forget: (key) => void entries.delete(nameOf(key)),
    clear,
    changed,
    change: async (write) => {
      try {
        const result = await write();
        changed();
        return result;
      } catch (error) {
        // A commit whose answer was lost may have happened.
        clear();
        throw error;
      }
    },
    close: () => unsubscribe?.(),
  };
};

/** Reads the rows of scopes with one statement and converts the rows of each scope, possibly none, to its value. */
export const readByScope =
  <Row extends InScope, Value>(
    storage: Pick<Storage, 'select'>,
    rowsOfScopes: BulkSelect<Row>,
    toValue: (rows: readonly Row[]) => Value,
  ): ReadKeys<InScope, Value> =>
  async (scopes) => {
    const rows = await storage.select(
      rowsOfScopes,
      scopes.map((scope) => [scopeKey(scope)]),
    );
    const byScope = Map.groupBy(rows, scopeKey);
    return (scope) => toValue(byScope.get(scopeKey(scope)) ?? []);
  };
