// Time unit of roll-ups: quarter hours since 1970 in UTC. The offset of every time zone is a multiple of them, so days
// and hours of any zone begin at one.

export const QUARTER_MS = 900_000;
/** Quarters per hour. */
export const QUARTERS = 4;

/** The quarter that contains a time. Throws nothing. */
export const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS);
/** The hour that contains a quarter. Throws nothing. */
export const hourOf = (quarter: number): number => Math.floor(quarter / QUARTERS);
