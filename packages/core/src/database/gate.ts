import { StorageError } from './errors.ts';

/** Counts running calls, so that closing can wait for them. */
export type Gate = {
  /** Runs a call. Throws StorageError `CLOSED` once closing has begun. */
  pass<T>(call: () => Promise<T>): Promise<T>;
  /** Rejects new calls and resolves when the running ones have ended. Throws nothing. */
  shut(): Promise<void>;
};

/** An open gate. Throws nothing. */
export const gate = (): Gate => {
  let running = 0;
  let isShut = false;
  const idle = Promise.withResolvers<void>();
  const resolveIfIdle = (): void => {
    if (isShut && running === 0) idle.resolve();
  };
  return {
    pass: async (call) => {
      if (isShut) throw new StorageError('CLOSED');
      running += 1;
      try {
        return await call();
      } finally {
        running -= 1;
        resolveIfIdle();
      }
    },
    shut: () => {
      isShut = true;
      resolveIfIdle();
      return idle.promise;
    },
  };
};
