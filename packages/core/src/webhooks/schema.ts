import { z } from 'zod';
import { normaliseFreeForm } from '../foundation/json.ts';
import { isMoment, MOMENT_OUT_OF_RANGE } from '../foundation/moments.ts';
import { parse } from '../foundation/parse.ts';
import { CATALOG, type CatalogName } from '../people/events/catalog.ts';

/** The queue of deliveries, and the topic that wakes it. */
export const WEBHOOKS_QUEUE = 'webhooks';

/** `cancelled`: its webhook was deleted or disabled first. `held`: a pull webhook's, waits to be fetched. Chosen. */
export const DELIVERY_STATUSES = ['pending', 'held', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What caused an attempt: the retry schedule, or a replay or recovery. Source: contract, Outbound webhooks. */
export const DELIVERY_TRIGGERS = ['schedule', 'manual'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** `gone`: the receiver answered 410. `failing`: no success for 120 h. Source: contract, Outbound webhooks. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Event type of a test delivery. Not in the catalog. Chosen. */
export const TEST_EVENT = 'webhook.test';

/** Maximum characters. Chosen. */
const MAX_URL = 2_048;
const MAX_DESCRIPTION = 500;
/** Maximum headers per webhook, and characters per value. Chosen. */
const MAX_HEADERS = 20;
const MAX_VALUE = 1_000;
/** Maximum grace period, in seconds. Chosen: a week. */
const MAX_GRACE = 604_800;
/** Default grace period, in seconds. Source: contract, Outbound webhooks. */
const DEFAULT_GRACE = 86_400;

const NAMES = Object.keys(CATALOG);
const isName = (text: string): text is CatalogName => Object.hasOwn(CATALOG, text);

/** Headers that the request sets itself, or that would change its meaning. */
const RESERVED =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|proxy-.*|webhook-.*|x-service-signature)$/;

const name = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
  .transform((text) => text.toLowerCase())
  .refine((text) => !RESERVED.test(text), 'is a header that Beckon sets itself');
const value = z
  .string()
  .max(MAX_VALUE)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be visible ASCII, with no space at either end');

const fields = {
  url: z
    .string()
    .max(MAX_URL)
    .refine((text) => URL.canParse(text), 'must be a URL')
    .describe('URL that receives the events. At most 2,048 characters.'),
  events: z
    .array(
      z
        .string()
        .refine(isName, `unknown event. Allowed: ${NAMES.join(', ')}`)
        .meta({ enum: NAMES }),
    )
    .min(1)
    .max(NAMES.length)
    .transform((names) => [...new Set(names)])
    .describe('Names of the events to deliver.'),
  description: z
    .string()
    .trim()
    .max(MAX_DESCRIPTION)
    .nullish()
    .describe('What the webhook is for. At most 500 characters. Null or omitted: none.'),
  headers: z
    .record(name, value)
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
    .nullish()
    .describe('Extra request headers. At most 20. Null or omitted: none.'),
  isActive: z.boolean().optional().describe('Whether events are delivered. Default: true.'),
};

/** Body of `POST /webhooks`. */
export const webhookBody = z.strictObject({
  ...fields,
  /** Pull mode, for receivers that cannot be reached: nothing is posted, deliveries are fetched. */
  isPulled: z
    .boolean()
    .optional()
    .describe('Whether deliveries wait to be fetched instead of being posted. Default: false.'),
});
/** Body of `PATCH /webhooks/:id`. Absent fields keep their value; null clears. */
export const webhookPatch = z.strictObject({
  ...fields,
  url: fields.url
    .optional()
    .describe('URL that receives the events. At most 2,048 characters. Omit it to keep the URL.'),
  events: fields.events.optional().describe('Names of the events to deliver. Omit it to keep them.'),
});
/** Body of `POST /webhooks/:id/rotate-secret`. */
export const rotationBody = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(MAX_GRACE)
    .default(DEFAULT_GRACE)
    .describe('Seconds that the previous secret keeps signing. At most 604,800 (a week). Default: 86,400 (a day).'),
});
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => isMoment(at.getTime()), MOMENT_OUT_OF_RANGE);
/** Body of `POST /webhooks/:id/recover`. */
export const recoveryBody = z
  .strictObject({
    since: moment.describe('Start of the time range. ISO 8601 with an offset.'),
    until: moment.optional().describe('End of the time range. ISO 8601 with an offset. Default: now.'),
  })
  .refine(({ since, until }) => until === undefined || since <= until, {
    path: ['until'],
    message: 'must not be before since',
  });

/** Each of them throws VALIDATION_ERROR. */
export const parseWebhook = (body: unknown): z.output<typeof webhookBody> =>
  normaliseFreeForm(parse(webhookBody, body));
export const parseWebhookPatch = (body: unknown): z.output<typeof webhookPatch> =>
  normaliseFreeForm(parse(webhookPatch, body));
export const parseRotation = (body: unknown): z.output<typeof rotationBody> => parse(rotationBody, body);
export const parseRecovery = (body: unknown): z.output<typeof recoveryBody> => parse(recoveryBody, body);
