// Names that core has, too. Help and completion show them, and core costs more to load than the rest of such a command:
// here they stand a second time, held against core's by a test.

import type { Channel } from '@beckon/core';

/** Channels in the order in which commands show and ask them. */
export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];

/** Every provider and the channel that it serves; a name is a provider of one channel only. */
export const CHANNEL_OF = {
  apns: 'push',
  fcm: 'push',
  webpush: 'push',
  smtp: 'email',
  ses: 'email',
  sendgrid: 'email',
  postmark: 'email',
  mailgun: 'email',
  resend: 'email',
  twilio: 'sms',
  telnyx: 'sms',
} as const satisfies Record<string, Channel>;

/** The name of a provider. */
export type Provider = keyof typeof CHANNEL_OF;

// Proof of the cast: these are the own keys of that very object.
export const PROVIDERS = Object.keys(CHANNEL_OF) as Provider[];

/** What a send may be. */
export const SEND_STATUSES = ['queued', 'sending', 'sent', 'suppressed', 'failed', 'cancelled'] as const;

/** What a run may be. */
export const RUN_STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;

/** What an A/B test may be. */
export const AB_TEST_STATUSES = ['running', 'paused', 'completed'] as const;

/** What a delivery of a webhook may be. */
export const DELIVERY_STATUSES = ['pending', 'held', 'delivered', 'failed', 'cancelled'] as const;

/** Rows per page at most. */
export const MAX_PAGE = 200;
