// Webhook payloads of each event of the catalog. The schema is for API descriptions and for tests.

import { z } from 'zod';
import {
  RUN_OUTCOMES,
  type RunOutcome,
  type RunStatus,
  STEP_OUTCOMES,
  type StepOutcome,
} from '../automation/runs/schema.ts';
import { STEP_TYPES } from '../automation/runs/steps/catalog.ts';
import { PLATFORMS, type Platform } from '../foundation/device-platform.ts';
import { ENVIRONMENTS, type Environment } from '../foundation/scope.ts';
import type { CatalogName } from '../people/events/catalog.ts';
import { TEST_EVENT } from '../webhooks/schema.ts';

/** A final message, or a send that ended before it had messages: then `messageId` is missing. */
export type PushEndedData = {
  readonly sendId: string;
  readonly messageId?: string;
  /** The reason of its status, such as `no_token` or `no_recipients`. */
  readonly reason?: string;
  /** The provider's code, or one of Beckon's, such as `too_large`. */
  readonly errorCode?: string;
};
/** A message of a send. */
export type MessageEventData = {
  readonly sendId: string;
  readonly messageId: string;
  readonly reason?: string;
  readonly errorCode?: string;
};
/** A live activity. `externalId` and `activityId` are missing for an activity that no device has registered. */
export type LiveActivityEventData = {
  readonly activityType: string;
  readonly externalId?: string;
  readonly activityId?: string;
  /** The push that carried it; missing if the app started the activity. */
  readonly sendId?: string;
  readonly messageId?: string;
  /** `device`: the app started the activity. */
  readonly origin?: 'device';
};
/** A device's report of a geofence transition. */
export type GeofenceEventData = {
  readonly geofenceId: string;
  readonly geofenceName: string;
  readonly tokenId?: string;
  /** ISO 8601, by the clock of the device. */
  readonly occurredAt?: string;
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly dwellSeconds?: number;
  /** The data of the geofence. */
  readonly data?: Readonly<Record<string, unknown>>;
};
/** An SMS to one of the project's numbers. */
export type InboundSmsData = {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** The keyword of the text, such as `stop`. */
  readonly keyword?: string;
  readonly mediaUrls?: readonly string[];
};
/** A finished step of a run. */
export type StepEventData = {
  readonly path: string;
  readonly type: (typeof STEP_TYPES)[number];
  readonly outcome: StepOutcome;
  readonly reason?: string;
};
/** A run of a workflow. */
export type RunEventData = { readonly runId: string; readonly workflowId: string; readonly workflowName: string };

