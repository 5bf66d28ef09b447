import { contained } from './contained.ts';

/**
 * Waits for `work` at most `ms` milliseconds and returns whether it ended in time. Throws what `work` throws until
 * then.
 */
export const endsWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(contained(resolve), ms);
  try {
    return await Promise.race([work.then(() => true), timeout.then(() => false)]);
  } finally {
    clearTimeout(timer);
  }
};
