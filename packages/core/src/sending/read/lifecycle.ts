import type { Moment, MomentQuery, ReadLifecycle } from '../../events/history.ts';
import { firstIdOf, millisecondOf } from '../../primitives/derived-id.ts';
import type { InScope } from '../../primitives/scope.ts';
import { deliveredName, describeMoment, endingName, MESSAGE_SPAN_MS } from '../lifecycle.ts';
import type { MessageMomentRow, SendingStore } from '../store.ts';

const endingOf = (row: MessageMomentRow): Moment[] => {
  const { id: messageId, sendId, channel, status, reason, errorCode, finishedAt: at } = row;
  const name = endingName(channel, status);
  if (name === null || at === null) return [];
  return [{ kind: 'ended', messageId, ...describeMoment({ name, messageId, sendId, reason, errorCode, at }) }];
};

const receiptOf = ({ id: messageId, sendId, channel, deliveredAt: at }: MessageMomentRow): Moment[] => {
  if (at === null) return [];
  const moment = { name: deliveredName(channel), messageId, sendId, reason: null, errorCode: null, at };
  return [{ kind: 'delivered', messageId, ...describeMoment(moment) }];
};

/** Newest first, as `ReadLifecycle` says. */
const newestFirst = (a: Moment, b: Moment): number =>
  b.at.getTime() - a.at.getTime() ||
  (a.messageId === b.messageId ? (a.kind === 'delivered' ? -1 : 1) : a.messageId < b.messageId ? 1 : -1);

/**
 * What the messages of a person tell. Looks at the messages of one page's time and of the MESSAGE_SPAN_MS before it, not
 * at all that a person ever got: among that many newest messages each has a moment, so nothing older than the oldest of
 * them belongs on the page, and a moment is never further from its message than the span.
 */
export const readLifecycle =
  (store: SendingStore): ReadLifecycle =>
  async (scope: InScope, person: string, query: MomentQuery) => {
    const oldest = await store.oldestOfNewest(scope, person, query);
    const from = Math.max(oldest === null ? 0 : millisecondOf(oldest), query.notBelow ?? 0);
    const fromId = firstIdOf(from - MESSAGE_SPAN_MS);
    const [ended, delivered] = await Promise.all([
      store.moments(scope, person, 'ended', fromId, query),
      store.moments(scope, person, 'delivered', fromId, query),
    ]);
    const moments = [...ended.flatMap(endingOf), ...delivered.flatMap(receiptOf)];
    return moments.sort(newestFirst).slice(0, query.limit);
  };
