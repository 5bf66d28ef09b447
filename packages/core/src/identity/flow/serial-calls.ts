/** Runs calls of one key one after another. The result throws what the call throws. */
export const serialCalls = (): (<T>(key: string, call: () => Promise<T>) => Promise<T>) => {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, call: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const mine = (before ?? Promise.resolve()).then(call, call);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
};
