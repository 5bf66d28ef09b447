// Answers of the database in memory, for those who may be a little late. What it relies on: whoever changes something
// says so with `forget` or `clear` after the change is on disk; a change whose word is lost shows after `maxAgeMs`.

import type { Clock } from '../../foundation/clock.ts';
import { lru } from '../../foundation/lru.ts';

/**
 * Values at most `maxAgeMs` old by the clock, counted from when their read began. Reads that are under way are shared.
 * A value enters when its read begins and never again, so that one that is forgotten meanwhile is given to those who
 * waited and remembered by nobody. Reads that fail are not kept.
 */
export type AgedCache<Key, Value> = {
  /**
   * The values of several keys: one read for all that are not fresh, or that `isUrgent` names.
   *
   * @returns throws TypeError for a key that was not asked for. Throws what the read throws.
   */
  load(keys: readonly Key[], isUrgent?: (key: Key) => boolean): Promise<(key: Key) => Value>;
  /** The value of one key. Throws what the read throws. */
  get(key: Key): Promise<Value>;
  forget(key: Key): void;
  clear(): void;
};

type Entry<Value> = {
  readonly beganAt: number;
  readonly reading: Promise<Value>;
  /** What was read, so that nobody waits for what is there. */
  held?: { readonly value: Value };
};

type Name = string | number;

export type AgedCacheOptions<Key, Value> = {
  /** Equal for equal keys. */
  readonly nameOf: (key: Key) => Name;
  /** Reads keys that differ; what it resolves with knows the value of each of them. */
  readonly read: (keys: readonly Key[]) => Promise<(key: Key) => Value>;
  readonly clock: Clock;
  readonly maxAgeMs: number;
  /** Values held; the one unused for longest gives way. */
  readonly maxEntries: number;
};

export const agedCache = <Key, Value>({
  nameOf,
  read,
  clock,
  maxAgeMs,
  maxEntries,
}: AgedCacheOptions<Key, Value>): AgedCache<Key, Value> => {
  const entries = lru<Name, Entry<Value>>(maxEntries);

  const fresh = (name: Name, now: number): Entry<Value> | undefined => {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    const ageMs = now - entry.beganAt;
    // A clock that was set back makes ages negative; such an entry would live for as long again.
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

  return {
    load: async (keys, isUrgent) => {
      const now = clock.now().getTime();
      const asked = new Map<Name, Entry<Value>>();
      const missing = new Map<Name, Key>();
      for (const key of keys) {
        const name = nameOf(key);
        if (asked.has(name)) continue;
        const entry = isUrgent?.(key) ? undefined : fresh(name, now);
        if (entry) asked.set(name, entry);
        else missing.set(name, key);
      }
      if (missing.size > 0) {
        const all = read([...missing.values()]);
        for (const [name, key] of missing)
          asked.set(
            name,
            begin(
              name,
              now,
              all.then((valueFor) => valueFor(key)),
            ),
          );
      }
      const underWay: Promise<Value>[] = [];
      for (const entry of asked.values()) if (entry.held === undefined) underWay.push(entry.reading);
      if (underWay.length > 0) await Promise.all(underWay);
      return (key) => {
        const held = asked.get(nameOf(key))?.held;
        if (held === undefined) throw new TypeError('this key was not asked for');
        return held.value;
      };
    },
    get: (key) => {
      const now = clock.now().getTime();
      const name = nameOf(key);
      const entry = fresh(name, now);
      if (entry) return entry.reading;
      return begin(
        name,
        now,
        read([key]).then((valueFor) => valueFor(key)),
      ).reading;
    },
    forget: (key) => void entries.delete(nameOf(key)),
    clear: () => entries.clear(),
  };
};
