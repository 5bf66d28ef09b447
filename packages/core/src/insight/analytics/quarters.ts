// Time as roll-ups have it: quarters of an hour since 1970 in UTC. Every zone's clock is a whole number of them off, so that
// days and hours of any zone begin at one.

export const QUARTER_MS = 900_000;
/** Quarters of an hour. */
export const QUARTERS = 4;

/** The quarter that holds a moment. Throws nothing. */
export const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS);
/** The hour that holds a quarter. Throws nothing. */
export const hourOf = (quarter: number): number => Math.floor(quarter / QUARTERS);
