// Which provider serves which channel: names only. Settings are in schema.ts, transports in transports/, and
// definitions.ts joins the two.

import type { Channel } from '../../foundation/channel.ts';
import type { Platform } from '../../foundation/device-platform.ts';

/** The providers of each channel. Those of mail and SMS are in fallback order. */
export const PROVIDERS = {
  push: ['apns', 'fcm', 'webpush'],
  email: ['smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'resend'],
  sms: ['twilio', 'telnyx'],
} as const satisfies Record<Channel, readonly string[]>;

export type ProviderName = (typeof PROVIDERS)[Channel][number];

const BY_PLATFORM: Readonly<Record<Platform, ProviderName>> = { ios: 'apns', android: 'fcm', web: 'webpush' };

/** The provider that is named as missing when a channel has none: its first. Push uses the platform of the token. */
export const providerFor = (channel: Channel, platform: Platform | undefined): ProviderName => {
  if (channel === 'push') return BY_PLATFORM[platform ?? 'android'];
  return channel === 'email' ? 'smtp' : 'twilio';
};

/**
 * True if the provider can send the message: for push its platform's provider, else any of the channel. Throws nothing.
 */
export const isCandidate = (provider: ProviderName, channel: Channel, platform: Platform | undefined): boolean =>
  channel === 'push' ? provider === providerFor(channel, platform) : PROVIDERS[channel].some((one) => one === provider);
