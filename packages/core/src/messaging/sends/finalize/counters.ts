import { type Write, write } from '../../../database/commit/write-set.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { LeasedRow, SendingStatements } from '../statements.ts';
import { hasEnded, type MessageChange } from './change.ts';
import type { MessageReaction } from './reactions.ts';

type SendCounts = InScope & {
  readonly id: string;
  sent: number;
  failed: number;
  bounced: number;
  suppressed: number;
  deferred: number;
  errorCode: string | null;
  error: string | null;
};

/** Map key of a send. */
export const sendKey = (scope: InScope, sendId: string): string => `${scopeKey(scope)}/${sendId}`;

/** Lock order of sends: with one order for all writers, concurrent commits rarely wait for each other. */
export const bySend = (a: InScope & { id: string }, b: InScope & { id: string }): number => {
  const [left, right] = [sendKey(a, a.id), sendKey(b, b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/**
 * The counter of a send that a message's end increments; null: none, for a cancelled or open message. Messages created
 * with a final status are counted in the row of their new send, and earlier endings were counted then.
 */
export const countOf = ({
  from,
  status,
}: Pick<MessageChange, 'from' | 'status'>): 'sent' | 'failed' | 'suppressed' | null => {
  if (from === null || hasEnded(from)) return null;
  if (status === 'sent' || status === 'suppressed') return status;
  return status === 'failed' || status === 'bounced' ? 'failed' : null;
};

/** Change of the send's number of deferred messages: 1, 0 or -1. */
export const deferralOf = ({ from, status }: Pick<MessageChange, 'from' | 'status'>): number =>
  Number(status === 'deferred') - Number(from === 'deferred');

/** All counts at zero. Throws nothing. */
export const noCounts = (scope: InScope, id: string): SendCounts => ({
  ...scopeOf(scope),
  id,
  sent: 0,
  failed: 0,
  bounced: 0,
  suppressed: 0,
  deferred: 0,
  errorCode: null,
  error: null,
});

const countedBySend = (changes: readonly MessageChange[]): SendCounts[] => {
  const counted = new Map<string, SendCounts>();
  for (const change of changes) {
    const { sendId, status, errorCode, error } = change;
    const key = sendKey(change, sendId);
    const send = counted.get(key) ?? noCounts(change, sendId);
    counted.set(key, send);
    send.deferred += deferralOf(change);
    const counts = countOf(change);
    if (counts === null) continue;
    send[counts] += 1;
    if (status === 'bounced') send.bounced += 1;
    send.errorCode ??= errorCode;
    send.error ??= error;
  }
  return [...counted.values()].sort(bySend);
};

/**
 * Ends sends whose messages have all ended: `sent` if any was sent, else `failed` if any failed, else `suppressed`. The
 * conditions are in the statements, on the current row, so racing writers lose no end.
 */
export const finishWrites = (
  hot: SendingStatements,
  sends: readonly (InScope & { id: string })[],
  now: Date,
): Write[] =>
  sends.flatMap((send) => {
    const row = { ...scopeOf(send), id: send.id, finishedAt: now };
    return [
      write(hot.finishSent, { ...row, status: 'sent' }),
      write(hot.finishFailed, { ...row, status: 'failed' }),
      write(hot.finishSuppressed, { ...row, status: 'suppressed' }),
    ];
  });

/** Removes handed-over messages from the deferred counts of their sends, one row per send. */
export const releaseWrites = (hot: SendingStatements, rows: readonly LeasedRow[]): Write[] => {
  const sends = new Map<string, SendCounts>();
  for (const row of rows) {
    if (row.status !== 'deferred') continue;
    const key = sendKey(row, row.sendId);
    const send = sends.get(key) ?? noCounts(row, row.sendId);
    sends.set(key, send);
    send.deferred -= 1;
  }
  return [...sends.values()].sort(bySend).map((counts) => write(hot.count, counts));
};

/**
 * Adds ended messages to the counts of their sends, one row per send, and ends complete sends. The first error is kept.
 */
export const counters = (hot: SendingStatements): MessageReaction<void> => ({
  name: 'counters',
  concerns: (change) => countOf(change) !== null || deferralOf(change) !== 0,
  load: async () => undefined,
  plan: (changes, _, now) => {
    const counted = countedBySend(changes);
    const ending = counted.filter(({ sent, failed, suppressed }) => sent + failed + suppressed > 0);
    return { writes: [...counted.map((counts) => write(hot.count, counts)), ...finishWrites(hot, ending, now)] };
  },
});
