import { hash } from 'node:crypto';
import { type PushMessage, pushData } from '../port.ts';

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
const notificationOf = ({ title, body, imageUrl, collapseKey, actions }: PushMessage): object =>
  title === null && body === null
    ? {}
    : {
        title: title ?? undefined,
        body: body ?? undefined,
        image: imageUrl ?? undefined,
        tag: collapseKey ?? undefined,
        actions: actions.length > 0 ? actions : undefined,
      };

/**
 * The JSON that the service worker gets: title, body, image, tag, actions, and `data` with the two keys of the service.
 * What is not set is left out.
 */
export const payloadOf = (message: PushMessage): string =>
  // The actions have a field of their own here, and the room is small.
  JSON.stringify({ ...notificationOf(message), data: pushData({ ...message, actions: [] }) });

/** A newer message of one topic replaces an older one that waits. A collapse key that is no topic becomes its hash. */
export const topicOf = (collapseKey: string): string =>
  TOPIC.test(collapseKey) ? collapseKey : hash('sha256', collapseKey, 'base64url').slice(0, TOPIC_CHARACTERS);

/** Whole seconds, 0 to four weeks. */
export const ttlOf = ({ ttlSeconds }: PushMessage): number =>
  Math.min(Math.max(Math.trunc(ttlSeconds), 0), MAX_TTL_SECONDS);

/** What a device that saves its battery goes by. Source: RFC 8030, 5.3. */
export const urgencyOf = ({ priority, criticalAlert }: PushMessage): 'high' | 'normal' =>
  priority === 'high' || criticalAlert !== null ? 'high' : 'normal';