/** `data` of an event besides `userId`, `anonymousId` and `_truncated`, by the name of the event. */
export type WebhookEventData = {
  readonly 'push.send_requested': { readonly sendId: string };
  /** `scheduledFor` is ISO 8601. */
  readonly 'push.scheduled': { readonly sendId: string; readonly scheduledFor: string };
  readonly 'push.sent': MessageEventData;
  readonly 'push.delivered': MessageEventData;
  readonly 'push.failed': PushEndedData;
  readonly 'push.suppressed': PushEndedData;
  readonly 'push.cancelled': PushEndedData;
  readonly 'push.opened': MessageEventData & { readonly clickAction?: string };
  readonly 'push.clicked': MessageEventData & { readonly clickAction: string };
  readonly 'push.token_invalidated': {
    readonly tokenId: string;
    readonly platform: Platform;
    readonly messageId: string;
  };
  readonly 'push.live_activity_started': LiveActivityEventData;
  readonly 'push.live_activity_updated': LiveActivityEventData;
  readonly 'push.live_activity_ended': LiveActivityEventData;
  readonly 'push.live_activity_invalidated': LiveActivityEventData;
  readonly 'geofence.entered': GeofenceEventData;
  readonly 'geofence.exited': GeofenceEventData;
  readonly 'geofence.dwelled': GeofenceEventData;
  readonly 'email.delivered': MessageEventData;
  readonly 'email.bounced': MessageEventData;
  readonly 'email.complained': MessageEventData;
  readonly 'email.opened': MessageEventData;
  /** `url` is the link that was followed. */
  readonly 'email.clicked': MessageEventData & { readonly url: string };
  readonly 'sms.delivered': MessageEventData;
  readonly 'sms.failed': MessageEventData;
  readonly 'sms.inbound': InboundSmsData;
  readonly 'sms.stop_received': InboundSmsData;
  readonly 'user.signed_up': Readonly<Record<string, unknown>>;
  readonly 'user.signed_in': Readonly<Record<string, unknown>>;
  /** `traits` as they came with the call; `changedTraits` are the names of those that differ from before. */
  readonly 'user.identified': {
    readonly traits: Readonly<Record<string, unknown>>;
    readonly changedTraits: readonly string[];
  };
  readonly 'user.session_expired': Readonly<Record<string, unknown>>;
  readonly 'user.password_reset': Readonly<Record<string, unknown>>;
  readonly 'workflow.run_started': RunEventData & { readonly triggerEventId: string };
  readonly 'workflow.run_completed': RunEventData & {
    readonly status: RunStatus;
    readonly outcome: RunOutcome | null;
    readonly error?: string;
    readonly steps: readonly StepEventData[];
  };
  readonly 'workflow.step_executed': RunEventData &
    StepEventData & { readonly attempt: number; readonly sendId?: string };
};

/** The payload of `webhooks.test`: the webhook and its URL. */
export type WebhookTestData = { readonly webhookId: string; readonly url: string; readonly test: true };

/** The name of an event that a webhook may subscribe to. */
export type WebhookEventName = CatalogName;

/** The body of a delivery of one event; for `webhook.test`, the payload of `webhooks.test`. */
export type WebhookEventOf<Name extends WebhookEventName | 'webhook.test'> = {
  readonly event: {
    /** The same in every attempt: drop an id that was handled before. */
    readonly id: string;
    readonly type: Name;
    /** ISO 8601 UTC. */
    readonly createdAt: string;
    readonly orgId: string;
    readonly projectId: string;
    readonly environment: Environment;
  };
  readonly type: Name;
  /** ISO 8601 UTC; equal to `event.createdAt`. */
  readonly timestamp: string;
  /** The user or the anonymous id, if one is known, and the event's data. At most 20 KB. */
  readonly data: (Name extends WebhookEventName ? WebhookEventData[Name] : WebhookTestData) & {
    readonly userId?: string;
    readonly anonymousId?: string;
    /** The data was larger than 20 KB, and keys are missing. */
    readonly _truncated?: true;
  };
};

/** The body of a webhook delivery: `type` determines the shape of `data`. */
export type WebhookEvent =
  | { readonly [Name in WebhookEventName]: WebhookEventOf<Name> }[WebhookEventName]
  | WebhookEventOf<'webhook.test'>;

const sendId = { sendId: z.string() };
const ending = { reason: z.string().exactOptional(), errorCode: z.string().exactOptional() };
const message = { ...sendId, messageId: z.string(), ...ending };
const pushEnded = { ...sendId, messageId: z.string().exactOptional(), ...ending };
const free = z.record(z.string(), z.unknown());
const person = { userId: z.string().exactOptional(), anonymousId: z.string().exactOptional() };

