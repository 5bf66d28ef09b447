import { z } from 'zod';
import { answersOf } from '../foundation/answers.ts';
import { CATALOG, type CatalogName } from '../people/events/catalog.ts';
import type { Answers } from './answers.generated.ts';
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS, DISABLED_REASONS } from './schema.ts';

const webhookFields = () => ({
  id: z.uuid().describe('Id of the webhook.'),
  url: z.string().describe('URL that Beckon posts to.'),
  events: z
    // Safe: the names of the table.
    .array(z.enum(Object.keys(CATALOG) as CatalogName[]))
    .describe('Names of the events to send.'),
  description: z.string().nullable().describe('Description; null if there is none.'),
  isActive: z.boolean().describe('Whether events are sent.'),
  isPulled: z
    .boolean()
    .describe('Whether a client fetches the deliveries, which are `held`; such a webhook is deleted after a day.'),
  headers: z.record(z.string(), z.string()).describe('Headers that Beckon adds to each request.'),
  projectId: z.uuid().describe('Project of the webhook.'),
  disabledReason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .describe(
      '`gone`: the URL responded with 410. `failing`: it accepted nothing for 120 h. Null: Beckon did not disable it.',
    ),
  failingSince: z
    .date()
    .nullable()
    .describe('Since when the URL accepts nothing; null if it accepted the last request.'),
  createdAt: z.date().describe('When the webhook was created.'),
  updatedAt: z.date().describe('When the webhook was last changed.'),
});

const deliveryFields = () => ({
  id: z.uuid().describe('Id of the delivery.'),
  webhookId: z.uuid().describe('Webhook that receives the event.'),
  eventId: z.uuid().describe('Id of the event, the same in every attempt; the body has it as `event.id`.'),
  eventType: z.string().describe('Name of the event.'),
  status: z.enum(DELIVERY_STATUSES).describe('Status; `held`: a client fetches it.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it was not delivered: `exhausted`, `deleted`, `disabled`, or the error of the last attempt; else null.',
    ),
  attemptCount: z.int().describe('Attempts so far; a replay counts from 0.'),
  nextAttemptAt: z.date().nullable().describe('When the next attempt is due; null if there is none.'),
  createdAt: z.date().describe('When the delivery was created.'),
  finishedAt: z.date().nullable().describe('When the delivery ended; null before that.'),
});

/** Schemas of the answers about webhooks. */
export const webhookAnswers = answersOf<Answers>()(() => {
  const Webhook = z.object(webhookFields()).describe('A subscription to events of one project and environment.');
  const WebhookDelivery = z.object(deliveryFields()).describe('One event for one webhook.');
  const WebhookAttempt = z
    .object({
      at: z.date().describe('When the request was sent.'),
      trigger: z.enum(DELIVERY_TRIGGERS).describe('Whether the schedule or a user started the attempt.'),
      status: z.int().nullable().describe('HTTP status of the response; null without response.'),
      durationMs: z.int().describe('Duration of the request, in milliseconds.'),
      response: z.string().nullable().describe('First kilobyte of the response; null without response.'),
      error: z.string().nullable().describe('What failed; null if the event was accepted.'),
    })
    .describe('One request of a delivery.');
  return {
    Webhook,
    WebhookWithSecret: Webhook.extend({
      secret: z.string().describe('Secret that signs the requests (`whsec_...`); it is not shown again.'),
    }).describe('A webhook with its new secret.'),
    WebhookDelivery,
    WebhookAttempt,
    WebhookDeliveryRead: WebhookDelivery.extend({
      body: z.string().describe('Body of the request, byte by byte.'),
      attempts: z.array(WebhookAttempt).describe('The last 30 attempts, oldest first.'),
    }).describe('A delivery with its body and attempts.'),
    Recovered: z
      .object({
        recovered: z.int().describe('Deliveries that are sent again; at most 10,000 per request.'),
        hasMore: z.boolean().describe('Whether another request would send more.'),
      })
      .describe('Result of a recovery.'),
  };
});
