/** The first and the last moment that either database stores and compares, in milliseconds; ours: the years 1000 to 9999. */
export const FIRST_MOMENT_MS = Date.UTC(1000, 0);
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** What is said of any other. */
export const NO_MOMENT = 'must be a time in the years 1000 to 9999';

/** Whether both databases store a moment; false for no number. Throws nothing. */
export const isMoment = (ms: number): boolean => ms >= FIRST_MOMENT_MS && ms <= LAST_MOMENT_MS;
