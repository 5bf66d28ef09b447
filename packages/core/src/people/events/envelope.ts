import { longArrayIn, TOO_MANY_ITEMS } from '../../foundation/array-items.ts';
import { compact } from '../../foundation/compact.ts';
import { type FieldErrors, fieldErrorsOf, isBeckonError, validationError } from '../../foundation/errors.ts';
import {
  cleanId,
  clipTexts,
  isTruncated,
  markTruncated,
  normaliseFreeForm,
  truncateObject,
} from '../../foundation/json.ts';
import { isPlaceholderUserId, PLACEHOLDER_USER_ID } from '../../foundation/placeholder-user-id.ts';
import { isReservedName } from './catalog.ts';
import type { Item } from './pipeline.ts';
import { type EventBody, eventBody, identifyBody, instantOf, isEventBody, MAX_NAME, MAX_PROPERTIES } from './schema.ts';

/** Maximum size of an event's traits, in bytes. Source: interface, Truncation. */
export const MAX_TRAIT_BYTES = 16 * 1_024;
/** Maximum size of an event's context, in bytes. Chosen: the same as traits. */
const MAX_CONTEXT_BYTES = 16 * 1_024;
/** A timestamp further in the future is replaced by the time of reception. Source: contract, ingest and profiles. */
const MAX_AHEAD_MS = 24 * 3_600_000;
/** Clock skew of a device above which its timestamps are corrected. Source: contract, ingest and profiles. */
const MAX_SKEW_MS = 5_000;
/**
 * Earlier timestamps are replaced by the time of reception. Chosen: no device means such a year, and PostgreSQL's
 * driver misreads or rejects it.
 */
const EARLIEST_MS = Date.UTC(1000, 0);

/** Request values that all its items share. `receivedAt` is one time for the whole request. */
export type Reception = Pick<Item, 'scope' | 'receivedAt' | 'request'> & {
  nextId(): string;
  /** True if the request used a public key, which must not send reserved names. */
  readonly isPublic?: boolean;
  /** Called once per placeholder user id. */
  countPlaceholder?(): void;
};

const RESERVED = 'is a name that the service raises: send it with a secret key, or use another name';

type Open = Readonly<Record<string, unknown>>;

const checkSizes = (properties: Open): FieldErrors | null => {
  const names = Object.keys(properties);
  if (names.length > MAX_PROPERTIES) return { properties: [`at most ${MAX_PROPERTIES} properties`] };
  return checkArrays(properties, 'properties');
};

const checkArrays = (object: Open, field: string): FieldErrors | null => {
  const long = longArrayIn(object, field);
  return long === null ? null : { [long]: [TOO_MANY_ITEMS] };
};

const checkTraits = (traits: Open): FieldErrors | null => {
  const bad = Object.keys(traits).find((name) => name.length === 0 || name.length > MAX_NAME);
  return bad === undefined
    ? checkArrays(traits, 'traits')
    : { [`traits.${bad}`]: [`trait names have 1 to ${MAX_NAME} characters`] };
};

const fail = (errors: FieldErrors | null): void => {
  if (errors) throw validationError(errors);
};

const named = (field: string, text: string | undefined): string | null => {
  if (text === undefined) return null;
  const clean = cleanId(text);
  if (clean === null) throw validationError({ [field]: ['must not contain the character U+0000'] });
  return clean;
};

/** The client's userId; null if absent or a placeholder. */
const userIdOf = (userId: string | undefined, { countPlaceholder }: Reception): string | null => {
  if (userId === undefined || !isPlaceholderUserId(userId)) return named('userId', userId);
  countPlaceholder?.();
  return null;
};

const bounded = (field: string, value: Open | undefined, maxBytes: number): Open | null => {
  if (value === undefined) return null;
  const storable = normaliseFreeForm(clipTexts(value, maxBytes), field);
  // `value` may have been cut before it was parsed; copy its truncation mark.
  if (storable !== value && isTruncated(value)) markTruncated(storable);
  return truncateObject(storable, maxBytes);
};

