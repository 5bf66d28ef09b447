import { constantTimeEqual, hmacSha256 } from '../../../foundation/hash.ts';
import { textsNamed } from '../../callbacks/claimed-ids.ts';
import type { CallbackReader, ProviderEvent } from '../../callbacks/reader.ts';
import { bounceOf } from './bounce-event.ts';
import { isFresh } from './signing.ts';
import { bodyReader, type Fields, fieldsOf, isFields, messageIdOf, momentOfSeconds, textOf } from './untrusted.ts';

/** Maximum age of a token; used tokens are remembered for longer. Source: transports, Provider callbacks. */
const WINDOW_MS = 72 * 3_600_000;

/** The API returns an id in angle brackets; events omit them. */
const formsOf = (id: string): readonly string[] => {
  const bare = id.replace(/^<|>$/g, '');
  return [`<${bare}>`, bare];
};
const providerIdsOf = (event: Fields): readonly string[] => {
  const id = textOf(fieldsOf(fieldsOf(event['message'])['headers'])['message-id']);
  return id === null ? [] : formsOf(id);
};
const argumentOf = (event: Fields): string | null => messageIdOf(fieldsOf(event['user-variables'])['messageId']);

/**
 * Reason of a permanent failure decided by the recipient's server. Other reasons are Mailgun's: it gave up (`old`), the
 * email was rejected as spam (`espblock`, `generic`), or the address is on one of its lists (`suppress-bounce`, ...).
 */
const REFUSED = 'bounce';

const failureOf = (event: Fields) => {
  const isFinal = event['severity'] === 'permanent';
  const reason = textOf(event['reason']);
  const status = fieldsOf(event['delivery-status']);
  const replyCode = status['code'];
  return bounceOf({
    isHard: isFinal && reason === REFUSED,
    isFinal,
    code: reason ?? (typeof replyCode === 'number' ? String(replyCode) : null),
    // The first comes from the SMTP session, the second from a later report.
    status: textOf(status['enhanced-code']) ?? textOf(status['bounce-code']),
    text: textOf(status['message']),
  });
};

const eventOf = (event: Fields, token: string): ProviderEvent | null => {
  const at = momentOfSeconds(event['timestamp']);
  const name = textOf(event['event']);
  if (at === null || name === null) return null;
  const id = textOf(event['id']);
  const common = {
    // The signature covers only the token, so a captured token could sign any event; each is accepted once.
    ids: [`token:${token}`, ...(id === null ? [] : [id])],
    providerIds: providerIdsOf(event),
    messageId: argumentOf(event),
    at,
  };
  const client = fieldsOf(event['client-info']);
  const userAgent = textOf(client['user-agent']);
  // Mailgun's bot detection: `apple`, `gmail` or `generic`.
  const isMachine = textOf(client['bot']) !== null;
  switch (name) {
    case 'accepted':
      return { ...common, type: 'sent' };
    case 'delivered':
      return { ...common, type: 'delivered' };
    case 'failed':
      return { ...common, ...failureOf(event) };
    case 'complained':
      return { ...common, type: 'complained' };
    case 'opened':
      return { ...common, type: 'opened', userAgent, isMachine };
    case 'clicked':
      return { ...common, type: 'clicked', url: textOf(event['url']) ?? '', userAgent, isMachine };
    default:
      return { ...common, type: 'unrecognised', name };
  }
};

/**
 * Reads Mailgun callbacks: one event, with an HMAC over a timestamp and a one-time token. The secret is the webhook
 * signing key.
 *
 * Source: documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks and .../events/event-structure.
 */
export const mailgunReader = (): CallbackReader => {
  const bodyOf = bodyReader();
  const dataOf = (body: unknown): Fields => fieldsOf(fieldsOf(body)['event-data']);
  return {
    provider: 'mailgun',
    headers: [],
    claimedIds: ({ rawBody }) => textsNamed(rawBody, 'message-id').flatMap(formsOf),
    verify: async (request, secrets, now) => {
      const { timestamp, token, signature } = fieldsOf(fieldsOf(bodyOf(request))['signature']);
      if (typeof timestamp !== 'string' || typeof token !== 'string' || typeof signature !== 'string')
        return 'unsigned';
      const received = /^[\da-f]{64}$/.test(signature) ? Buffer.from(signature, 'hex') : null;
      const signed = Buffer.from(timestamp + token);
      const isSigned =
        received !== null &&
        secrets.some((secret) => constantTimeEqual(received, hmacSha256(Buffer.from(secret), signed)));
      if (!isSigned) return 'bad_signature';
      return isFresh(momentOfSeconds(timestamp), now, WINDOW_MS) ? null : 'stale';
    },
    parse: (request) => {
      const body = bodyOf(request);
      const token = textOf(fieldsOf(fieldsOf(body)['signature'])['token']);
      if (!isFields(body) || token === null) return null;
      const event = eventOf(dataOf(body), token);
      return event === null ? null : { events: [event] };
    },
  };
};
