import type { Storage } from '../../src/database/storage.ts';

/** A storage that records each read of a batch, and before it each step outside the host's transaction. */
export const recordReads = (storage: Storage): { readonly storage: Storage; readonly calls: readonly string[] } => {
  const calls: string[] = [];
  return {
    calls,
    storage: {
      ...storage,
      select: (bulk, keys) => {
        calls.push('read');
        return storage.select(bulk, keys);
      },
      outsideTransaction: (work) => {
        calls.push('outside');
        return storage.outsideTransaction(work);
      },
    },
  };
};
