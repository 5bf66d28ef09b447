import { compact } from '../../../foundation/compact.ts';
// What an answer or a verdict makes of a message. Pure: the clock and the dice are arguments.

import type { SendOutcome } from '../../../delivery/transports/port.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { AddressFeedback } from '../channel.ts';
import { addressOfRow, expiryMs } from '../rows.ts';
import { type MessageStatus, PARKED } from '../schema.ts';
import type { LeasedRow } from '../statements.ts';
import type { MessageRow } from '../store.ts';
import { AMBIGUOUS, MAX_ATTEMPTS, type Stop } from '../verdict.ts';
import type { MessageChange, StepRef } from './change.ts';

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

/** What a change takes from the row of its message. */
type Changing = InScope &
  Pick<MessageRow, 'id' | 'sendId' | 'channel' | 'person' | 'status' | 'attempt' | 'fence'> &
  Partial<Pick<MessageRow, 'facts'>>;

/** A change that its maker still writes: copies of it, one for every message and field, would be most of what it costs. */
type Draft = { -readonly [Key in keyof MessageChange]: MessageChange[Key] };

/** A change of a message that makes nothing of it yet. */
const unchanged = (row: Changing, from: MessageStatus | null, step: StepRef | null, at: Date): Draft => {
  const draft: Draft = {
    scopeId: row.scopeId,
    messageId: row.id,
    sendId: row.sendId,
    channel: row.channel,
    person: row.person,
    from,
    status: row.status,
    reason: null,
    errorCode: null,
    error: null,
    providerId: null,
    at,
    attempt: row.attempt,
    fence: row.fence,
    dueAt: null,
    step,
    feedback: null,
    refused: null,
  };
  if (row.facts?.activity) draft.activity = row.facts.activity;
  return draft;
};

/** A message that ended as it was made. Throws nothing. */
export const createdChange = (row: MessageRow, step: StepRef | null): MessageChange => ({
  ...unchanged(row, null, step, row.createdAt),
  reason: row.reason,
});

const feedbackOf = (row: LeasedRow, outcome: SendOutcome): AddressFeedback | null => {
  if (row.address === null) return null;
  // What its row said already is no feedback: every push to iOS would read and write its token once more.
  if (outcome.result === 'accepted' && outcome.apnsEnvironment === row.facts.apnsEnvironment) return null;
  const { address, facts } = addressOfRow(row, row.address);
  if (outcome.result === 'failed' && outcome.address !== undefined)
    return {
      address,
      facts,
      kind: outcome.address,
      deadSince: outcome.deadSince ?? null,
      ...compact({ sender: outcome.sender }),
    };
  if (outcome.result !== 'accepted' || outcome.apnsEnvironment === undefined) return null;
  return { address, facts, kind: 'apns_environment', apnsEnvironment: outcome.apnsEnvironment };
};

/** It did not take the message, and never will take this hand-over of it. */
const isRefusal = (outcome: SendOutcome): boolean =>
  outcome.result === 'failed' ||
  outcome.result === 'credential' ||
  (outcome.result === 'retry' && outcome.processed === 'no');

/** What a transport answered for a message that was handed over. */
export type Answer = {
  readonly outcome: SendOutcome;
  /** Of a refused credential: when its circuit lets the next message through. */
  readonly parkedUntil: Date | null;
};

export type AnswerOptions = {
  readonly now: Date;
  /** From 0 to 1; spreads waits. */
  readonly random: number;
  /** An SMS of which nobody knows whether the provider has it is sent again. */
  readonly resendsAmbiguous: boolean;
};

/**
 * What an answer makes of its message.
 *
 * @param row as it was leased: its `attempt` counts the hand-overs before the one that was answered
 * Source: transports, What the work layer does with an outcome.
 */
