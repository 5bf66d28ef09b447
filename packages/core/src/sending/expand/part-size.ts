/** Members of the first part: the first message is not to wait for many others. Ours. */
const FIRST = 500;
/** Ours: of fewer, a good deal of the time is the commit itself. */
const LEAST = 2_000;
/** Source: performance design, fan-out (10,000). */
const MOST = 10_000;
/** How long the writer may be kept by one part, in milliseconds. Source: performance design, fan-out. */
const LONG_MS = 25;
/** Parts in a row that have to take too long: one may have waited for the disk, or for others. Ours. */
const IN_A_ROW = 3;

/** How many members the next part of a send has, by how long the ones before it took. */
export type PartSize = {
  people(): number;
  /** `people`: as many as the part had. */
  took(ms: number, people: number): void;
};

/** Halves after three parts that took too long, doubles after a whole one of which two would not have. Throws nothing. */
export const partSize = (): PartSize => {
  let size = FIRST;
  let long = 0;
  return {
    people: () => size,
    took: (ms, people) => {
      long = ms > LONG_MS ? long + 1 : 0;
      if (size < LEAST || (ms < LONG_MS / 2 && people >= size)) size = Math.max(LEAST, Math.min(MOST, size * 2));
      else if (long >= IN_A_ROW) {
        size = Math.max(LEAST, Math.ceil(size / 2));
        long = 0;
      }
    },
  };
};
