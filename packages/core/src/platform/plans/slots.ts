/** The row of a quota. */
export const QUOTA_SLOT = 0;

/**
 * Where slots begin that one transaction of a host has to itself, which may stay open for long; upkeep adds them to the
 * others.
 */
export const OWN_SLOTS = 1_000;