export const answeredChange = (
  row: LeasedRow,
  step: StepRef | null,
  { outcome, parkedUntil }: Answer,
  { now, random, resendsAmbiguous }: AnswerOptions,
): MessageChange => {
  const attempt = row.attempt + 1;
  const { tokenId, address, role } = row;
  const before = unchanged(row, 'sending', step, now);
  before.attempt = attempt;
  before.feedback = feedbackOf(row, outcome);
  if (outcome.result === 'accepted') {
    before.status = 'sent';
    before.providerId = outcome.providerId === null ? null : clean(outcome.providerId);
    return before;
  }
  if (isRefusal(outcome)) before.refused = { tokenId, address, role };
  const problem = { errorCode: clean(outcome.code), error: clean(outcome.message) };
  const failed = (why: { errorCode: string; error: string }): MessageChange => ({
    ...before,
    ...why,
    status: 'failed',
  });
  if (outcome.result === 'failed')
    return outcome.address === undefined
      ? failed(problem)
      : { ...failed(problem), status: outcome.address === 'bounced' ? 'bounced' : 'failed', reason: outcome.address };
  const expiresAt = expiryMs(row);
  if (outcome.result === 'credential') {
    // A message behind the others of its credential comes back a little later than the first.
    const until = (parkedUntil?.getTime() ?? now.getTime()) + Math.round(BACKOFF_MS * random);
    if (until >= expiresAt) return failed({ ...problem, errorCode: 'credential_rejected' });
    return { ...before, ...problem, status: 'queued', attempt: row.attempt, reason: PARKED, dueAt: new Date(until) };
  }
  if (row.channel === 'sms' && outcome.processed === 'unknown' && !resendsAmbiguous)
    return failed({ errorCode: AMBIGUOUS.code, error: AMBIGUOUS.message });
  const dueAt = new Date(now.getTime() + retryDelayMs(attempt, outcome.retryAfterMs ?? 0, random));
  if (attempt >= MAX_ATTEMPTS || dueAt.getTime() >= expiresAt) return failed(problem);
  return { ...before, ...problem, status: 'queued', dueAt };
};

/** What a verdict makes of a leased message that it stopped. Throws nothing. */
export const stoppedChange = (row: Changing, step: StepRef | null, verdict: Stop, now: Date): MessageChange => {
  const before = unchanged(row, row.status, step, now);
  switch (verdict.verdict) {
    case 'suppressed':
      return { ...before, status: 'suppressed', reason: verdict.reason };
    case 'deferred':
      return { ...before, status: 'deferred', reason: verdict.reason, dueAt: verdict.until };
    case 'cancelled':
      return { ...before, status: 'cancelled' };
    case 'failed':
      return { ...before, status: 'failed', errorCode: clean(verdict.code), error: clean(verdict.message) };
  }
};

/**
 * What a verdict makes of a message that was handed over and that its provider never heard of: it counts as refused, for
 * whoever gives back what it had taken. Throws nothing.
 */
export const takenBackChange = (row: LeasedRow, step: StepRef | null, verdict: Stop, now: Date): MessageChange => {
  const { tokenId, address, role } = row;
  return {
    ...stoppedChange({ ...row, status: 'sending' }, step, verdict, now),
    refused: { tokenId, address, role },
  };
};

/**
 * What becomes of a message that was handed over, that its provider never heard of, and that its worker gives back: it is
 * queued as it was, and counts as refused, so that reservations return what it had taken. Throws nothing.
 */
export const releasedChange = (row: LeasedRow, step: StepRef | null, dueAt: Date, now: Date): MessageChange => {
  const { tokenId, address, role } = row;
  return { ...unchanged(row, 'sending', step, now), status: 'queued', dueAt, refused: { tokenId, address, role } };
};

/** What a device's first receipt makes of a message that was sent. Throws nothing. */
export const deliveredChange = (row: Changing, step: StepRef | null, at: Date): MessageChange => ({
  ...unchanged(row, row.status, step, at),
  status: 'delivered',
});
