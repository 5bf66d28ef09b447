/** Social providers. Source: authentication design, Social providers. */
export const SOCIAL_PROVIDERS = [
  'google',
  'apple',
  'microsoft',
  'facebook',
  'github',
  'gitlab',
  'discord',
  'linkedin',
  'x',
  'twitch',
  'slack',
  'spotify',
] as const;
export type SocialProvider = (typeof SOCIAL_PROVIDERS)[number];
