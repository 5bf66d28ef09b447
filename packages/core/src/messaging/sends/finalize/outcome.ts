import { compact } from '../../../foundation/compact.ts';
// Turns answers and verdicts into message changes. Pure: clock and random number are arguments.

import type { SendOutcome } from '../../../delivery/transports/port.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { AddressFeedback } from '../channel.ts';
import { addressOfRow, expiryMs } from '../rows.ts';
import { HELD, type MessageStatus } from '../schema.ts';
import type { LeasedRow } from '../statements.ts';
import type { MessageRow } from '../store.ts';
import { AMBIGUOUS, MAX_ATTEMPTS, type Stop } from '../verdict.ts';
import type { MessageChange, StepRef } from './change.ts';

/** First retry delay, in milliseconds; doubled per attempt up to the maximum, ± one fifth. */
export const BACKOFF_MS = 1_000;
export const BACKOFF_CAP_MS = 300_000;
const JITTER = 0.2;
/** Maximum delay that a provider may request, in milliseconds. Chosen: a day. */
const RETRY_AFTER_CAP_MS = 86_400_000;
/** Stored characters of a provider's text. Chosen: more than an error sentence. */
const MAX_TEXT = 500;

/**
 * Delay before the next attempt, in whole milliseconds.
 *
 * @param attempt the handover that failed, from 1
 * @param random a number from 0 (inclusive) to 1
 * Source: transports, What the work layer does with an outcome.
 */
export const retryDelayMs = (attempt: number, retryAfterMs: number, random: number): number => {
  const backoff = Math.min(BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_CAP_MS);
  return Math.max(Math.round(backoff * (1 - JITTER + 2 * JITTER * random)), Math.min(retryAfterMs, RETRY_AFTER_CAP_MS));
};

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

/** The columns of a message that a change copies. */
type Changing = InScope &
  Pick<MessageRow, 'id' | 'sendId' | 'channel' | 'person' | 'status' | 'attempt' | 'fence'> &
  Partial<Pick<MessageRow, 'facts'>>;

/** A change under construction; mutable, because copies for every message and field would be most of its cost. */
type Draft = { -readonly [Key in keyof MessageChange]: MessageChange[Key] };

/** A change without any difference yet. */
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

/** The change of a message created with a final status. Throws nothing. */
export const createdChange = (row: MessageRow, step: StepRef | null): MessageChange => ({
  ...unchanged(row, null, step, row.createdAt),
  reason: row.reason,
});

const feedbackOf = (row: LeasedRow, outcome: SendOutcome): AddressFeedback | null => {
  if (row.address === null) return null;
  // The row already has it: without this check every iOS push would read and write its token again.
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

/** True if the provider certainly did not accept this handover. */
const isRefusal = (outcome: SendOutcome): boolean =>
  outcome.result === 'failed' ||
  outcome.result === 'credential' ||
  (outcome.result === 'retry' && outcome.processed === 'no');

/** A transport's answer for a handed-over message. */
export type Answer = {
  readonly outcome: SendOutcome;
  /** For rejected credentials: when the circuit allows the next probe. */
  readonly heldUntil: Date | null;
};

export type AnswerOptions = {
  readonly now: Date;
  /** From 0 to 1; spreads retries. */
  readonly random: number;
  /** If true, an SMS is sent again when it is unknown whether the provider accepted it. */
  readonly resendsAmbiguous: boolean;
};

/**
 * The change that an answer makes.
 *
 * @param row as leased: its `attempt` counts the earlier handovers
 * Source: transports, What the work layer does with an outcome.
 */
export const answeredChange = (
  row: LeasedRow,
  step: StepRef | null,
  { outcome, heldUntil }: Answer,
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
    // Spread, so that the message resumes slightly after the probe.
    const until = (heldUntil?.getTime() ?? now.getTime()) + Math.round(BACKOFF_MS * random);
    if (until >= expiresAt) return failed({ ...problem, errorCode: 'credential_rejected' });
    return { ...before, ...problem, status: 'queued', attempt: row.attempt, reason: HELD, dueAt: new Date(until) };
  }
  if (row.channel === 'sms' && outcome.processed === 'unknown' && !resendsAmbiguous)
    return failed({ errorCode: AMBIGUOUS.code, error: AMBIGUOUS.message });
  const dueAt = new Date(now.getTime() + retryDelayMs(attempt, outcome.retryAfterMs ?? 0, random));
  if (attempt >= MAX_ATTEMPTS || dueAt.getTime() >= expiresAt) return failed(problem);
  return { ...before, ...problem, status: 'queued', dueAt };
};

/** The change of a leased message that a verdict stopped. Throws nothing. */
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
 * The change of a handed-over message that is stopped before its call. It is marked as refused, so reservations return
 * what it had reserved. Throws nothing.
 */
export const withdrawnChange = (row: LeasedRow, step: StepRef | null, verdict: Stop, now: Date): MessageChange => {
  const { tokenId, address, role } = row;
  return {
    ...stoppedChange({ ...row, status: 'sending' }, step, verdict, now),
    refused: { tokenId, address, role },
  };
};

/**
 * The change of a handed-over message that its worker returns before its call. It is queued unchanged and marked as
 * refused, so reservations return what it had reserved. Throws nothing.
 */
export const releasedChange = (row: LeasedRow, step: StepRef | null, dueAt: Date, now: Date): MessageChange => {
  const { tokenId, address, role } = row;
  return { ...unchanged(row, 'sending', step, now), status: 'queued', dueAt, refused: { tokenId, address, role } };
};

/** The change of a sent message at its device's first receipt. Throws nothing. */
export const deliveredChange = (row: Changing, step: StepRef | null, at: Date): MessageChange => ({
  ...unchanged(row, row.status, step, at),
  status: 'delivered',
});
