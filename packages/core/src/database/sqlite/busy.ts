import { BUSY_MS, type Connection } from './connection.ts';

/** Steps in which the wait changes: telling SQLite costs as much as a small statement; ours. */
const STEP_MS = 100;
/** A deadline so near to the longest wait leaves it as it is: within what an answer may be late by. Ours. */
const NEAR_MS = 300;

/** Makes a connection wait for another process's lock no longer than a deadline allows. Throws nothing. */
export const busyWait = (connection: Connection): ((untilMs: number) => void) => {
  let stated = BUSY_MS;
  return (untilMs) => {
    const leftMs = Math.max(0, untilMs - performance.now());
    const wanted = leftMs > BUSY_MS - NEAR_MS ? BUSY_MS : Math.ceil(leftMs / STEP_MS) * STEP_MS;
    if (wanted === stated) return;
    connection.pragma(`busy_timeout = ${wanted}`);
    stated = wanted;
  };
};
