import { BUSY_MS, type Connection } from './connection.ts';

/** Granularity of the timeout. Chosen: setting it costs as much as a small statement. */
const STEP_MS = 100;
/** A deadline this close to the longest wait does not change it. Chosen: within the permitted delay of a response. */
const NEAR_MS = 300;

/** Limits a connection's wait for another process's lock to a deadline. Throws nothing. */
export const busyWait = (connection: Connection): ((untilMs: number) => void) => {
  let currentMs = BUSY_MS;
  return (untilMs) => {
    const leftMs = Math.max(0, untilMs - performance.now());
    const timeoutMs = leftMs > BUSY_MS - NEAR_MS ? BUSY_MS : Math.ceil(leftMs / STEP_MS) * STEP_MS;
    if (timeoutMs === currentMs) return;
    connection.pragma(`busy_timeout = ${timeoutMs}`);
    currentMs = timeoutMs;
  };
};
