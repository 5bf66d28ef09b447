/** Device platforms. Source: contract, Tokens. */
export const PLATFORMS = ['ios', 'android', 'web'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** The APNs host of a token; independent of the environments `prod` and `test`. */
export type ApnsEnvironment = 'production' | 'sandbox';
