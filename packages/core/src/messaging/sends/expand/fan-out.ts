// Makes messages of the next audience members with three statements, whatever their number: addresses never leave the
// database. Only members who are not reached become rows in code, because their reactions are planned with them.

import { randomBytes } from 'node:crypto';
import { type Write, write } from '../../../database/commit/write-set.ts';
import { idHead, placedId } from '../../../foundation/derived-id.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { newMessage } from '../rows.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../schema.ts';
import type { AddressText } from '../selection.ts';
import type { MessageRow, SendRow } from '../store.ts';
import type { Cursor } from './parts.ts';
import { type SelectionStatements, selectionStatements, type Without } from './statements.ts';

/** Messages of one transaction: rows made in code, and rows that a statement makes. */
export type Chunk = {
  readonly rows: readonly MessageRow[];
  readonly fill: readonly Write[];
  /** Number of messages that `fill` makes. */
  readonly filled: number;
  readonly next: Cursor;
  readonly isLast: boolean;
};

/** Tag of the guard that fails if addresses changed since they were counted. */
export const FILLED = 'filled';
/** Maximum messages of one statement: per member of the part, and in all. Chosen: a few devices per member. */
const EACH = 4;
const MAX_FILLED = 20_000;
const RANDOM_BYTES = 6;

/** Dependencies of statement expansion. */
type FanOutContext = Pick<SendsContext, 'storage' | 'tables' | 'channels' | 'audiences'>;

const randomDigits = (): string => randomBytes(RANDOM_BYTES).toString('hex');
/** Ids of messages made in code, ordered after the `base` earlier messages of the send. Throws nothing. */
export const placedIds = (now: Date, base: number): Ids => {
  let place = base;
  return {
    next: () => {
      place += 1;
      return placedId(now, place, randomDigits());
    },
  };
};

const isReason = (word: string): word is SuppressionReason => SUPPRESSION_REASONS.some((reason) => reason === word);

/**
 * Makes the function that plans a part by statements. It returns null if only code can find the addresses (`parts.ts`):
 * for a channel without `selection`, within the addresses of one member, and for a member with more addresses than one
 * statement writes.
 */
export const fanOut = ({ storage, tables, channels, audiences }: FanOutContext) => {
  const made = new WeakMap<AddressText, SelectionStatements>();
  const hotOf = (send: SendRow): SelectionStatements | null => {
    const addresses = channels[send.channel].selection?.(send.content) ?? null;
    if (addresses === null || send.audienceId === null || !audiences.text) return null;
    const statements = made.get(addresses) ?? selectionStatements(tables, audiences.text, addresses);
    made.set(addresses, statements);
    return statements;
  };

  const surveyOf = async (hot: SelectionStatements, send: SendRow, person: string, most: number) => {
    const cap = Math.min(MAX_FILLED, most * EACH);
    for (let limit = most; ; limit = Math.ceil(limit / 2)) {
      const part = { ...scopeOf(send), audienceId: send.audienceId ?? '', after: person };
      const [{ people, last } = { people: 0, last: null }] = await storage.query(hot.end, { ...part, limit });
      const [found] = last === null ? [] : await storage.query(hot.survey, { ...part, upTo: last });
      const { rows = 0, without = null } = found ?? {};
      if (limit === 1 && rows > cap) return null;
      // Safe: the statement builds JSON of this shape, or null if all members are reached.
      const list = (without ?? []) as unknown as readonly Without[];
      if (rows <= cap) return { people, rows, last, without: list, isLast: people < limit };
    }
  };

  return async (
    send: SendRow,
    { at, person, after }: Cursor,
    { most, base, now }: { readonly most: number; readonly base: number; readonly now: Date },
  ): Promise<Chunk | null> => {
    const hot = after === null ? hotOf(send) : null;
    const found = hot && (await surveyOf(hot, send, person ?? '', most));
    if (!hot || !found) return null;
    const { people, rows, last, without, isLast } = found;
    const message = { scope: send, sendId: send.id, isBulk: true, channelName: send.channel, now };
    const suppressed = without
      .toSorted(([, left], [, right]) => left - right)
      .map(([member, place, reason]) =>
        newMessage(message, {
          id: placedId(now, base + place, randomDigits()),
          person: member,
          role: 'to',
          address: null,
          reason: isReason(reason) ? reason : 'no_address',
        }),
      );
    const part = { ...scopeOf(send), audienceId: send.audienceId ?? '', after: person ?? '', upTo: last ?? '' };
    const fill = { ...part, sendId: send.id, channel: send.channel, head: idHead(now), base, now, rows };
    return {
      rows: suppressed,
      fill: rows === 0 ? [] : [write(hot.fill, fill, FILLED)],
      filled: rows,
      next: { at: at + people, person: last ?? person, after: null },
      isLast,
    };
  };
};
