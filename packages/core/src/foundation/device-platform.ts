/** Device platforms. Source: contract, Tokens. */
export const PLATFORMS = ['ios', 'android', 'web'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** Which APNs host a token belongs to; not our `prod` and `test`. */
export type ApnsEnvironment = 'production' | 'sandbox';
