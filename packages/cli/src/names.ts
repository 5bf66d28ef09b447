// Names that core has, too. Help and completion show them, and core costs more to load than the rest of such a command:
// here they stand a second time, held against core's by a test.

import type { Channel, WebhookInput } from '@beckon/core';

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

/** Every event that a webhook can be subscribed to. */
export const EVENT_NAMES = [
  'push.send_requested',
  'push.scheduled',
  'push.sent',
  'push.delivered',
  'push.failed',
  'push.suppressed',
  'push.cancelled',
  'push.opened',
  'push.clicked',
  'push.token_invalidated',
  'push.live_activity_started',
  'push.live_activity_updated',
  'push.live_activity_ended',
  'push.live_activity_invalidated',
  'geofence.entered',
  'geofence.exited',
  'geofence.dwelled',
  'email.delivered',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'sms.delivered',
  'sms.failed',
  'sms.inbound',
  'sms.stop_received',
  'user.signed_up',
  'user.signed_in',
  'user.identified',
  'user.session_expired',
  'user.password_reset',
  'workflow.run_started',
  'workflow.run_completed',
  'workflow.step_executed',
] as const satisfies readonly WebhookInput['events'][number][];

/** Rows per page at most. */
export const MAX_PAGE = 200;
