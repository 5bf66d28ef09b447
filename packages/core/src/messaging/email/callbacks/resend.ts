import { constantTimeEqual, hmacSha256 } from '../../../foundation/hash.ts';
import { textsNamed } from '../../callbacks/claimed-ids.ts';
import { base64Bytes } from '../../callbacks/email-keys.ts';
import type { CallbackReader, ProviderEvent } from '../../callbacks/reader.ts';
import { sesBounceOf } from './bounce-event.ts';
import { isFresh } from './signing.ts';
import {
  bodyReader,
  type Fields,
  fieldsOf,
  isFields,
  messageIdOf,
  momentOf,
  momentOfSeconds,
  textOf,
} from './untrusted.ts';

/** Source: transports, Provider callbacks. */
const WINDOW_MS = 300_000;
const PREFIX = 'whsec_';

/** Tags arrive as an object, or as the list in which they were sent. */
const tagOf = (tags: unknown, name: string): unknown =>
  Array.isArray(tags) ? fieldsOf(tags.find((tag) => fieldsOf(tag)['name'] === name))['value'] : fieldsOf(tags)[name];

const eventOf = (type: string, data: Fields, facts: Omit<ProviderEvent, 'type'>): ProviderEvent => {
  const { ids, providerIds, messageId, at } = facts;
  const common = { ids, providerIds, messageId, at };
  switch (type) {
    case 'email.sent':
      return { ...common, type: 'sent' };
    case 'email.delivered':
      return { ...common, type: 'delivered' };
    case 'email.bounced': {
      const bounce = fieldsOf(data['bounce']);
      const [kind, subtype] = [textOf(bounce['type']), textOf(bounce['subType'])];
      const diagnostic: unknown = bounce['diagnosticCode'];
      const text = textOf(Array.isArray(diagnostic) ? diagnostic[0] : diagnostic);
      return { ...common, ...sesBounceOf({ kind, subtype, text }) };
    }
    case 'email.complained':
      return { ...common, type: 'complained' };
    case 'email.opened':
      return { ...common, type: 'opened', userAgent: textOf(fieldsOf(data['open'])['userAgent']), isMachine: false };
    case 'email.clicked': {
      const click = fieldsOf(data['click']);
      const userAgent = textOf(click['userAgent']);
      return { ...common, type: 'clicked', url: textOf(click['link']) ?? '', userAgent, isMachine: false };
    }
    case 'email.failed':
      return { ...common, type: 'failed', code: 'failed', message: textOf(fieldsOf(data['failed'])['reason']) };
    default:
      return { ...common, type: 'unrecognised', name: type };
  }
};

/**
 * Reads Resend callbacks: JSON signed by Svix. Secrets are `whsec_` and base64.
 *
 * Source: resend.com/docs/webhooks, docs.svix.com/receiving/verifying-payloads/how-manual.
 */
export const resendReader = (): CallbackReader => {
  const bodyOf = bodyReader();
  return {
    provider: 'resend',
    headers: ['svix-id', 'svix-timestamp', 'svix-signature'],
    claimedIds: ({ rawBody }) => textsNamed(rawBody, 'email_id'),
    verify: async ({ headers, rawBody }, secrets, now) => {
      const [id, timestamp, signature] = [
        headers.get('svix-id'),
        headers.get('svix-timestamp'),
        headers.get('svix-signature'),
      ];
      if (id === null || timestamp === null || signature === null) return 'unsigned';
      const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), rawBody]);
      // There are several signatures while a secret is rotated.
      const received = signature
        .split(' ')
        .flatMap((one) => (one.startsWith('v1,') ? (base64Bytes(one.slice(3)) ?? []) : []));
      const isSigned = secrets.some((secret) => {
        const key = secret.startsWith(PREFIX) ? base64Bytes(secret.slice(PREFIX.length)) : null;
        return key !== null && received.some((one) => constantTimeEqual(one, hmacSha256(key, signed)));
      });
      if (!isSigned) return 'bad_signature';
      return isFresh(momentOfSeconds(timestamp), now, WINDOW_MS) ? null : 'stale';
    },
    parse: (request) => {
      const body = bodyOf(request);
      const type = isFields(body) ? textOf(body['type']) : null;
      const at = isFields(body) ? momentOf(body['created_at']) : null;
      if (!isFields(body) || type === null || at === null || !isFields(body['data'])) return null;
      const data = body['data'];
      const id = request.headers.get('svix-id');
      const [providerId, messageId] = [textOf(data['email_id']), messageIdOf(tagOf(data['tags'], 'messageId'))];
      const facts = {
        ids: id === null ? [] : [id],
        providerIds: providerId === null ? [] : [providerId],
        messageId,
        at,
      };
      return { events: [eventOf(type, data, facts)] };
    },
  };
};
