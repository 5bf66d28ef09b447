// Reads Telnyx callbacks: delivery reports and inbound texts, signed with Ed25519 over the timestamp and the raw body.

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { textsNamed } from '../../callbacks/claimed-ids.ts';
import type { CallbackReader, CallbackRequest, ProviderEvent } from '../../callbacks/reader.ts';
import { readUntrusted } from '../../callbacks/untrusted-json.ts';
import { firstOf, member, textOf } from './json.ts';
import { messageIdOf } from './status-url.ts';

const SIGNATURE = 'telnyx-signature-ed25519';
const TIMESTAMP = 'telnyx-timestamp';
/**
 * Maximum difference between a request's time and the clock, in milliseconds. Source: transports, Telnyx (5 minutes).
 */
const WINDOW_MS = 300_000;
/** Prefix of the 32 key bytes: the SPKI header of Ed25519. Source: RFC 8410, 4. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
/** Provider's error code of a number that opted out. Source: Telnyx, Messaging error codes. */
const OPTED_OUT = '40300';

const keyOf = (secret: string): KeyObject | null => {
  const raw = Buffer.from(secret, 'base64');
  if (raw.length !== KEY_BYTES) return null;
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
};

const momentOf = (text: string | null): Date => {
  const at = new Date(text ?? Number.NaN);
  // Without a time the event happened when it arrived.
  return Number.isNaN(at.getTime()) ? new Date(8.64e15) : at;
};

/** Meaning of `to[0].status`. Source: Telnyx, API reference, OutboundMessagePayload. */
const KINDS: Readonly<Record<string, 'sent' | 'delivered' | 'failed'>> = {
  sent: 'sent',
  // The carrier accepted it and will not report more.
  delivery_unconfirmed: 'sent',
  delivered: 'delivered',
  delivery_failed: 'failed',
  sending_failed: 'failed',
  expired: 'failed',
};

const inboundOf = (common: Pick<ProviderEvent, 'ids' | 'at'>, payload: unknown): ProviderEvent => {
  const media = member(payload, 'media');
  return {
    ...common,
    providerIds: [],
    messageId: null,
    type: 'inbound',
    from: textOf(member(payload, 'from'), 'phone_number') ?? '',
    to: textOf(firstOf(member(payload, 'to')), 'phone_number') ?? '',
    body: textOf(payload, 'text') ?? '',
    service: textOf(payload, 'messaging_profile_id'),
    keyword: null,
    mediaUrls: Array.isArray(media) ? media.flatMap((one) => textOf(one, 'url') ?? []) : [],
  };
};

const eventOf = ({ url, rawBody }: CallbackRequest): ProviderEvent | null => {
  const data = member(readUntrusted(rawBody), 'data');
  const payload = member(data, 'payload');
  const type = textOf(data, 'event_type');
  const id = textOf(payload, 'id');
  if (id === null) return null;
  const to = firstOf(member(payload, 'to'));
  const status = textOf(to, 'status') ?? '';
  // A post with a text, without an event type and a delivery status, is an inbound text.
  const isInbound = type === null && status === '' && textOf(payload, 'text') !== null;
  if (type === null && !isInbound) return null;
  const common = {
    ids: [textOf(data, 'id') ?? `${id}/${type ?? 'message.received'}/${status}`],
    at: momentOf(textOf(data, 'occurred_at')),
  };
  if (type === 'message.received' || isInbound) return inboundOf(common, payload);
  const number = textOf(to, 'phone_number');
  const sender = textOf(member(payload, 'from'), 'phone_number');
  const about = {
    ...common,
    providerIds: [id],
    messageId: messageIdOf(url),
    ...(number === null ? {} : { to: number }),
    ...(sender === null ? {} : { from: sender }),
  };
  const kind = type === 'message.sent' || type === 'message.finalized' ? KINDS[status] : undefined;
  if (kind === undefined) return { ...about, type: 'unrecognised', name: `${type}/${status}`.slice(0, 100) };
  if (kind !== 'failed') return { ...about, type: kind };
  const code = textOf(firstOf(member(payload, 'errors')), 'code') ?? status;
  return {
    ...about,
    type: 'failed',
    code,
    message: `Telnyx says that it is ${status}.`,
    isOptedOut: code === OPTED_OUT,
  };
};

/** Reads Telnyx callbacks. Source: transports, Telnyx. */
export const telnyxReader: CallbackReader = {
  provider: 'telnyx',
  headers: [SIGNATURE, TIMESTAMP],
  // Also finds the ids of the event and of parts of the payload; no message has those.
  claimedIds: ({ rawBody }) => textsNamed(rawBody, 'id'),
  verify: async ({ headers, rawBody }, secrets, now) => {
    const [signature, timestamp] = [headers.get(SIGNATURE), headers.get(TIMESTAMP)];
    if (signature === null || timestamp === null) return 'unsigned';
    if (!/^\d{1,12}$/.test(timestamp)) return 'bad_signature';
    const signed = Buffer.concat([Buffer.from(`${timestamp}|`), rawBody]);
    const received = Buffer.from(signature, 'base64');
    const isSigned = secrets.some((secret) => {
      const key = keyOf(secret);
      return key !== null && verify(null, signed, key, received);
    });
    if (!isSigned) return 'bad_signature';
    return Math.abs(now.getTime() - Number(timestamp) * 1_000) > WINDOW_MS ? 'stale' : null;
  },
  parse: (request) => {
    const event = eventOf(request);
    return event && { events: [event] };
  },
};
