// What a transport answered, as writes. Pure: the clock and the dice are arguments.

import type { Channel } from '../../api.ts';
import type { InScope } from '../../primitives/scope.ts';
import { scopeKey, scopeOf } from '../../primitives/scope.ts';
import { type Write, write } from '../../storage/write-set.ts';
import type { SendOutcome } from '../../transports/port.ts';
import type { SendingHot } from '../hot.ts';
import { MAX_AGE_MS, type MessageStatus, PARKED } from '../schema.ts';
import { AMBIGUOUS, MAX_ATTEMPTS, type Verdict } from '../verdict.ts';
import { countOrder, countWrites, type Ending } from './counters.ts';

/** A message in this worker's hands. */
export type MessageRef = InScope & {
  readonly id: string;
  readonly fence: number;
  readonly sendId: string;
  readonly channel: Channel;
  readonly createdAt: Date;
  /** Which hand-over this is or was, from 1. */
  readonly attempt: number;
};

/** First wait before the next attempt, in milliseconds, doubled per attempt up to the last; ± a fifth of it. */
export const BACKOFF_MS = 1_000;
export const BACKOFF_CAP_MS = 300_000;
const JITTER = 0.2;
/** What a provider may make us wait at most, in milliseconds; ours: a day. */
const RETRY_AFTER_CAP_MS = 86_400_000;
/** Characters of a provider's words that are kept; ours. */
const MAX_TEXT = 500;

/**
 * How long until a message is tried again, in whole milliseconds.
 *
 * @param attempt the hand-over that has just failed, from 1
 * @param random a number from 0 (inclusive) to 1
 * Source: transports, What the work layer does with an outcome.
 */
export const retryDelayMs = (attempt: number, retryAfterMs: number, random: number): number => {
  const backoff = Math.min(BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_CAP_MS);
  return Math.max(Math.round(backoff * (1 - JITTER + 2 * JITTER * random)), Math.min(retryAfterMs, RETRY_AFTER_CAP_MS));
};

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

type Settlement = {
  readonly status: MessageStatus;
  /** Hand-overs that count; one that its provider refused to look at does not. */
  readonly attempt: number;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly sentAt: Date | null;
  readonly finishedAt: Date | null;
  readonly dueAt: Date | null;
  /** Null while the message is still to be sent, and where it counts as nothing. */
  readonly counts: Ending['counts'] | null;
};

const blank = { reason: null, errorCode: null, error: null, providerId: null, sentAt: null, dueAt: null } as const;

export type Answered = {
  readonly message: Pick<MessageRef, 'channel' | 'createdAt' | 'attempt'>;
  readonly outcome: SendOutcome;
  /** Of a refused credential: when its circuit lets the next message through. */
  readonly parkedUntil: Date | null;
};

export type SettleOptions = {
  readonly now: Date;
  /** From 0 to 1; spreads waits. */
  readonly random: number;
  /** An SMS of which nobody knows whether the provider has it is sent again. */
  readonly resendsAmbiguous: boolean;
};

/** What an answer makes of its message. Source: transports, What the work layer does with an outcome. */
export const settlementOf = (
  { message: { channel, createdAt, attempt }, outcome, parkedUntil }: Answered,
  { now, random, resendsAmbiguous }: SettleOptions,
): Settlement => {
  if (outcome.result === 'accepted') {
    const providerId = outcome.providerId === null ? null : clean(outcome.providerId);
    return { ...blank, status: 'sent', attempt, providerId, sentAt: now, finishedAt: now, counts: 'sent' };
  }
  const problem = { errorCode: clean(outcome.code), error: clean(outcome.message) };
  const failed = (told: { errorCode: string; error: string }): Settlement => ({
    ...blank,
    ...told,
    status: 'failed',
    attempt,
    finishedAt: now,
    counts: 'failed',
  });
  if (outcome.result === 'failed')
    return outcome.address === undefined
      ? failed(problem)
      : { ...failed(problem), status: outcome.address === 'bounced' ? 'bounced' : 'failed', reason: outcome.address };
  const expiresAt = createdAt.getTime() + MAX_AGE_MS;
  if (outcome.result === 'credential') {
    // A message behind the others of its credential comes back a little later than the first.
    const until = (parkedUntil?.getTime() ?? now.getTime()) + Math.round(BACKOFF_MS * random);
    if (until >= expiresAt) return failed({ ...problem, errorCode: 'credential_rejected' });
    const parked = { attempt: attempt - 1, reason: PARKED, dueAt: new Date(until) };
    return { ...blank, ...problem, status: 'queued', ...parked, finishedAt: null, counts: null };
  }
  if (channel === 'sms' && outcome.processed === 'unknown' && !resendsAmbiguous)
    return failed({ errorCode: AMBIGUOUS.code, error: AMBIGUOUS.message });
  const dueAt = new Date(now.getTime() + retryDelayMs(attempt, outcome.retryAfterMs ?? 0, random));
  if (attempt >= MAX_ATTEMPTS || dueAt.getTime() >= expiresAt) return failed(problem);
  return { ...blank, ...problem, status: 'queued', attempt, finishedAt: null, dueAt, counts: null };
};

/** What a gate's verdict makes of a message that it stopped. */
export const stopOf = (verdict: Exclude<Verdict, { verdict: 'pass' }>, attempt: number, now: Date): Settlement => {
  switch (verdict.verdict) {
    case 'suppressed':
      return { ...blank, status: 'suppressed', attempt, reason: verdict.reason, finishedAt: now, counts: 'suppressed' };
    case 'cancelled':
      return { ...blank, status: 'cancelled', attempt, finishedAt: now, counts: null };
    case 'failed':
      return {
        ...blank,
        status: 'failed',
        attempt,
        errorCode: clean(verdict.code),
        error: clean(verdict.message),
        finishedAt: now,
        counts: 'failed',
      };
  }
};

export type Settled = { readonly message: MessageRef; readonly settlement: Settlement };

/** The tag of a message in a plan. */
export const messageTag = (message: InScope & { id: string }): string => `m:${scopeKey(message)}/${message.id}`;

/**
 * The statements of `settleWrites`, in the order that a plan needs: sends before their messages, in every plan, so that
 * two transactions never wait for each other's half of a send.
 */
export const settleOrder = (hot: SendingHot) => [...countOrder(hot), hot.settle];

/** Message rows under their fences (tagged), their sends' counters, and the end of sends that are over. */
export const settleWrites = (hot: SendingHot, settled: readonly Settled[], now: Date): Write[] => {
  const endings = settled.flatMap(({ message, settlement: { status, counts, errorCode, error } }) =>
    counts === null
      ? []
      : [
          {
            ...scopeOf(message),
            sendId: message.sendId,
            counts,
            isBounced: status === 'bounced',
            errorCode,
            error,
          },
        ],
  );
  return [
    ...countWrites(hot, endings, now),
    ...settled.map(({ message, settlement: { counts: _, ...values } }) =>
      write(hot.settle, { ...scopeOf(message), id: message.id, fence: message.fence, ...values }, messageTag(message)),
    ),
  ];
};
