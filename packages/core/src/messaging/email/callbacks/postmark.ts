import { textsNamed } from '../../callbacks/claimed-ids.ts';
import { POSTMARK_HEADER } from '../../callbacks/email-keys.ts';
import type { CallbackReader, ProviderEvent } from '../../callbacks/reader.ts';
import { bounceOf } from './bounce-event.ts';
import { isSameSecret } from './signing.ts';
import { bodyReader, type Fields, fieldsOf, isFields, messageIdOf, momentOf, textOf } from './untrusted.ts';

/** Bounce types after which the address is dead. */
const HARD = new Set(['HardBounce', 'BadEmailAddress']);
/** Bounce types of an email that was not delivered because of Postmark, its sender or a filter. */
const FINAL = new Set(['Blocked', 'ManuallyDeactivated', 'SMTPApiError', 'DMARCPolicy', 'TemplateRenderingFailed']);
/** Bounce types after which the email may still arrive, or did; other types are automatic replies. */
const PASSING = new Set([
  ...['Transient', 'DnsError', 'SpamNotification', 'SoftBounce', 'Unknown', 'VirusNotification'],
]);

const MOMENT: Readonly<Record<string, string>> = {
  Delivery: 'DeliveredAt',
  Bounce: 'BouncedAt',
  SpamComplaint: 'BouncedAt',
  Open: 'ReceivedAt',
  Click: 'ReceivedAt',
  SubscriptionChange: 'ChangedAt',
};

const eventOf = (body: Fields): ProviderEvent | null => {
  const type = textOf(body['RecordType']);
  const at = type === null ? null : momentOf(body[MOMENT[type] ?? '']);
  if (type === null || at === null) return null;
  const [id, providerId] = [body['ID'], textOf(body['MessageID'])];
  const common = {
    ids: typeof id === 'number' ? [`${type}/${id}`] : [],
    providerIds: providerId === null ? [] : [providerId],
    messageId: messageIdOf(fieldsOf(body['Metadata'])['messageId']),
    at,
  };
  const userAgent = textOf(body['UserAgent']);
  const kind = textOf(body['Type']);
  switch (type) {
    case 'Delivery':
      return { ...common, type: 'delivered' };
    case 'Bounce':
      if (kind === 'SpamComplaint') return { ...common, type: 'complained' };
      if (kind !== null && (HARD.has(kind) || FINAL.has(kind) || PASSING.has(kind))) {
        const text = textOf(body['Details']);
        return { ...common, ...bounceOf({ isHard: HARD.has(kind), isFinal: FINAL.has(kind), code: kind, text }) };
      }
      return { ...common, type: 'unrecognised', name: `Bounce/${kind}` };
    case 'SpamComplaint':
      return { ...common, type: 'complained' };
    case 'Open':
      return { ...common, type: 'opened', userAgent, isMachine: false };
    case 'Click':
      return { ...common, type: 'clicked', url: textOf(body['OriginalLink']) ?? '', userAgent, isMachine: false };
    default:
      return { ...common, type: 'unrecognised', name: type };
  }
};

/**
 * Reads Postmark callbacks: one unsigned record. Secrets are header lines that Postmark sends, such as
 * `authorization:Basic ...` or `x-webhook-secret:...`.
 *
 * Source: postmarkapp.com/developer/webhooks/webhooks-overview, postmarkapp.com/developer/api/bounce-api (types).
 */
export const postmarkReader = (): CallbackReader => {
  const bodyOf = bodyReader();
  return {
    provider: 'postmark',
    headers: ['authorization', POSTMARK_HEADER],
    claimedIds: ({ rawBody }) => textsNamed(rawBody, 'MessageID'),
    verify: async ({ headers }, secrets) => {
      const received = ['authorization', POSTMARK_HEADER].flatMap((name) => {
        const value = headers.get(name);
        return value === null ? [] : [`${name}:${value}`];
      });
      if (received.length === 0) return 'unsigned';
      return secrets.some((secret) => received.some((one) => isSameSecret(one, secret))) ? null : 'bad_signature';
    },
    parse: (request) => {
      const body = bodyOf(request);
      const event = isFields(body) ? eventOf(body) : null;
      return event === null ? null : { events: [event] };
    },
  };
};
