import { sha256Hex } from '../../../foundation/hash.ts';
import type { LiveActivityPush } from '../port.ts';
import { type PushMessage, pushData, replacementKey } from '../port.ts';

const whenPresent = (name: string, value: unknown): object =>
  value === null || value === undefined ? {} : { [name]: value };

/**
 * A complete push to a Live Activity. The app's own state is passed on unchanged. Source: Apple, Starting and updating
 * Live Activities with ActivityKit push notifications; transports, APNs, Live activities.
 */
const liveActivityPayload = (push: LiveActivityPush): string =>
  JSON.stringify({
    aps: {
      timestamp: push.timestamp,
      event: push.event,
      ...whenPresent('content-state', push.contentState),
      ...whenPresent('stale-date', push.staleDate),
      ...whenPresent('relevance-score', push.relevanceScore),
      ...whenPresent('alert', push.alert),
      ...whenPresent('dismissal-date', push.dismissalDate),
      ...whenPresent('attributes-type', push.attributesType),
      ...whenPresent('attributes', push.attributes),
      // iOS then gives the app the push token of the new activity.
      ...(push.event === 'start' ? { 'input-push-token': 1 } : {}),
    },
  });

/** The headers of a push to a Live Activity, without authorization. Source: as above. */
const liveActivityHeaders = (
  { messageId, ttlSeconds, now }: PushMessage,
  { priority }: LiveActivityPush,
  topic: string,
): Readonly<Record<string, string>> => ({
  'apns-id': messageId,
  'apns-topic': `${topic}.push-type.liveactivity`,
  'apns-push-type': 'liveactivity',
  'apns-priority': `${priority}`,
  'apns-expiration': `${Math.floor(now.getTime() / 1_000) + ttlSeconds}`,
});

/** UTF-8 bytes of the final JSON. Source: Apple, Generating a remote notification. */
export const APNS_MAX_BYTES = 4_096;
/** Source: Apple, Sending notification requests (apns-collapse-id). */
const MAX_COLLAPSE_BYTES = 64;
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
/** Hexadecimal digits of a hash that replaces a longer name. Chosen: 64 bits. */
const SHORT_HASH = 16;

/** True if nothing is shown, played or counted: only the app receives the push. */
const isSilent = ({ title, body, badge, sound, criticalAlert }: PushMessage): boolean =>
  title === null && body === null && badge === null && sound === null && criticalAlert === null;

/** The same action ids give the same category on every server; clients register it under this name. */
const categoryOf = ({ actions }: PushMessage): string =>
  `bk_${sha256Hex(JSON.stringify(actions.map(({ id }) => id))).slice(0, SHORT_HASH)}`;

const soundOf = ({ sound, criticalAlert }: PushMessage): object => {
  if (criticalAlert) {
    const volume = Math.min(Math.max(criticalAlert.volumeRatio, 0), 1);
    return { sound: { critical: 1, name: criticalAlert.soundName, volume }, 'interruption-level': 'critical' };
  }
  return sound === null ? {} : { sound };
};

const levelOf = ({ interruptionLevel: level, criticalAlert }: PushMessage): object =>
  // The critical level belongs to a critical alert, which needs an entitlement from Apple.
  criticalAlert || level === null || level === 'critical' ? {} : { 'interruption-level': level };

const alertOf = ({ title, body }: PushMessage): object =>
  title === null && body === null
    ? {}
    : { alert: { ...(title === null ? {} : { title }), ...(body === null ? {} : { body }) } };

/**
 * The complete APNs notification. An image goes into `data.imageUrl`, unless the caller's data has one, and the app's
 * notification extension loads it. Source: transports, APNs, Payload.
 */
export const apnsPayload = (message: PushMessage): string => {
  const { badge, threadId, actions, imageUrl, liveActivity } = message;
  if (liveActivity) return liveActivityPayload(liveActivity);
  // Any alert key would turn it into an alert. Source: Apple, Pushing background updates to your app.
  if (isSilent(message)) return JSON.stringify({ aps: { 'content-available': 1 }, data: pushData(message) });
  const aps = {
    ...alertOf(message),
    ...soundOf(message),
    ...levelOf(message),
    ...(badge === null ? {} : { badge }),
    ...(threadId === null ? {} : { 'thread-id': threadId }),
    ...(actions.length > 0 ? { category: categoryOf(message) } : {}),
    // The app's notification extension registers the buttons and loads the image.
    ...(actions.length > 0 || imageUrl !== null ? { 'mutable-content': 1 } : {}),
  };
  return JSON.stringify({ aps, data: { ...(imageUrl === null ? {} : { imageUrl }), ...pushData(message) } });
};

// The header holds 64 bytes of ASCII. A longer key is hashed, so equal keys stay equal.
const collapseId = (key: string): string =>
  PRINTABLE_ASCII.test(key) && key.length <= MAX_COLLAPSE_BYTES ? key : `bk_${sha256Hex(key).slice(0, SHORT_HASH)}`;

/** The headers of a message, without authorization. Source: transports, APNs, Wire. */
export const apnsHeaders = (message: PushMessage, topic: string): Readonly<Record<string, string>> => {
  const { messageId, ttlSeconds, now, collapseKey, priority, criticalAlert, liveActivity } = message;
  if (liveActivity) return liveActivityHeaders(message, liveActivity, topic);
  const silent = isSilent(message);
  const key = silent ? collapseKey : replacementKey(message);
  return {
    'apns-id': messageId,
    'apns-topic': topic,
    'apns-push-type': silent ? 'background' : 'alert',
    'apns-priority': (priority === 'high' || criticalAlert) && !silent ? '10' : '5',
    'apns-expiration': ttlSeconds === 0 ? '0' : `${Math.floor(now.getTime() / 1000) + ttlSeconds}`,
    ...(key === null ? {} : { 'apns-collapse-id': collapseId(key) }),
  };
};
