import { z } from 'zod';
import { isObject } from '../../foundation/json.ts';
import { type BodyShape, PROJECT_FIELD } from '../../foundation/pre-scan.ts';

/** Characters of a userId or anonymousId. Source: contract, ingest and profiles. */
export const MAX_ID = 256;
/** Characters of an event name or a trait key. Source: interface, Limits; contract, ingest and profiles. */
export const MAX_NAME = 128;
/** Characters of a message id. Source: contract, ingest and profiles. */
const MAX_MESSAGE_ID = 128;
/** Source: interface, Limits. */
export const MAX_MODULE = 64;
/** Properties per event. Source: interface, Limits. */
export const MAX_PROPERTIES = 100;
/** Events per batch. Source: contract, ingest and profiles. */
export const MAX_BATCH = 500;

/**
 * The events in the body of a batch, in either of its two forms: `{ batch: [...] }` or a bare array. Undefined for any
 * other body. Every rule that counts the events of a body uses it, so that both forms cost the same. Throws nothing.
 */
export const eventsInBatch = (body: unknown): readonly unknown[] | undefined => {
  const events = isObject(body) ? body['batch'] : body;
  return Array.isArray(events) ? events : undefined;
};

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const HAS_NO_ZONE = /T[\d:.]+$/;
/** Days that every month has, so that most dates need no further check. */
const MIN_DAYS_IN_MONTH = 28;

// JavaScript reads 30 February as 1 March. Adding 400 years avoids its mapping of years below 100 to 1900.
const isDay = (text: string): boolean => {
  const day = Number(text.slice(8, 10));
  if (day <= MIN_DAYS_IN_MONTH) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  return day <= new Date(Date.UTC(400 + (year % 400), month, 0)).getUTCDate();
};

/**
 * Unix milliseconds of an ISO 8601 date-time; without a zone it is UTC. NaN for other texts and for days that do not
 * exist.
 */
export const instantOf = (text: string): number => {
  if (!ISO_TIME.test(text) || !isDay(text)) return Number.NaN;
  // JavaScript reads a date-time without a zone as local time of the machine.
  return Date.parse(HAS_NO_ZONE.test(text) ? `${text}Z` : text);
};

/** One opaque check: `z.record` would visit every member of every event (measured: 4.1 instead of 1.6 µs). */
const object = z.custom<Record<string, unknown>>(isObject, 'must be an object');
const id = z.string().min(1).max(MAX_ID);
const time = z.string().refine((text) => !Number.isNaN(instantOf(text)), 'must be an ISO 8601 date-time');

/** Body of `POST /events`. Unknown keys are ignored, because client devices write it. */
export const eventBody = z.object({
  module: z
    .string()
    .min(1)
    .max(MAX_MODULE)
    .describe('Part of your product that the event belongs to, such as app. 1 to 64 characters.'),
  eventType: z.string().min(1).max(MAX_NAME).describe('Name of the event, such as order.placed. 1 to 128 characters.'),
  properties: object
    .optional()
    .describe('Facts about the event. At most 100 properties; an event with more is rejected. Default: none.'),
  traits: object.optional().describe('Traits to set on the profile with this event. Default: none.'),
  userId: id
    .optional()
    .describe('Your id of the user. 1 to 256 characters. Default: none, anonymousId identifies the profile.'),
  anonymousId: id.optional().describe('Id of a visitor before identify. 1 to 256 characters. Default: none.'),
  messageId: z
    .string()
    .min(1)
    .max(MAX_MESSAGE_ID)
    .optional()
    .describe('Your id of this event. The same id counts once in 72 hours. 1 to 128 characters. Default: a new id.'),
  timestamp: time
    .optional()
    .describe('When the event happened. ISO 8601; without a zone it is UTC. Default: when Beckon receives it.'),
  sentAt: time
    .optional()
    .describe(
      "When the client sent the request, by the client's clock. ISO 8601. Beckon corrects timestamp by the difference. Default: no correction.",
    ),
  sessionId: id.optional().describe('Id of the session that the event belongs to. 1 to 256 characters. Default: none.'),
  context: object.optional().describe('Facts about the device, such as locale and timezone. Default: none.'),
});

/** Origin of an event: the customer's program, or Beckon. Source: contract, Ingest. */
export const EVENT_SOURCES = ['customer', 'system'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];
export type EventBody = z.infer<typeof eventBody>;

// Characters are code points, as in the schema: one or two UTF-16 units each, so few texts have to be counted.
const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' &&
  value.length > 0 &&
  (value.length <= max || (value.length <= 2 * max && [...value].length <= max));
const isTextOrAbsent = (value: unknown, max: number): boolean => value === undefined || isText(value, max);
const isObjectOrAbsent = (value: unknown): boolean => value === undefined || isObject(value);
const isTimeOrAbsent = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && !Number.isNaN(instantOf(value)));

/**
 * True for exactly the values that `eventBody` accepts. Measured: 0.2 instead of 0.6 µs; the schema runs only to
 * describe errors. A test compares the two. Throws nothing.
 */
export const isEventBody = (body: unknown): body is EventBody =>
  isObject(body) &&
  isText(body['module'], MAX_MODULE) &&
  isText(body['eventType'], MAX_NAME) &&
  isObjectOrAbsent(body['properties']) &&
  isObjectOrAbsent(body['traits']) &&
  isTextOrAbsent(body['userId'], MAX_ID) &&
  isTextOrAbsent(body['anonymousId'], MAX_ID) &&
  isTextOrAbsent(body['messageId'], MAX_MESSAGE_ID) &&
  isTimeOrAbsent(body['timestamp']) &&
  isTimeOrAbsent(body['sentAt']) &&
  isTextOrAbsent(body['sessionId'], MAX_ID) &&
  isObjectOrAbsent(body['context']);

/** Body of `POST /identify`. Unknown keys are ignored. */
export const identifyBody = z.object({
  userId: id.describe('Your id of the user. 1 to 256 characters.'),
  anonymousId: id
    .optional()
    .describe('Id of the visitor that becomes this user. The two profiles merge. 1 to 256 characters. Default: none.'),
  traits: object.describe('Traits to set on the profile. A trait that you omit keeps its value; null removes it.'),
  messageId: z
    .string()
    .min(1)
    .max(MAX_MESSAGE_ID)
    .optional()
    .describe('Your id of this call. The same id counts once in 72 hours. 1 to 128 characters. Default: a new id.'),
  timestamp: time
    .optional()
    .describe('When the traits were true. ISO 8601; without a zone it is UTC. Default: when Beckon receives the call.'),
  sentAt: time
    .optional()
    .describe(
      "When the client sent the request, by the client's clock. ISO 8601. Beckon corrects timestamp by the difference. Default: no correction.",
    ),
  context: object.optional().describe('Facts about the device, such as locale and timezone. Default: none.'),
});

/** Fields that are read from an identify body. */
export const IDENTIFY_SHAPE: BodyShape = {
  names: [...Object.keys(identifyBody.shape), PROJECT_FIELD],
  cut: ['traits', 'context'],
};
