/** A storage with the methods of `localStorage`. */
export type StorageArea = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Small named values: in the browser's storage if it works, else in memory. Throws nothing. */
export type Slots = {
  get(name: string): string | null;
  set(name: string, value: string): void;
  delete(name: string): void;
  /** All names of all pages that share the storage, in order. */
  names(): string[];
  /** True if other pages see the values. */
  isShared(): boolean;
  /** Switches to another storage and copies the values in memory to it; `null` is memory alone. */
  move(area: StorageArea | null): void;
};

/**
 * @param prefix prefix of every name in the storage
 * @param area the storage; a write that it refuses is kept in memory
 */
export const makeSlots = (prefix: string, area: StorageArea | null): Slots => {
  const memory = new Map<string, string>();
  // Every access may throw: a storage can be full, forbidden, or gone.
  const attempt = <T>(use: (found: StorageArea) => T): T | null => {
    try {
      return area && use(area);
    } catch {
      return null;
    }
  };

  const slots: Slots = {
    get: (name) => memory.get(name) ?? attempt((found) => found.getItem(prefix + name)),
    set: (name, value) => {
      memory.set(name, value);
      attempt((found) => {
        found.setItem(prefix + name, value);
        memory.delete(name);
      });
    },
    delete: (name) => {
      memory.delete(name);
      attempt((found) => found.removeItem(prefix + name));
    },
    names: () => {
      const stored = attempt(Object.keys) ?? [];
      const ours = stored.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
      return [...new Set([...memory.keys(), ...ours])].sort();
    },
    isShared: () => !!area,
    move: (next) => {
      area = next;
      for (const [name, value] of [...memory]) slots.set(name, value);
    },
  };
  return slots;
};
