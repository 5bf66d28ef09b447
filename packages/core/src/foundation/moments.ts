/**
 * The first and the last moment that both databases store and compare, in milliseconds. Chosen: the years 1000 to 9999.
 */
export const FIRST_MOMENT_MS = Date.UTC(1000, 0);
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Message for any other moment. */
export const MOMENT_OUT_OF_RANGE = 'must be a time in the years 1000 to 9999';

/** True if both databases can store the moment; false for NaN. Throws nothing. */
export const isMoment = (ms: number): boolean => ms >= FIRST_MOMENT_MS && ms <= LAST_MOMENT_MS;
