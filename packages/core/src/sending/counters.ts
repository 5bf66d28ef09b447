import { type Scope, scopeKey, scopeOf } from '../primitives/scope.ts';
import { type Write, write } from '../storage/plan.ts';
import type { SendingHot } from './hot.ts';

/** What became of one message, as far as its send counts it. */
export type Ending = Scope & {
  readonly sendId: string;
  readonly counts: 'sent' | 'failed' | 'suppressed';
  /** A failed one whose address bounced. */
  readonly isBounced: boolean;
  readonly errorCode: string | null;
  readonly error: string | null;
};

type Tally = Scope & {
  readonly id: string;
  readonly sent: number;
  readonly failed: number;
  readonly bounced: number;
  readonly suppressed: number;
  readonly errorCode: string | null;
  readonly error: string | null;
};

/** One string per send, for maps. */
export const sendKey = (scope: Scope, sendId: string): string => `${scopeKey(scope)}/${sendId}`;

/** Every writer of several sends locks them in this order, so that two of them rarely wait for each other. */
export const bySend = (a: Scope & { id: string }, b: Scope & { id: string }): number => {
  const [left, right] = [sendKey(a, a.id), sendKey(b, b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
};

const tallied = (endings: readonly Ending[]): Tally[] => {
  const tallies = new Map<string, Tally>();
  for (const { sendId, counts, isBounced, errorCode, error, ...rest } of endings) {
    const key = sendKey(rest, sendId);
    const known = tallies.get(key);
    const none = { sent: 0, failed: 0, bounced: 0, suppressed: 0 };
    const before = known ?? { ...scopeOf(rest), id: sendId, ...none, errorCode, error };
    tallies.set(key, {
      ...before,
      [counts]: before[counts] + 1,
      bounced: before.bounced + (isBounced ? 1 : 0),
      errorCode: before.errorCode ?? errorCode,
      error: before.error ?? error,
    });
  }
  return [...tallies.values()].sort(bySend);
};

/** The statements of `countWrites` and `finishWrites`, in the order that a plan needs. */
export const countOrder = (hot: SendingHot) => [hot.count, hot.finishSent, hot.finishFailed, hot.finishSuppressed];

/**
 * Makes sends final whose messages have all ended: `sent` if any was, else `failed` if any did, else `suppressed`.
 * The conditions are the statements' own, on the row as it is then, so racing writers lose nothing.
 */
export const finishWrites = (hot: SendingHot, sends: readonly (Scope & { id: string })[], now: Date): Write[] =>
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
  const tallies = tallied(endings);
  return [...tallies.map((tally) => write(hot.count, tally)), ...finishWrites(hot, tallies, now)];
};
