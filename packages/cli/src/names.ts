// Copies of names in core, for help and completion, because loading core would slow them down. A test compares them
// with core.

import type { Channel, WebhookInput } from '@beckon/core';

/** Channels in the order of output and lookups. */
export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];

/** Every provider and its channel. */
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

// Proof of the cast: these are the keys of the object above.
export const PROVIDERS = Object.keys(CHANNEL_OF) as Provider[];

/** Every webhook event. */
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

/** Maximum rows per page. */
export const MAX_PAGE = 200;
