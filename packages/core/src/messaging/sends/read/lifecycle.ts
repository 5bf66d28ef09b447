import { CHANNELS } from '../../../foundation/channel.ts';
import { firstIdOf, millisecondOf, rowsOfMoment } from '../../../foundation/derived-id.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { Lifecycle, Moment, MomentQuery, OwnedMoment } from '../../../people/events/history.ts';
import { deliveredName, describeMoment, describeSendEnding, endingName, MESSAGE_SPAN_MS } from '../lifecycle.ts';
import { NO_RECIPIENTS } from '../schema.ts';
import type { MessageMomentRow, SendingStore } from '../store.ts';
import type { MomentStore, PersonMomentRow, SendEndingRow } from './store.ts';

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

/** Newest first, as `ReadLifecycle` declares. */
const newestFirst = (a: Moment, b: Moment): number =>
  b.at.getTime() - a.at.getTime() ||
  (a.messageId === b.messageId ? (a.kind === 'delivered' ? -1 : 1) : a.messageId < b.messageId ? 1 : -1);

/**
 * Events of a user's messages. Reads the messages created within the page's time and the MESSAGE_SPAN_MS before it, not
 * all of the user's messages: each of the newest `limit` ended messages has an event, so older events do not belong on
 * the page, and an event is at most the span later than its message.
 */
const momentsOfPerson =
  (store: Pick<SendingStore, 'oldestOfNewest' | 'moments'>): Lifecycle['ofPerson'] =>
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

const ownedBy = (row: PersonMomentRow, moments: readonly Moment[]): OwnedMoment[] =>
  moments.map(({ id, name, at, properties }) => ({ id, name, at, properties, person: row.person }));

/** The event of a send with one user is stored when it is raised, so it is not derived here. */
const sendEndingOf = ({ id: sendId, status, errorCode, finishedAt: at }: SendEndingRow): OwnedMoment[] => {
  if (at === null) return [];
  if (status === 'cancelled') return [{ ...describeSendEnding({ name: 'push.cancelled', sendId, at }), person: null }];
  if (errorCode !== NO_RECIPIENTS.errorCode) return [];
  return [{ ...describeSendEnding({ name: 'push.suppressed', sendId, at, reason: errorCode }), person: null }];
};

const byId = (a: OwnedMoment, b: OwnedMoment): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** Events of a scope's messages, and of its sends without messages. */
export const readLifecycle = (
  store: Pick<SendingStore, 'oldestOfNewest' | 'moments'>,
  moments: MomentStore,
): Lifecycle => ({
  ofPerson: momentsOfPerson(store),
  newest: async (scope, { below, notBelowMs, limit }) => {
    const page = {
      before: below === null ? null : { at: new Date(millisecondOf(below)), lastId: rowsOfMoment(below).last },
      notBelow: notBelowMs === null ? null : new Date(notBelowMs),
      // The last row of the previous page is read again, possibly with a row that has the same id by chance.
      limit: limit + 2,
    };
    const [ended, delivered, sends] = await Promise.all([
      Promise.all(CHANNELS.map((channel) => moments.ended(scope, channel, page))),
      moments.delivered(scope, page),
      moments.endedSends(scope, page),
    ]);
    return [
      ...ended.flat().flatMap((row) => ownedBy(row, endingOf(row))),
      ...delivered.flatMap((row) => ownedBy(row, receiptOf(row))),
      ...sends.flatMap(sendEndingOf),
    ]
      .filter(({ id }) => below === null || id < below)
      .sort(byId)
      .slice(0, limit);
  },
  find: async (scope, id) => {
    const { first, last } = rowsOfMoment(id);
    const [messages, sends] = await Promise.all([
      moments.messagesBetween(scope, first, last),
      moments.sendsBetween(scope, first, last),
    ]);
    const found = [
      ...messages.flatMap((row) => ownedBy(row, [...endingOf(row), ...receiptOf(row)])),
      ...sends.flatMap(sendEndingOf),
    ];
    return found.find((one) => one.id === id) ?? null;
  },
});