/** `data` by the name of the event; free-form if the event has no fields of its own yet. */
const dataShapes = () => {
  const activity = {
    activityType: z.string(),
    externalId: z.string().exactOptional(),
    activityId: z.string().exactOptional(),
    sendId: z.string().exactOptional(),
    messageId: z.string().exactOptional(),
    origin: z.literal('device').exactOptional(),
  };
  const geofence = {
    geofenceId: z.string(),
    geofenceName: z.string(),
    tokenId: z.string().exactOptional(),
    occurredAt: z.string().exactOptional(),
    location: z.object({ lat: z.number(), lng: z.number() }).exactOptional(),
    dwellSeconds: z.number().exactOptional(),
    data: free.exactOptional(),
  };
  const inbound = {
    from: z.string(),
    to: z.string(),
    body: z.string(),
    keyword: z.string().exactOptional(),
    mediaUrls: z.array(z.string()).exactOptional(),
  };
  const run = { runId: z.string(), workflowId: z.string(), workflowName: z.string() };
  const step = {
    path: z.string(),
    type: z.enum(STEP_TYPES),
    outcome: z.enum(STEP_OUTCOMES),
    reason: z.string().exactOptional(),
  };
  return {
    'push.send_requested': sendId,
    'push.scheduled': { ...sendId, scheduledFor: z.string() },
    'push.sent': message,
    'push.delivered': message,
    'push.failed': pushEnded,
    'push.suppressed': pushEnded,
    'push.cancelled': pushEnded,
    'push.opened': { ...message, clickAction: z.string().exactOptional() },
    'push.clicked': { ...message, clickAction: z.string() },
    'push.token_invalidated': { tokenId: z.string(), platform: z.enum(PLATFORMS), messageId: z.string() },
    'push.live_activity_started': activity,
    'push.live_activity_updated': activity,
    'push.live_activity_ended': activity,
    'push.live_activity_invalidated': activity,
    'geofence.entered': geofence,
    'geofence.exited': geofence,
    'geofence.dwelled': geofence,
    'email.delivered': message,
    'email.bounced': message,
    'email.complained': message,
    'email.opened': message,
    'email.clicked': { ...message, url: z.string() },
    'sms.delivered': message,
    'sms.failed': message,
    'sms.inbound': inbound,
    'sms.stop_received': inbound,
    'user.signed_up': null,
    'user.signed_in': null,
    'user.identified': { traits: free, changedTraits: z.array(z.string()) },
    'user.session_expired': null,
    'user.password_reset': null,
    'workflow.run_started': { ...run, triggerEventId: z.string() },
    'workflow.run_completed': {
      ...run,
      status: z.enum(['completed', 'failed', 'cancelled']),
      outcome: z.enum(RUN_OUTCOMES).nullable(),
      error: z.string().exactOptional(),
      steps: z.array(z.strictObject(step)),
    },
    'workflow.step_executed': { ...run, ...step, attempt: z.int(), sendId: z.string().exactOptional() },
  } as const satisfies Readonly<Record<WebhookEventName, z.ZodRawShape | null>>;
};

const eventSchema = (names: readonly string[], shape: z.ZodRawShape | null): z.ZodObject => {
  const around = { ...person, _truncated: z.literal(true).exactOptional() };
  return z.strictObject({
    event: z.strictObject({
      id: z.string(),
      type: z.enum(names),
      createdAt: z.iso.datetime(),
      orgId: z.string(),
      projectId: z.string(),
      environment: z.enum(ENVIRONMENTS),
    }),
    type: z.enum(names),
    timestamp: z.iso.datetime(),
    data: shape === null ? z.looseObject(around) : z.strictObject({ ...around, ...shape }),
  });
};

/** The schema of `WebhookEvent`; a delivery with truncated data may lack keys. Created at each call. Throws nothing. */
export const webhookEventSchema = (): z.ZodType<WebhookEvent> => {
  // Events with the same data share a member, so that the description stays short.
  const byShape = Map.groupBy(Object.entries(dataShapes()), ([, shape]) => shape);
  const events = [...byShape].map(([shape, entries]) =>
    eventSchema(
      entries.map(([name]) => name),
      shape,
    ),
  );
  // Safe: the shapes above; a test parses the payload of each event.
  return z.union([
    eventSchema([TEST_EVENT], { webhookId: z.string(), url: z.string(), test: z.literal(true) }),
    ...events,
  ]) as unknown as z.ZodType<WebhookEvent>;
};
