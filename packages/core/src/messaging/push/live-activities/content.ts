import type { LiveActivityPush, PushMessage } from '../../../delivery/transports/port.ts';
import { compact } from '../../../foundation/compact.ts';
import type { ApnsEnvironment } from '../../../foundation/device-platform.ts';
import type { Address, RenderInput } from '../../sends/channel.ts';
import type { ActivityEvent } from './schema.ts';

/** An activity push as stored; dates in Unix seconds. */
export type StoredPush = Omit<LiveActivityPush, 'timestamp'> & { readonly event: ActivityEvent };

/** Content of a send to activities, instead of push content. */
export type ActivityContent = {
  readonly liveActivity: LiveActivityPush;
  /** Row ids of activities and start tokens, by token. */
  readonly rowIds: Readonly<Record<string, string>>;
  /** APNs environment by token, if known. */
  readonly environments: Readonly<Record<string, ApnsEnvironment>>;
};

/** The activity content of a send; null: an ordinary push. Throws nothing. */
export const activityIn = (content: Readonly<Record<string, unknown>>): ActivityContent | null =>
  // Safe: only this module sets `liveActivity`, always complete; push bodies have no such field.
  'liveActivity' in content ? (content as ActivityContent) : null;

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** The address of a push to an activity: the activity's own token, which is no device token. */
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

/** Seconds that APNs keeps an activity push for an offline device. Chosen: the maximum lifetime of an activity. */
const TTL_SECONDS = 12 * 3_600;

/** The transport message of an activity push. */
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
