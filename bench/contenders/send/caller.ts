/** A sender that does nothing else. */
export type Caller = {
  /** Concurrent calls. */
  readonly atOnce: number;
  /** Messages of one call. */
  readonly size: number;
  /** Sends messages to this many users from `first` on. Throws if one is not accepted. */
  call(first: number, count: number): Promise<void>;
};

/** Sends one message to each of `count` users, with the caller's concurrency. Returns milliseconds. */
export const callAll = async ({ atOnce, size, call }: Caller, count: number): Promise<number> => {
  const startMs = performance.now();
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next += size;
      await call(first, Math.min(size, count - first));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, Math.ceil(count / size)) }, one));
  return performance.now() - startMs;
};
