import type { LiveActivityPush, PushMessage } from '../../../delivery/transports/port.ts';
import { compact } from '../../../foundation/compact.ts';
import type { ApnsEnvironment } from '../../../foundation/device-platform.ts';
import type { Address, RenderInput } from '../../sends/channel.ts';
import type { ActivityEvent } from './schema.ts';

/** What is pushed to an activity, as it is kept: dates in unix seconds. */
export type StoredPush = Omit<LiveActivityPush, 'timestamp'> & { readonly event: ActivityEvent };

/** The content of a send to activities, in place of what a push shows. */
export type ActivityContent = {
  readonly liveActivity: LiveActivityPush;
  /** Rows of activities, and of the tokens that start them, by token: whose a message is. */
  readonly rowIds: Readonly<Record<string, string>>;
  /** Of the tokens whose host is known. */
  readonly environments: Readonly<Record<string, ApnsEnvironment>>;
};

/** The content of a send to activities; null: it is an ordinary push. Throws nothing. */
export const activityIn = (content: Readonly<Record<string, unknown>>): ActivityContent | null =>
  // Safe: whoever puts `liveActivity` into a content makes all of it; bodies of pushes have no such field.
  'liveActivity' in content ? (content as ActivityContent) : null;

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Where a push to an activity goes: its own token, which is no device's. */
export const activityAddress = ({ liveActivity, rowIds, environments }: ActivityContent, token: string): Address => {
  const rowId = Object.hasOwn(rowIds, token) ? rowIds[token] : undefined;
  const apnsEnvironment = Object.hasOwn(environments, token) ? environments[token] : undefined;
  return {
    address: token,
    name: null,
    facts: {
      platform: 'ios',
      ...compact({ apnsEnvironment }),
      ...(rowId === undefined ? {} : { activity: { id: rowId, event: liveActivity.event } }),
    },
  };
};

/** Seconds that APNs keeps it for a device that is away; ours: as long as an activity may live. */
const TTL_SECONDS = 12 * 3_600;

/** A push to an activity as its transport takes it. */
export const activityMessage = (
  { liveActivity }: ActivityContent,
  { messageId, sendId, to, now }: Pick<RenderInput, 'messageId' | 'sendId' | 'to' | 'now'>,
): PushMessage => ({
  messageId,
  sendId,
  platform: 'ios',
  token: to.address,
  apnsEnvironment: to.facts.apnsEnvironment ?? null,
  title: null,
  body: null,
  data: {},
  actions: [],
  criticalAlert: null,
  interruptionLevel: null,
  collapseKey: null,
  threadId: null,
  ttlSeconds: TTL_SECONDS,
  priority: liveActivity.priority === 10 ? 'high' : 'normal',
  badge: null,
  sound: null,
  imageUrl: null,
  liveActivity,
  now,
});
