import { verify } from 'node:crypto';
import { specificCode } from '../../../delivery/transports/mail-status.ts';
import { textsNamed } from '../../callbacks/claimed-ids.ts';
import { base64Bytes, sendgridKey } from '../../callbacks/email-keys.ts';
import type { CallbackReader, ProviderEvent } from '../../callbacks/reader.ts';
import { MAX_BATCH_VALUES } from '../../callbacks/untrusted-json.ts';
import { bounceOf } from './bounce-event.ts';
import { isFresh } from './signing.ts';
import { bodyReader, type Fields, isFields, messageIdOf, momentOfSeconds, textOf } from './untrusted.ts';

/**
 * Maximum age of a callback: SendGrid retries for 24 hours, possibly with the first signature; one hour is added. Event
 * ids are remembered for longer.
 */
const WINDOW_MS = 25 * 3_600_000;
const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';

/**
 * The only bounce class that concerns the address. Source: SendGrid, Event Webhook Reference, bounce_classification.
 */
const DEAD_CLASS = 'Invalid Address';

/**
 * `blocked` concerns this email only. Without a status code, SendGrid's bounce class, if present, decides whether the
 * address is dead.
 */
const isHardBounce = (event: Fields, status: string | null, text: string | null): boolean => {
  if (event['type'] !== 'bounce') return false;
  const group = textOf(event['bounce_classification']);
  return group === null || group === DEAD_CLASS || specificCode(status ?? '', text ?? '') !== null;
};

/** Event ids extend the message id from the send's response; the rest names the filter. */
const formsOf = (id: string): readonly string[] => [...new Set([id, id.split('.')[0] ?? id])];
const providerIdsOf = (event: Fields): readonly string[] => {
  const id = textOf(event['sg_message_id']);
  return id === null ? [] : formsOf(id);
};

const eventOf = (event: Fields): ProviderEvent | null => {
  const at = momentOfSeconds(event['timestamp']);
  const name = textOf(event['event']);
  if (at === null || name === null) return null;
  const id = textOf(event['sg_event_id']);
  const common = {
    ids: id === null ? [] : [id],
    providerIds: providerIdsOf(event),
    messageId: messageIdOf(event['messageId']),
    at,
  };
  const userAgent = textOf(event['useragent']);
  const isMachine = event['sg_machine_open'] === true;
  switch (name) {
    case 'processed':
      return { ...common, type: 'sent' };
    case 'delivered':
      return { ...common, type: 'delivered' };
    case 'bounce': {
      const [status, text] = [textOf(event['status']), textOf(event['reason'])];
      const isHard = isHardBounce(event, status, text);
      return { ...common, ...bounceOf({ isHard, isFinal: true, code: status, status, text }) };
    }
    case 'dropped':
      // SendGrid did not send it: an account limit, or the address is on one of its lists.
      return { ...common, ...bounceOf({ isHard: false, isFinal: true, code: textOf(event['reason']) }) };
    case 'spamreport':
      return { ...common, type: 'complained' };
    case 'open':
      return { ...common, type: 'opened', userAgent, isMachine };
    case 'click':
      return { ...common, type: 'clicked', url: textOf(event['url']) ?? '', userAgent, isMachine: false };
    default:
      return { ...common, type: 'unrecognised', name };
  }
};

/**
 * Reads SendGrid callbacks: a list of events, signed by ECDSA over timestamp and bytes. The secret is the public key.
 *
 * Source: www.twilio.com/docs/sendgrid/for-developers/tracking-events/event and
 * .../getting-started-event-webhook-security-features.
 */
export const sendgridReader = (): CallbackReader => {
  const bodyOf = bodyReader(MAX_BATCH_VALUES);
  return {
    provider: 'sendgrid',
    headers: [SIGNATURE, TIMESTAMP],
    claimedIds: ({ rawBody }) => textsNamed(rawBody, 'sg_message_id').flatMap(formsOf),
    verify: async ({ headers, rawBody }, secrets, now) => {
      const [signature, timestamp] = [headers.get(SIGNATURE), headers.get(TIMESTAMP)];
      if (signature === null || timestamp === null) return 'unsigned';
      const received = base64Bytes(signature);
      const signed = Buffer.concat([Buffer.from(timestamp), rawBody]);
      const isSigned = secrets.some((secret) => {
        const key = sendgridKey(secret);
        return key !== null && received !== null && verify('sha256', signed, { key, dsaEncoding: 'der' }, received);
      });
      if (!isSigned) return 'bad_signature';
      return isFresh(momentOfSeconds(timestamp), now, WINDOW_MS) ? null : 'stale';
    },
    parse: (request) => {
      const body = bodyOf(request);
      if (!Array.isArray(body)) return null;
      const events = body.map((one) => (isFields(one) ? eventOf(one) : null));
      const readable = events.filter((event) => event !== null);
      return readable.length === events.length ? { events: readable } : null;
    },
  };
};
