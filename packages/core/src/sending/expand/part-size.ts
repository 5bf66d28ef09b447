/** Members of the first part: the first message is not to wait for many others. Ours. */
const FIRST = 250;
/** Ours: of fewer, a good deal of the time is the commit itself. */
const LEAST = 2_000;
/** Source: performance design, fan-out (10,000). */
const MOST = 10_000;
/** How long the writer may be kept by one part, in milliseconds. Source: performance design, fan-out. */
const LONG_MS = 25;
/** Parts in a row that have to take too long: one may have waited for the disk, or for others. Ours. */
const IN_A_ROW = 3;

/** How long a part may take while others write too: an event waits for it about as long as for its own commit. Ours. */
const BESIDE_MS = 1;
/** Ours: of fewer the commit is nearly all. */
const LEAST_BESIDE = 100;
/** Parts in a row beside which nobody wrote, until they grow again: about half a second of such parts. Ours. */
const ALONE = 200;

/** How many members the next part of a send has, by how long the ones before it took, and whether others write too. */
export type PartSize = {
  /** Of the next part. `isBeside`: somebody else wrote since the part before it. */
  people(isBeside: boolean): number;
  /** `people`: as many as the part had. */
  took(ms: number, people: number): void;
};

/**
 * Alone: doubles after a whole part of which two would not have taken too long, and up to `LEAST` after each one; halves
 * after three that took too long. Beside others as many as fit into the short time, by the part before. Throws nothing.
 */
export const partSize = (): PartSize => {
  let size = FIRST;
  let fitting = LEAST_BESIDE;
  let long = 0;
  let alone = ALONE;
  return {
    people: (isBeside) => {
      alone = isBeside ? 0 : alone + 1;
      if (alone < ALONE) size = Math.max(LEAST_BESIDE, Math.min(LEAST, size, fitting));
      return size;
    },
    took: (ms, people) => {
      fitting = ms > 0 ? Math.floor((people * BESIDE_MS) / ms) : people * 2;
      long = ms > LONG_MS ? long + 1 : 0;
      if (size < LEAST || (ms < LONG_MS / 2 && people >= size)) size = Math.min(MOST, size * 2);
      else if (long >= IN_A_ROW) {
        size = Math.max(LEAST, Math.ceil(size / 2));
        long = 0;
      }
    },
  };
};
