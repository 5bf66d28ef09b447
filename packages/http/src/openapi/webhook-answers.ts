import {
  CATALOG,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
  type Recovered,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryRead,
  type WebhookWithSecret,
  webhookEventSchema,
} from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, names, word } from './wire.ts';

const webhook = {
  id,
  url: z.string(),
  events: z.array(names(CATALOG)),
  description: z.string().nullable(),
  isActive: z.boolean(),
  isPulled: z.boolean(),
  headers: z.record(z.string(), z.string()),
  projectId: id,
  disabledReason: word(DISABLED_REASONS).nullable(),
  failingSince: moment.nullable(),
  createdAt: moment,
  updatedAt: moment,
};
const delivery = {
  id,
  webhookId: id,
  eventId: id,
  eventType: z.string(),
  status: word(DELIVERY_STATUSES),
  reason: z.string().nullable(),
  attemptCount: z.int(),
  nextAttemptAt: moment.nullable(),
  createdAt: moment,
  finishedAt: moment.nullable(),
};
const attempt = z.object({
  at: moment,
  trigger: word(DELIVERY_TRIGGERS),
  status: z.int().nullable(),
  durationMs: z.int(),
  response: z.string().nullable(),
  error: z.string().nullable(),
});

/** Schemas of this file, by the names that the document gives them. */
export const webhookAnswers = {
  Webhook: answerOf<Webhook>()(z.object(webhook)),
  WebhookWithSecret: answerOf<WebhookWithSecret>()(z.object({ ...webhook, secret: z.string() })),
  WebhookDelivery: answerOf<WebhookDelivery>()(z.object(delivery)),
  WebhookDeliveryRead: answerOf<WebhookDeliveryRead>()(
    z.object({ ...delivery, body: z.string(), attempts: z.array(attempt) }),
  ),
  WebhookEvent: webhookEventSchema(),
  Recovered: answerOf<Recovered>()(z.object({ recovered: z.int(), hasMore: z.boolean() })),
} as const;
