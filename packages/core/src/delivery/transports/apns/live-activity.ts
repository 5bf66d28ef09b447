import type { LiveActivityPush, PushMessage } from '../port.ts';

const whenGiven = (name: string, value: unknown): object =>
  value === null || value === undefined ? {} : { [name]: value };

/**
 * A push to a live activity, in full. The app's own state is passed on untouched. Source: Apple, Starting and updating
 * Live Activities with ActivityKit push notifications; transports, APNs, Live activities.
 */
export const liveActivityPayload = (push: LiveActivityPush): string =>
  JSON.stringify({
    aps: {
      timestamp: push.timestamp,
      event: push.event,
      ...whenGiven('content-state', push.contentState),
      ...whenGiven('stale-date', push.staleDate),
      ...whenGiven('relevance-score', push.relevanceScore),
      ...whenGiven('alert', push.alert),
      ...whenGiven('dismissal-date', push.dismissalDate),
      ...whenGiven('attributes-type', push.attributesType),
      ...whenGiven('attributes', push.attributes),
      // The app's token of the activity that begins comes back by itself.
      ...(push.event === 'start' ? { 'input-push-token': 1 } : {}),
    },
  });

/** The headers of a push to a live activity besides its authorization. Source: as above. */
export const liveActivityHeaders = (
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
