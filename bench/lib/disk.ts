import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { places } from './places.ts';
import { quantile } from './statistics.ts';

/** Writes of a probe. Source: performance design, rules of measurement. */
export const PROBES = 200;
export const PROBE_BYTES = 4_096;

export type Durable = { readonly p50Ms: number; readonly p99Ms: number };

/** Cost of one durable write on the disk of the databases, in milliseconds. */
export const probeDisk = (): Durable => {
  const file = openSync(join(places.work, 'fsync-probe'), 'w');
  const block = Buffer.alloc(PROBE_BYTES, 1);
  try {
    const times = Float64Array.from({ length: PROBES }, (_, at) => {
      const startMs = performance.now();
      writeSync(file, block, 0, PROBE_BYTES, at * PROBE_BYTES);
      fdatasyncSync(file);
      return performance.now() - startMs;
    }).sort();
    return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
  } finally {
    closeSync(file);
  }
};

/** Ratio to the cost of a durable write before the run. Chosen: probes of an idle disk differ by less. */
const QUIET_RATIO = 2;
/** Chosen: if a disk is slower than before for longer than this, the run must use it as it is. */
const LONGEST_MS = 30_000;
const LOOK_MS = 1_000;

/**
 * Waits until a durable write costs about what it `usually` does. A disk with a byte budget makes a turn pay for the
 * writes of the previous turn, which would distort every p99.
 */
export const quietDisk = async (usually: Durable): Promise<void> => {
  const untilMs = performance.now() + LONGEST_MS;
  while (probeDisk().p99Ms > QUIET_RATIO * usually.p99Ms && performance.now() < untilMs) await sleep(LOOK_MS);
};
