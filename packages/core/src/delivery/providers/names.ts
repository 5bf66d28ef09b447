// Which provider serves which channel: names only. What is set about them is in schema.ts, what speaks to them in
// transports/, and definitions.ts joins the two.

import type { Channel } from '../../foundation/channel.ts';
import type { Platform } from '../../foundation/device-platform.ts';

/** The providers of each channel, those of mail and text messages in the order in which they stand in for each other. */
export const PROVIDERS = {
  push: ['apns', 'fcm', 'webpush'],
  email: ['smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'resend'],
  sms: ['twilio', 'telnyx'],
} as const satisfies Record<Channel, readonly string[]>;

export type ProviderName = (typeof PROVIDERS)[Channel][number];

const BY_PLATFORM: Readonly<Record<Platform, ProviderName>> = { ios: 'apns', android: 'fcm', web: 'webpush' };

/** Who carries a message of this channel where nothing is configured: the first. Push goes by its token's platform. */
export const providerFor = (channel: Channel, platform: Platform | undefined): ProviderName => {
  if (channel === 'push') return BY_PLATFORM[platform ?? 'android'];
  return channel === 'email' ? 'smtp' : 'twilio';
};

/** Who may carry a message: of push its platform's own, else every provider of the channel. Throws nothing. */
export const isCandidate = (provider: ProviderName, channel: Channel, platform: Platform | undefined): boolean =>
  channel === 'push' ? provider === providerFor(channel, platform) : PROVIDERS[channel].some((one) => one === provider);
