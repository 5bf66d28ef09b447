import { StorageError } from './errors.ts';

/** Knows which calls are under way, so that closing can wait for them. */
export type Gate = {
  /** Runs a call. Throws StorageError `CLOSED` once closing has begun. */
  pass<T>(call: () => Promise<T>): Promise<T>;
  /** Refuses calls from now on and resolves when the last one has settled. Throws nothing. */
  shut(): Promise<void>;
};

/** A gate that is open. Throws nothing. */
export const gate = (): Gate => {
  let underWay = 0;
  let isShut = false;
  const idle = Promise.withResolvers<void>();
  const settle = (): void => {
    if (isShut && underWay === 0) idle.resolve();
  };
  return {
    pass: async (call) => {
      if (isShut) throw new StorageError('CLOSED');
      underWay += 1;
      try {
        return await call();
      } finally {
        underWay -= 1;
        settle();
      }
    },
    shut: () => {
      isShut = true;
      settle();
      return idle.promise;
    },
  };
};
