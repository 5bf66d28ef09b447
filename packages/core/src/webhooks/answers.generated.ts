// Made of the schemas in answers.ts by `npm run openapi`.

/** A subscription to events of one project and environment. */
export interface Webhook {
  /** Id of the webhook. */
  readonly id: string;
  /** URL that Beckon posts to. */
  readonly url: string;
  /** Names of the events to send. */
  readonly events: readonly ('push.send_requested' | 'push.scheduled' | 'push.sent' | 'push.delivered' | 'push.failed' | 'push.suppressed' | 'push.cancelled' | 'push.opened' | 'push.clicked' | 'push.token_invalidated' | 'push.live_activity_started' | 'push.live_activity_updated' | 'push.live_activity_ended' | 'push.live_activity_invalidated' | 'geofence.entered' | 'geofence.exited' | 'geofence.dwelled' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'email.opened' | 'email.clicked' | 'sms.delivered' | 'sms.failed' | 'sms.inbound' | 'sms.stop_received' | 'user.signed_up' | 'user.signed_in' | 'user.identified' | 'user.session_expired' | 'user.password_reset' | 'workflow.run_started' | 'workflow.run_completed' | 'workflow.step_executed')[];
  /** Description; null if there is none. */
  readonly description: string | null;
  /** Whether events are sent. */
  readonly isActive: boolean;
  /** Whether a client fetches the deliveries, which are `held`; such a webhook is deleted after a day. */
  readonly isPulled: boolean;
  /** Headers that Beckon adds to each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Project of the webhook. */
  readonly projectId: string;
  /**
   * `gone`: the URL responded with 410. `failing`: it accepted nothing for 120 h. Null: Beckon did not disable it.
   */
  readonly disabledReason: 'gone' | 'failing' | null;
  /** Since when the URL accepts nothing; null if it accepted the last request. */
  readonly failingSince: Date | null;
  /** When the webhook was created. */
  readonly createdAt: Date;
  /** When the webhook was last changed. */
  readonly updatedAt: Date;
}

/** A webhook with its new secret. */
export interface WebhookWithSecret extends Webhook {
  /** Secret that signs the requests (`whsec_...`); it is not shown again. */
  readonly secret: string;
}

/** One event for one webhook. */
export interface WebhookDelivery {
  /** Id of the delivery. */
  readonly id: string;
  /** Webhook that receives the event. */
  readonly webhookId: string;
  /** Id of the event, the same in every attempt; the body has it as `event.id`. */
  readonly eventId: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Status; `held`: a client fetches it. */
  readonly status: 'pending' | 'held' | 'delivered' | 'failed' | 'cancelled';
  /** Why it was not delivered: `exhausted`, `deleted`, `disabled`, or the error of the last attempt; else null. */
  readonly reason: string | null;
  /** Attempts so far; a replay counts from 0. */
  readonly attemptCount: number;
  /** When the next attempt is due; null if there is none. */
  readonly nextAttemptAt: Date | null;
  /** When the delivery was created. */
  readonly createdAt: Date;
  /** When the delivery ended; null before that. */
  readonly finishedAt: Date | null;
}

/** One request of a delivery. */
export interface WebhookAttempt {
  /** When the request was sent. */
  readonly at: Date;
  /** Whether the schedule or a user started the attempt. */
  readonly trigger: 'schedule' | 'manual';
  /** HTTP status of the response; null without response. */
  readonly status: number | null;
  /** Duration of the request, in milliseconds. */
  readonly durationMs: number;
  /** First kilobyte of the response; null without response. */
  readonly response: string | null;
  /** What failed; null if the event was accepted. */
  readonly error: string | null;
}

/** A delivery with its body and attempts. */
export interface WebhookDeliveryRead extends WebhookDelivery {
  /** Body of the request, byte by byte. */
  readonly body: string;
  /** The last 30 attempts, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/** Result of a recovery. */
export interface Recovered {
  /** Deliveries that are sent again; at most 10,000 per request. */
  readonly recovered: number;
  /** Whether another request would send more. */
  readonly hasMore: boolean;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Webhook: Webhook;
  readonly WebhookWithSecret: WebhookWithSecret;
  readonly WebhookDelivery: WebhookDelivery;
  readonly WebhookAttempt: WebhookAttempt;
  readonly WebhookDeliveryRead: WebhookDeliveryRead;
  readonly Recovered: Recovered;
}