/** Time of the event: the client's timestamp, corrected by the skew of its clock at `sentAt`. */
const happenedAt = (timestamp: string | undefined, sentAt: string | undefined, receivedAt: Date): Date => {
  if (timestamp === undefined) return receivedAt;
  let at = instantOf(timestamp);
  if (sentAt !== undefined) {
    const skew = receivedAt.getTime() - instantOf(sentAt);
    if (Math.abs(skew) > MAX_SKEW_MS) at += skew;
  }
  const isCredible = at >= EARLIEST_MS && at <= receivedAt.getTime() + MAX_AHEAD_MS;
  return isCredible ? new Date(at) : receivedAt;
};

const checkedEvent = (body: unknown): EventBody => {
  const parsed = eventBody.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  return parsed.data;
};

/**
 * Converts an event body into an item. `sentAt` is the batch's, for events without their own. Throws VALIDATION_ERROR.
 */
export const eventItem = (body: unknown, reception: Reception, sentAt?: string): Item => {
  const event = isEventBody(body) ? body : checkedEvent(body);
  const eventType = named('eventType', event.eventType) ?? '';
  if (reception.isPublic && isReservedName(eventType)) throw validationError({ eventType: [RESERVED] });
  const userId = userIdOf(event.userId, reception);
  const anonymousId = named('anonymousId', event.anonymousId);
  if (userId === null && anonymousId === null)
    throw validationError({
      userId: [event.userId === undefined ? 'give userId, anonymousId or both' : PLACEHOLDER_USER_ID],
    });
  const properties = normaliseFreeForm(event.properties ?? {}, 'properties');
  fail(checkSizes(properties));
  const traits = bounded('traits', event.traits, MAX_TRAIT_BYTES);
  if (traits) fail(checkTraits(traits));
  return {
    scope: reception.scope,
    kind: 'event',
    id: reception.nextId(),
    userId,
    anonymousId,
    module: named('module', event.module) ?? '',
    eventType,
    properties,
    traits,
    context: bounded('context', event.context, MAX_CONTEXT_BYTES),
    sessionId: named('sessionId', event.sessionId),
    messageId: named('messageId', event.messageId),
    timestamp: happenedAt(event.timestamp, event.sentAt ?? sentAt, reception.receivedAt),
    receivedAt: reception.receivedAt,
    depth: 0,
    ...compact({ request: reception.request }),
  };
};

/** Converts an identify body into an item. Throws VALIDATION_ERROR. */
export const identifyItem = (body: unknown, reception: Reception): Item => {
  const parsed = identifyBody.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const call = parsed.data;
  const userId = userIdOf(call.userId, reception);
  if (userId === null) throw validationError({ userId: [PLACEHOLDER_USER_ID] });
  const traits = bounded('traits', call.traits, MAX_TRAIT_BYTES) ?? {};
  fail(checkTraits(traits));
  return {
    scope: reception.scope,
    kind: 'identify',
    id: reception.nextId(),
    userId,
    // As an alias, a placeholder would merge all visitors whose client sends the same placeholder into this user.
    anonymousId:
      call.anonymousId !== undefined && isPlaceholderUserId(call.anonymousId)
        ? null
        : named('anonymousId', call.anonymousId),
    module: 'profiles',
    eventType: 'user.identified',
    properties: {},
    traits,
    context: bounded('context', call.context, MAX_CONTEXT_BYTES),
    sessionId: null,
    messageId: named('messageId', call.messageId),
    timestamp: happenedAt(call.timestamp, call.sentAt, reception.receivedAt),
    receivedAt: reception.receivedAt,
    depth: 0,
  };
};

/**
 * Field errors of a rejected event, keyed by top-level field. Deeper paths contain names that the client chose, and a
 * batch may have 500 of them. Rethrows other errors.
 */
export const refusalOf = (error: unknown): FieldErrors => {
  if (!isBeckonError(error, 'VALIDATION_ERROR') || error.details?.fieldErrors === undefined) throw error;
  const fields = new Map<string, string[]>();
  for (const [path, messages] of Object.entries(error.details.fieldErrors)) {
    const [field = ''] = path.split('.', 1);
    fields.set(field, [...new Set([...(fields.get(field) ?? []), ...messages])]);
  }
  return Object.fromEntries(fields);
};
