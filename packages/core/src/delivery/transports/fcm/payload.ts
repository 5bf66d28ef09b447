import { type PushMessage, pushData, replacementKey } from '../port.ts';

/** UTF-8 bytes of the JSON of `message`. Source: transports, FCM, Wire. */
export const FCM_MAX_BYTES = 4_096;
/** Source: Firebase, AndroidConfig.ttl (four weeks). */
const MAX_TTL_SECONDS = 2_419_200;
/** Keys reserved by Firebase. Source: Firebase, REST reference, Message.data. */
const RESERVED = /^(?:(?:from|message_type)$|google\.|gcm\.notification\.)/;

/** True for a data key that FCM rejects. Throws nothing. */
export const isReservedDataKey = (key: string): boolean => RESERVED.test(key);

/** The first data key that FCM rejects; null if there is none. Throws nothing. */
export const reservedDataKey = (data: Readonly<Record<string, unknown>>): string | null =>
  Object.keys(data).find(isReservedDataKey) ?? null;

// FCM accepts only strings. A value that JSON cannot represent is left out.
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value));

const dataOf = (message: PushMessage, more: Readonly<Record<string, string>>): Record<string, string> => {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...pushData(message), ...more })) {
    const text = textOf(value);
    if (text !== undefined) data[key] = text;
  }
  return data;
};

/** Android shows a title or a body. A push without both is for the app only, even with an image or a sound. */
const isForApp = ({ title, body }: PushMessage): boolean => title === null && body === null;

const shown = ({ title, body, imageUrl }: PushMessage, names: readonly [string, string, string]) => {
  const values = [title, body, imageUrl] as const;
  const entries = names.flatMap((name, at) => {
    const value = values[at];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries<string>(entries);
};

const androidNotification = (message: PushMessage, channelId: string | undefined): object => ({
  tag: replacementKey(message),
  ...(message.sound === null ? {} : { sound: message.sound }),
  ...(message.badge === null ? {} : { notification_count: message.badge }),
  ...(message.criticalAlert && channelId !== undefined ? { channel_id: channelId } : {}),
});

/**
 * The JSON of `message` for FCM. With actions it holds only data, so that the client library builds the notification
 * with its buttons from `serviceTitle`, `serviceBody`, `serviceImageUrl` and `actions`, from `serviceChannelId` for a
 * critical alert, and under the tag `serviceTag`, else `serviceMessageId`. A tag makes a duplicate replace the first;
 * collapse keys are not used, because FCM keeps only four per device.
 *
 * @param criticalChannelId the Android channel of critical alerts
 * Source: transports, FCM, Wire.
 */
export const fcmMessage = (message: PushMessage, criticalChannelId: string | undefined): string => {
  const { token, ttlSeconds, priority, criticalAlert, collapseKey, actions } = message;
  const isDataOnly = actions.length > 0;
  const notification = shown(message, ['title', 'body', 'image']);
  const android = androidNotification(message, criticalChannelId);
  const isShown = !isDataOnly && !isForApp(message);
  const channel = criticalAlert && criticalChannelId !== undefined ? { serviceChannelId: criticalChannelId } : {};
  const tag = collapseKey === null ? {} : { serviceTag: collapseKey };
  const texts = shown(message, ['serviceTitle', 'serviceBody', 'serviceImageUrl']);
  const ours = isDataOnly ? { ...texts, ...channel, ...tag } : {};
  return JSON.stringify({
    token,
    ...(isShown ? { notification } : {}),
    data: dataOf(message, ours),
    android: {
      priority: priority === 'high' || criticalAlert ? 'high' : 'normal',
      ttl: `${Math.min(Math.max(Math.floor(ttlSeconds), 0), MAX_TTL_SECONDS)}s`,
      ...(collapseKey === null ? {} : { collapse_key: collapseKey }),
      ...(isShown ? { notification: android } : {}),
    },
  });
};
