import { contained } from './contained.ts';

/**
 * Waits for `work`, but no longer than `ms` milliseconds. Answers whether it ended in time; throws what `work` throws until
 * then.
 */
export const endsWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(contained(resolve), ms);
  try {
    return await Promise.race([work.then(() => true), late.then(() => false)]);
  } finally {
    clearTimeout(timer);
  }
};
