// Reads Twilio callbacks: delivery reports and inbound texts, signed with the account's auth token over the configured
// URL and all form fields.

import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../../foundation/hash.ts';
import { textsNamed } from '../../callbacks/claimed-ids.ts';
import type { CallbackReader, CallbackRequest, ProviderEvent } from '../../callbacks/reader.ts';
import { readUntrusted } from '../../callbacks/untrusted-json.ts';
import { member } from './json.ts';
import { messageIdOf } from './status-url.ts';

const SIGNATURE = 'x-twilio-signature';
/** Query parameter with the hash of a JSON body. */
const BODY_HASH = 'bodySHA256';
/** Twilio sends no time; the time of the request is used. */
const NO_TIME = new Date(8.64e15);
/** An empty reply: Twilio answers opt-out keywords itself. */
const REPLY = { contentType: 'text/xml; charset=utf-8', body: '<Response/>' };
/** Provider's error code of a number that opted out. Source: Twilio, error 21610. */
const OPTED_OUT = '21610';
const MAX_MEDIA = 10;
/** Maximum form fields. Chosen: Twilio sends about thirty, and two per file. A form with more is not read. */
const MAX_FIELDS = 1_000;
const AMPERSAND = 0x26;

type Fields = ReadonlyMap<string, readonly string[]>;

/** Checked before parsing: the request is not verified yet, and parsing a megabyte of `a&` takes seconds. */
const hasTooManyFields = (rawBody: Uint8Array): boolean => {
  let count = 0;
  for (let at = rawBody.indexOf(AMPERSAND); at !== -1; at = rawBody.indexOf(AMPERSAND, at + 1))
    if (++count >= MAX_FIELDS) return true;
  return false;
};

const formOf = ({ rawBody }: CallbackRequest): Fields => {
  const fields = new Map<string, string[]>();
  if (hasTooManyFields(rawBody)) return fields;
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(rawBody))) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  return fields;
};

/** The text members of a JSON body; null: no JSON object. */
const objectOf = ({ rawBody }: CallbackRequest): Fields | null => {
  const parsed = readUntrusted(rawBody);
  if (typeof parsed !== 'object' || parsed === null) return null;
  return new Map(
    Object.keys(parsed).flatMap((name): [string, string[]][] => {
      const value = member(parsed, name);
      return typeof value === 'string' || typeof value === 'number' ? [[name, [`${value}`]]] : [];
    }),
  );
};

const hashOf = ({ url }: CallbackRequest): string | null => url.searchParams.get(BODY_HASH);

/** The signed text after the URL: sorted names, each followed by its distinct values. */
const signedFields = (fields: Fields): string =>
  [...fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => [...new Set(values)].sort().map((value) => name + value))
    .join('');

/** The URL as received, without its port, and with the default port of its scheme. Source: Twilio, Secure webhooks. */
const urlsOf = ({ href, origin, protocol, port, host, hostname }: URL): readonly string[] => {
  const at = (name: string): string => `${protocol}//${name}${href.slice(origin.length)}`;
  const usual = protocol === 'https:' ? 443 : 80;
  return [...new Set([at(host), at(hostname), at(`${hostname}:${port === '' ? usual : port}`)])];
};

const signatureOf = (token: string, text: string): Uint8Array => createHmac('sha1', token).update(text).digest();

/** The fields to verify; null: the body does not match the hash in the URL. */
const verifiedFields = (request: CallbackRequest): string | null => {
  const hash = hashOf(request);
  if (hash === null) return signedFields(formOf(request));
  const bodyHash = createHash('sha256').update(request.rawBody).digest('hex');
  return constantTimeEqual(Buffer.from(bodyHash), Buffer.from(hash.toLowerCase())) ? '' : null;
};

const eventOf = (request: CallbackRequest, fields: Fields): ProviderEvent | null => {
  const text = (name: string): string => fields.get(name)?.[0] ?? '';
  const sid = text('MessageSid') || text('SmsSid');
  const statusText = (text('MessageStatus') || text('SmsStatus')).toLowerCase();
  // Flows and relays that forward a message omit the status: a post with a body and no status is inbound.
  const status = statusText === '' && fields.has('Body') ? 'received' : statusText;
  if (sid === '' || status === '') return null;
  const common = { ids: [`${sid}/${status}`], at: NO_TIME };
  if (status === 'received' || status === 'receiving') {
    const word = text('OptOutType').toLowerCase();
    return {
      ...common,
      providerIds: [],
      messageId: null,
      type: 'inbound',
      from: text('From'),
      to: text('To'),
      body: text('Body'),
      service: text('MessagingServiceSid') || null,
      keyword: word === 'stop' || word === 'start' || word === 'help' ? word : null,
      mediaUrls: Array.from({ length: MAX_MEDIA }, (_, at) => text(`MediaUrl${at}`)).filter((url) => url !== ''),
    };
  }
  const sender = text('MessagingServiceSid') || text('From');
  const about = {
    ...common,
    providerIds: [sid],
    messageId: messageIdOf(request.url),
    ...(text('To') === '' ? {} : { to: text('To') }),
    ...(sender === '' ? {} : { from: sender }),
  };
  const code = text('ErrorCode') || null;
  switch (status) {
    case 'sent':
      return { ...about, type: 'sent' };
    case 'delivered':
    case 'read':
      return { ...about, type: 'delivered' };
    case 'undelivered':
    case 'failed':
    case 'canceled': {
      const message = `Twilio says that it is ${status}.`;
      return { ...about, type: 'failed', code: code ?? status, message, isOptedOut: code === OPTED_OUT };
    }
    default:
      return { ...about, type: 'unrecognised', name: status };
  }
};

/** Statuses before `sent`, already known from the answer to the send request. */
const EARLIER: ReadonlySet<string> = new Set(['accepted', 'scheduled', 'queued', 'sending']);

/** Reads Twilio callbacks. Source: transports, Status callbacks and inbound. */
export const twilioReader: CallbackReader = {
  provider: 'twilio',
  headers: [SIGNATURE],
  claimedIds: (start) => {
    const names = ['MessageSid', 'SmsSid'];
    if (hashOf(start) !== null) return names.flatMap((name) => textsNamed(start.rawBody, name));
    const fields = formOf(start);
    return [...new Set(names.flatMap((name) => fields.get(name)?.[0] ?? []))];
  },
  verify: async (request, secrets) => {
    const signature = request.headers.get(SIGNATURE);
    if (signature === null) return 'unsigned';
    const received = Buffer.from(signature, 'base64');
    const fields = verifiedFields(request);
    if (fields === null) return 'bad_signature';
    const isSigned = secrets.some((token) =>
      urlsOf(request.url).some((url) => constantTimeEqual(signatureOf(token, url + fields), received)),
    );
    return isSigned ? null : 'bad_signature';
  },
  parse: (request) => {
    const fields = hashOf(request) === null ? formOf(request) : objectOf(request);
    const event = fields && eventOf(request, fields);
    if (!event) return null;
    const isEarlier = event.type === 'unrecognised' && EARLIER.has(event.name);
    return { events: isEarlier ? [] : [event], reply: REPLY };
  },
};
