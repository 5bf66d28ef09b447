import type { DialectName } from '../../../database/dialect-name.ts';

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

/**
 * How long a part may take while others write too, in milliseconds. Ours: on SQLite they wait for it, about as long as for
 * their own commit; on PostgreSQL they share the disk and the processors, and of a shorter one the commit is nearly all.
 */
const BESIDE_MS = { sqlite: 0.5, postgres: 10 };
/**
 * How long the next part then waits, of the time that this one took, and at most. Ours: two slow processors make about a
 * thousand members a second; on SQLite, with a million of them, an event waits half as long again with a rest of three times.
 */
const REST = { sqlite: 6, postgres: 3 };
const MOST_REST_MS = 100;
/**
 * A part that took longer than so many milliseconds has waited for a disk that has more to write than it can, and the events
 * beside it with it: the rests are doubled, up to so many times a part, and halved again after so many parts without. Ours:
 * at ten times a part a disk with a budget of bytes did not stall any more.
 */
const STALLED_MS = { sqlite: 10, postgres: 100 };
const LONGEST_REST = 12;
const CALM = 200;
/** Ours: of fewer the statements themselves are nearly all, and of twice as many an event waits up to a half longer. */
const LEAST_BESIDE = 25;
/** Parts in a row beside which nobody wrote, until they grow again: about half a second of such parts. Ours. */
const ALONE = 200;

/** How many members the next part of a send has, by how long the ones before it took, and whether others write too. */
export type PartSize = {
  /** Of the next part. `isBeside`: somebody else wrote since the part before it. */
  people(isBeside: boolean): number;
  /** `people`: as many as the part had. */
  took(ms: number, people: number): void;
  /** Milliseconds that are left to others before the next part. */
  restMs(): number;
};

/**
 * Alone: doubles after a whole part of which two would not have taken too long, and up to `LEAST` after each one; halves
 * after three that took too long. Beside others as many as fit into the short time, by the part before, and with a rest
 * between them, a longer one where the disk stalls. Throws nothing.
 */
export const partSize = (dialect: DialectName): PartSize => {
  let size = FIRST;
  let fitting = LEAST_BESIDE;
  let long = 0;
  let alone = ALONE;
  let tookMs = 0;
  let rest = REST[dialect];
  let calm = 0;
  return {
    people: (isBeside) => {
      alone = isBeside ? 0 : alone + 1;
      if (alone < ALONE) size = Math.max(LEAST_BESIDE, Math.min(LEAST, size, fitting));
      return size;
    },
    took: (ms, people) => {
      tookMs = ms;
      calm = alone < ALONE && ms > STALLED_MS[dialect] ? 0 : calm + 1;
      if (calm === 0) rest = Math.min(LONGEST_REST, rest * 2);
      else if (calm % CALM === 0) rest = Math.max(REST[dialect], rest / 2);
      fitting = ms > 0 ? Math.floor((people * BESIDE_MS[dialect]) / ms) : people * 2;
      long = ms > LONG_MS ? long + 1 : 0;
      if (size < LEAST || (ms < LONG_MS / 2 && people >= size)) size = Math.min(MOST, size * 2);
      else if (long >= IN_A_ROW) {
        size = Math.max(LEAST, Math.ceil(size / 2));
        long = 0;
      }
    },
    restMs: () => (alone < ALONE ? Math.min(MOST_REST_MS, tookMs * rest) : 0),
  };
};
