import { type InScope, scopeKey, scopeOf } from '../../primitives/scope.ts';
import { type Write, write } from '../../storage/write-set.ts';
import type { SendingHot } from '../hot.ts';

/** What became of one message, as far as its send counts it. */
export type Ending = InScope & {
  readonly sendId: string;
  readonly counts: 'sent' | 'failed' | 'suppressed';
  /** A failed one whose address bounced. */
  readonly isBounced: boolean;
  readonly errorCode: string | null;
  readonly error: string | null;
};

type SendCounts = InScope & {
  readonly id: string;
  sent: number;
  failed: number;
  bounced: number;
  suppressed: number;
  errorCode: string | null;
  error: string | null;
};

/** One string per send, for maps. */
export const sendKey = (scope: InScope, sendId: string): string => `${scopeKey(scope)}/${sendId}`;

/** Every writer of several sends locks them in this order, so that two of them rarely wait for each other. */
export const bySend = (a: InScope & { id: string }, b: InScope & { id: string }): number => {
  const [left, right] = [sendKey(a, a.id), sendKey(b, b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
};

const countedBySend = (endings: readonly Ending[]): SendCounts[] => {
  const counted = new Map<string, SendCounts>();
  for (const ending of endings) {
    const { sendId, errorCode, error } = ending;
    const key = sendKey(ending, sendId);
    let counts = counted.get(key);
    if (!counts) {
      const none = { sent: 0, failed: 0, bounced: 0, suppressed: 0 };
      counts = { ...scopeOf(ending), id: sendId, ...none, errorCode, error };
      counted.set(key, counts);
    }
    counts[ending.counts] += 1;
    if (ending.isBounced) counts.bounced += 1;
    counts.errorCode ??= errorCode;
    counts.error ??= error;
  }
  return [...counted.values()].sort(bySend);
};

/** The statements of `countWrites` and `finishWrites`, in the order that a plan needs. */
export const countOrder = (hot: SendingHot) => [hot.count, hot.finishSent, hot.finishFailed, hot.finishSuppressed];

/**
 * Makes sends final whose messages have all ended: `sent` if any was, else `failed` if any did, else `suppressed`.
 * The conditions are the statements' own, on the row as it is then, so racing writers lose nothing.
 */
export const finishWrites = (hot: SendingHot, sends: readonly (InScope & { id: string })[], now: Date): Write[] =>
  sends.flatMap((send) => {
    const row = { ...scopeOf(send), id: send.id, finishedAt: now };
    return [
      write(hot.finishSent, { ...row, status: 'sent' }),
      write(hot.finishFailed, { ...row, status: 'failed' }),
      write(hot.finishSuppressed, { ...row, status: 'suppressed' }),
    ];
  });

/** Adds the endings to their sends, one row per send, and ends the sends that are over. The first error stays. */
export const countWrites = (hot: SendingHot, endings: readonly Ending[], now: Date): Write[] => {
  const counted = countedBySend(endings);
  return [...counted.map((counts) => write(hot.count, counts)), ...finishWrites(hot, counted, now)];
};
