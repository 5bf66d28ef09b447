import { textsNamed } from '../../callbacks/claimed-ids.ts';
import type { CallbackReader, ProviderEvent } from '../../callbacks/reader.ts';
import { readUntrusted } from '../../callbacks/untrusted-json.ts';
import { sesBounceOf } from './bounce-event.ts';
import { type FetchCertificate, snsUrl, snsVerifier } from './sns.ts';
import { bodyReader, type Fields, fieldsOf, isFields, messageIdOf, momentOf, textOf } from './untrusted.ts';

/** The SES event inside an SNS message; empty for other messages. */
const eventIn = (message: Fields): Fields => {
  const text = textOf(message['Message']);
  return message['Type'] === 'Notification' && text !== null ? fieldsOf(readUntrusted(text)) : {};
};
const providerIdsOf = (event: Fields): readonly string[] => {
  const id = textOf(fieldsOf(event['mail'])['messageId']);
  return id === null ? [] : [id];
};
const argumentOf = (event: Fields): string | null =>
  messageIdOf(fieldsOf(fieldsOf(event['mail'])['tags'])['messageId']);

const eventOf = (message: Fields): ProviderEvent | null => {
  const sentAt = momentOf(message['Timestamp']);
  if (sentAt === null) return null;
  const id = textOf(message['MessageId']);
  const event = eventIn(message);
  const common = {
    ids: id === null ? [] : [id],
    providerIds: providerIdsOf(event),
    messageId: argumentOf(event),
    at: sentAt,
  };
  if (message['Type'] === 'SubscriptionConfirmation') {
    const url = snsUrl(message['SubscribeURL']);
    return url === null ? null : { ...common, type: 'subscription', url: url.href };
  }
  // Event publishing uses `eventType`, identity notifications use `notificationType`.
  const name = textOf(event['eventType']) ?? textOf(event['notificationType']) ?? String(message['Type']);
  const part = fieldsOf(event[name.toLowerCase()]);
  const timed = { ...common, at: momentOf(part['timestamp']) ?? sentAt };
  const userAgent = textOf(part['userAgent']);
  switch (name) {
    case 'Send':
      return { ...timed, type: 'sent' };
    case 'Delivery':
      return { ...timed, type: 'delivered' };
    case 'Bounce': {
      const [kind, subtype] = [textOf(part['bounceType']), textOf(part['bounceSubType'])];
      // Each message has one recipient.
      const recipients: unknown = part['bouncedRecipients'];
      const recipient = fieldsOf(Array.isArray(recipients) ? recipients[0] : null);
      const [status, text] = [textOf(recipient['status']), textOf(recipient['diagnosticCode'])];
      return { ...timed, ...sesBounceOf({ kind, subtype, status, text }) };
    }
    case 'Complaint':
      return { ...timed, type: 'complained' };
    case 'Open':
      return { ...timed, type: 'opened', userAgent, isMachine: false };
    case 'Click':
      return { ...timed, type: 'clicked', url: textOf(part['link']) ?? '', userAgent, isMachine: false };
    case 'Reject':
      return { ...timed, type: 'failed', code: 'Reject', message: textOf(part['reason']) };
    default:
      return { ...timed, type: 'unrecognised', name };
  }
};

/**
 * Reads Amazon SES callbacks over SNS. Secrets are the ARNs of the project's own topics.
 *
 * Source: docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html,
 * docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html.
 */
export const sesReader = ({ fetchCertificate }: { readonly fetchCertificate: FetchCertificate }): CallbackReader => {
  const bodyOf = bodyReader();
  const isSigned = snsVerifier(fetchCertificate);
  return {
    provider: 'ses',
    headers: [],
    // The event is a JSON text inside the SNS message.
    claimedIds: ({ rawBody }) => textsNamed(rawBody, 'messageId', true),
    verify: (request, topics, now) => isSigned(bodyOf(request), topics, now),
    parse: (request) => {
      const body = bodyOf(request);
      const event = isFields(body) ? eventOf(body) : null;
      return event === null ? null : { events: [event] };
    },
  };
};
