/** Members of the first part: the first message is not to wait for many others. Ours. */
const FIRST = 500;
const LEAST = 100;
/** Source: performance design, fan-out (10,000). */
const MOST = 10_000;
/** How long the writer may be kept by one part, in milliseconds. Source: performance design, fan-out. */
const LONG_MS = 25;

/** How many members the next part of a send has, by how long the ones before it took. */
export type PartSize = {
  people(): number;
  /** `people`: as many as the part had. */
  took(ms: number, people: number): void;
};

/** Halves after a part that took too long, doubles after a whole one of which two would not have. Throws nothing. */
export const partSize = (): PartSize => {
  let size = FIRST;
  return {
    people: () => size,
    took: (ms, people) => {
      if (ms > LONG_MS) size = Math.max(LEAST, Math.ceil(size / 2));
      else if (ms < LONG_MS / 2 && people >= size) size = Math.min(MOST, size * 2);
    },
  };
};
