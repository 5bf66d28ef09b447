import { hash } from 'node:crypto';
import { type PushMessage, pushData, replacementKey } from '../port.ts';

/**
 * Bytes of a payload before encryption: the 4,096 that a push service takes, less header and padding of one record.
 * Source: RFC 8291, 4; RFC 8188, 2.1; transports, Web Push.
 */
export const MAX_PAYLOAD_BYTES = 3_993;
/** Source: RFC 8030, 5.4. */
const TOPIC = /^[\w-]{1,32}$/;
const TOPIC_CHARACTERS = 32;
/** Four weeks: no push service keeps a message longer. Source: transports, Web Push. */
const MAX_TTL_SECONDS = 2_419_200;

/** What a browser shows; nothing where there is neither a title nor a body: that is for the app alone. */
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
 * The JSON that the service worker gets: title, body, image, tag, actions, and `data` with the two keys of the service.
 * What is not set is left out.
 */
export const payloadOf = (message: PushMessage): string =>
  // The actions have a field of their own here, and the room is small.
  JSON.stringify({ ...notificationOf(message), data: pushData({ ...message, actions: [] }) });

/**
 * A newer message of one topic replaces an older one that waits: one with the same collapse key, or a second copy. A key
 * that is no topic becomes its hash; an id is one without its dashes.
 */
export const topicOf = ({ collapseKey, messageId }: PushMessage): string => {
  const key = collapseKey ?? messageId.replaceAll('-', '');
  return TOPIC.test(key) ? key : hash('sha256', key, 'base64url').slice(0, TOPIC_CHARACTERS);
};

/** Whole seconds, 0 to four weeks. */
export const ttlOf = ({ ttlSeconds }: PushMessage): number =>
  Math.min(Math.max(Math.trunc(ttlSeconds), 0), MAX_TTL_SECONDS);

/** What a device that saves its battery goes by. Source: RFC 8030, 5.3. */
export const urgencyOf = ({ priority, criticalAlert }: PushMessage): 'high' | 'normal' =>
  priority === 'high' || criticalAlert !== null ? 'high' : 'normal';
