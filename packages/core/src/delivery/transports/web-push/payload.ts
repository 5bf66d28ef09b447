import { hash } from 'node:crypto';
import { type PushMessage, pushData, replacementKey } from '../port.ts';

/**
 * Maximum bytes of a payload before encryption: the 4,096 of a push service, less header and padding of one record.
 * Source: RFC 8291, 4; RFC 8188, 2.1; transports, Web Push.
 */
export const MAX_PAYLOAD_BYTES = 3_993;
/** Source: RFC 8030, 5.4. */
const TOPIC = /^[\w-]{1,32}$/;
const TOPIC_CHARACTERS = 32;
/** Four weeks: no push service stores a message longer. Source: transports, Web Push. */
const MAX_TTL_SECONDS = 2_419_200;

/** The visible notification; empty without title and body, because such a push is for the app only. */
const notificationOf = (message: PushMessage): object => {
  const { title, body, imageUrl, actions } = message;
  if (title === null && body === null) return {};
  return {
    title: title ?? undefined,
    body: body ?? undefined,
    image: imageUrl ?? undefined,
    tag: replacementKey(message),
    actions: actions.length > 0 ? actions : undefined,
  };
};

/**
 * The JSON for the service worker: title, body, image, tag, actions, and `data` with the two keys of the service. Unset
 * fields are left out.
 */
export const payloadOf = (message: PushMessage): string =>
  // The actions have a field of their own here, and space is limited.
  JSON.stringify({ ...notificationOf(message), data: pushData({ ...message, actions: [] }) });

/**
 * The topic: a newer message replaces a waiting one with the same topic, which is the same collapse key or a duplicate.
 * A collapse key that is not a valid topic is hashed; an id loses its dashes.
 */
export const topicOf = ({ collapseKey, messageId }: PushMessage): string => {
  const key = collapseKey ?? messageId.replaceAll('-', '');
  return TOPIC.test(key) ? key : hash('sha256', key, 'base64url').slice(0, TOPIC_CHARACTERS);
};

/** Whole seconds, 0 to four weeks. */
export const ttlOf = ({ ttlSeconds }: PushMessage): number =>
  Math.min(Math.max(Math.trunc(ttlSeconds), 0), MAX_TTL_SECONDS);

/** A device in battery saver mode uses it. Source: RFC 8030, 5.3. */
export const urgencyOf = ({ priority, criticalAlert }: PushMessage): 'high' | 'normal' =>
  priority === 'high' || criticalAlert !== null ? 'high' : 'normal';
