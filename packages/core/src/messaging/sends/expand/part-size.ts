/*
 * How many members one commit of a send to an audience expands. On SQLite every other writer waits for that commit.
 *
 * It buys the event latency of gate G13 (at most 2 times the latency without a send): parts of a fixed 2,000 members
 * without a rest made events wait 6.5 times as long on SQLite.
 */
import type { DialectName } from '../../../database/dialect-name.ts';

/** Members of the first part. Chosen: the first message of a send should not wait for many others. */
const FIRST = 250;
/** Fewest members without other writers. Chosen: of fewer, much of the time is the commit itself. */
const LEAST_ALONE = 2_000;
/** Fewest members beside other writers. Chosen: of fewer, nearly all of the time is the fixed cost of a commit. */
const LEAST_WITH_WRITERS = { sqlite: 25, postgres: 250 };
/** Most members. Source: performance design, fan-out. */
const MOST = 10_000;
/** Target duration of a part without other writers, in milliseconds. Source: performance design, fan-out. */
const ALONE_MS = 25;
/**
 * Target duration of a part beside other writers, in milliseconds. Chosen: on SQLite they wait for it, about as long as
 * for their own commit. On PostgreSQL they only share disk and processors.
 */
const WITH_WRITERS_MS = { sqlite: 3, postgres: 10 };
/** Parts in a row without another writer after which the send counts as alone. Chosen: about a third of a second. */
const QUIET_PARTS = 50;
/** Longest rest, in milliseconds. Chosen: a disk that stalled for seconds does not stop the send for as long again. */
const MOST_REST_MS = 100;

/** Sizes of the parts of one send, adapted to how long the previous part took and to whether others write too. */
export type PartSize = {
  /** Members of the next part. `hasOtherWriters`: another writer committed since the previous part. */
  people(hasOtherWriters: boolean): number;
  /** Reports the duration of a part of `people` members, in milliseconds. */
  took(ms: number, people: number): void;
  /** Milliseconds left to other writers before the next part: as long as the part took, 0 without other writers. */
  restMs(): number;
};

/**
 * The next part has as many members as fit into the target duration at the rate of the previous part, and at most twice
 * as many as the previous part. Throws nothing.
 */
export const partSize = (dialect: DialectName): PartSize => {
  let size = FIRST;
  let quiet = QUIET_PARTS;
  let lastMs = 0;
  const isAlone = (): boolean => quiet >= QUIET_PARTS;
  const targetMs = (): number => (isAlone() ? ALONE_MS : WITH_WRITERS_MS[dialect]);
  let perMs: number | null = null;
  return {
    people: (hasOtherWriters) => {
      quiet = hasOtherWriters ? 0 : quiet + 1;
      if (perMs === null) return size;
      const least = isAlone() ? Math.min(LEAST_ALONE, size * 2) : LEAST_WITH_WRITERS[dialect];
      const fitting = Math.min(Math.floor(perMs * targetMs()), size * 2);
      size = Math.min(MOST, Math.max(least, fitting));
      return size;
    },
    took: (ms, people) => {
      lastMs = ms;
      perMs = people / Math.max(ms, 0.001);
    },
    restMs: () => (isAlone() ? 0 : Math.min(MOST_REST_MS, lastMs)),
  };
};
