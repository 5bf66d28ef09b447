/** The row of a quota. */
export const QUOTA_SLOT = 0;

/**
 * First slot of those used by a single host transaction, which may stay open for long; maintenance merges them into the
 * others.
 */
export const HOST_SLOTS = 1_000;
