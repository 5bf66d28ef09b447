// Handles provider answers for activity pushes in the transaction that ends their messages: catalog events, and the end
// of activities with a dead token. The user's device tokens are not changed.

import { type Write, write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { derivedId } from '../../../foundation/derived-id.ts';
import { scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Emitter, LoadedEmitter } from '../../../people/events/emit.ts';
import type { MessageChange } from '../../sends/finalize/change.ts';
import type { MessageReaction } from '../../sends/finalize/reactions.ts';
import type { LiveActivityStatements } from './statements.ts';
import { NOBODY } from './tables.ts';

const NAMES = {
  start: 'push.live_activity_started',
  update: 'push.live_activity_updated',
  end: 'push.live_activity_ended',
} as const;
const INVALIDATED = 'push.live_activity_invalidated';

/** The user of an activity or start token. */
type Owner = {
  readonly person: string;
  readonly activityType: string;
  readonly externalId: string | null;
  /** The activity's current token; null: it is a start token. */
  readonly token: string | null;
};
type Loaded = { readonly owners: ReadonlyMap<string, Owner>; readonly emission: LoadedEmitter };

const rowKey = (scopeId: number, id: string): string => `${scopeId}/${id}`;
const isDead = ({ feedback }: MessageChange): boolean => feedback?.kind === 'dead';
const isReported = (change: MessageChange): boolean =>
  change.activity !== undefined && (change.status === 'sent' || isDead(change));

export const liveActivityAnswers = ({
  storage,
  hot,
  emitter,
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: LiveActivityStatements;
  readonly emitter: Emitter;
}): MessageReaction<Loaded> => ({
  name: 'live activities',
  concerns: isReported,
  load: async (changes) => {
    const reported = changes.filter(isReported);
    const keysOf = (isStart: boolean) =>
      reported.flatMap((change) =>
        change.activity && (change.activity.event === 'start') === isStart
          ? [[scopeKey(change), change.activity.id] as const]
          : [],
      );
    const [activities, starters, emission] = await Promise.all([
      storage.select(hot.owners, keysOf(false)),
      storage.select(hot.starters, keysOf(true)),
      emitter.load(reported),
    ]);
    const owners = new Map<string, Owner>([
      ...activities.map((row) => [rowKey(row.scopeId, row.id), row] as const),
      ...starters.map((row) => [rowKey(row.scopeId, row.id), { ...row, externalId: null, token: null }] as const),
    ]);
    return { owners, emission };
  },
  plan: (changes, { owners, emission }, now) => {
    const writes: Write[] = [];
    const wakes: string[] = [];
    for (const change of changes) {
      const { activity, messageId, sendId } = change;
      const owner = activity && owners.get(rowKey(scopeKey(change), activity.id));
      if (!activity || !owner || !isReported(change)) continue;
      const scope = scopeOf(change);
      const { token } = owner;
      // The activity got a new token meanwhile and continues with it.
      if (isDead(change) && token !== null && token !== change.feedback?.address) continue;
      if (isDead(change))
        writes.push(
          token === null
            ? write(hot.retire, { ...scope, id: activity.id, isActive: false })
            : write(hot.invalidate, { ...scope, id: activity.id, token, status: 'invalidated', endedAt: now }),
        );
      const name = isDead(change) ? INVALIDATED : NAMES[activity.event];
      const { activityType, externalId } = owner;
      const person = owner.person === NOBODY ? null : owner.person;
      const raised = emission.emit({
        id: derivedId(now, `${name}/${messageId}`),
        name,
        scope,
        person,
        properties: {
          activityType,
          ...(externalId === null ? {} : { externalId, activityId: activity.id }),
          sendId,
          messageId,
        },
        at: now,
        depth: 0,
      });
      writes.push(...raised.writes);
      wakes.push(...raised.wakes);
    }
    return { writes, wakes };
  },
});
