import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageRow } from '../../../../test/support/sends/message.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { MAX_AGE_MS } from '../schema.ts';
import type { MessageRow } from '../store.ts';
import { MAX_ATTEMPTS, type Stop } from '../verdict.ts';
import type { MessageChange } from './change.ts';
import { countOf } from './counters.ts';
import { finalizedValues } from './finalize.ts';
import { answeredChange, createdChange, deliveredChange, retryDelayMs, stoppedChange } from './outcome.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const retry = (more: object = {}): SendOutcome => ({
  result: 'retry',
  code: 'busy',
  message: 'Later.',
  processed: 'no',
  ...more,
});

/** The written values of a change, and how it is counted. */
const written = (change: MessageChange) => ({ ...finalizedValues(change), counts: countOf(change) });
const stopped = (verdict: Stop, attempt: number) => written(stoppedChange(messageRow({ attempt }), null, verdict, now));

const changeOf = (
  outcome: SendOutcome,
  attempt = 1,
  {
    resendsAmbiguous = false,
    heldUntil = null,
    ...message
  }: Partial<MessageRow> & {
    resendsAmbiguous?: boolean;
    heldUntil?: Date | null;
  } = {},
) =>
  written(
    answeredChange(
      messageRow({ createdAt: now, attempt: attempt - 1, ...message }),
      null,
      { outcome, heldUntil },
      { now, random: 0.5, resendsAmbiguous },
    ),
  );

describe('refused messages', () => {
  const row = messageRow({ createdAt: now });
  it.each<[string, SendOutcome, boolean]>([
    ['rejected permanently', { result: 'failed', code: 'no', message: 'No.' }, true],
    ['with rejected credentials', { result: 'credential', code: 'no', message: 'Who?' }, true],
    ['that a busy provider rejected', retry(), true],
    ['with an unknown outcome', retry({ processed: 'unknown' }), false],
    ['that was accepted', { result: 'accepted', providerId: null }, false],
  ])('a change names the refused recipient exactly for a message %s', (_, outcome, isRefused) => {
    const options = { now, random: 0.5, resendsAmbiguous: false };
    const change = answeredChange(row, null, { outcome, heldUntil: null }, options);
    expect(change.refused).toEqual(isRefused ? { tokenId: null, address: 'ann@example.com', role: 'to' } : null);
  });
});

describe('retryDelayMs', () => {
  it('the retry delay doubles from a second to five minutes', () => {
    expect([1, 2, 3, 9, 10, 40].map((attempt) => retryDelayMs(attempt, 0, 0.5))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
  });

  it('the retry delay varies by a fifth in both directions', () => {
    expect(retryDelayMs(1, 0, 0)).toBe(800);
    expect(retryDelayMs(1, 0, 1)).toBe(1_200);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const middle = Math.min(1_000 * 2 ** (attempt - 1), 300_000);
        const delay = retryDelayMs(attempt, 0, random);
        expect(delay).toBeGreaterThanOrEqual(middle * 0.8 - 1);
        expect(delay).toBeLessThanOrEqual(middle * 1.2 + 1);
      }),
    );
  });

  it("the retry delay is at least the provider's retryAfterMs, of which at most a day counts", () => {
    expect(retryDelayMs(1, 30_000, 0.5)).toBe(30_000);
    expect(retryDelayMs(5, 30, 0.5)).toBe(16_000);
    expect(retryDelayMs(1, 1e12, 0.5)).toBe(86_400_000);
  });
});

describe('answeredChange', () => {
  it('an accepted message ends as sent and clears earlier errors', () => {
    const { scopeId, id, fence } = messageRow();
    expect(changeOf({ result: 'accepted', providerId: 'p-1' }, 3)).toEqual({
      ...{ scopeId, id, fence },
      status: 'sent',
      attempt: 3,
      reason: null,
      errorCode: null,
      error: null,
      providerId: 'p-1',
      deferredAt: null,
      deferredUntil: null,
      sentAt: now,
      finishedAt: now,
      dueAt: null,
      counts: 'sent',
    });
  });

  it('a bounced address ends the message as bounced, another failure as failed', () => {
    const failed = { result: 'failed', code: 'no', message: 'No.' } as const;
    expect(changeOf(failed)).toMatchObject({ status: 'failed', errorCode: 'no', counts: 'failed' });
    expect(changeOf({ ...failed, address: 'bounced' })).toMatchObject({
      status: 'bounced',
      counts: 'failed',
    });
    expect(changeOf({ ...failed, address: 'dead' })).toMatchObject({ status: 'failed', reason: 'dead' });
  });

  it('a retry queues the message again and counts nothing', () => {
    expect(changeOf(retry({ retryAfterMs: 5_000 }))).toMatchObject({
      status: 'queued',
      errorCode: 'busy',
      dueAt: new Date(now.getTime() + 5_000),
      finishedAt: null,
      counts: null,
    });
  });

  it('a message fails after the last attempt', () => {
    expect(changeOf(retry(), MAX_ATTEMPTS - 1).status).toBe('queued');
    expect(changeOf(retry(), MAX_ATTEMPTS)).toMatchObject({ status: 'failed', dueAt: null });
  });

  it('a message fails if its next attempt would be three days after its creation or later', () => {
    const waitMs = 1_000;
    const madeAgo = (ms: number) => ({ createdAt: new Date(now.getTime() - ms) });
    expect(changeOf(retry(), 1, madeAgo(MAX_AGE_MS - waitMs - 1))).toMatchObject({ status: 'queued' });
    expect(changeOf(retry(), 1, madeAgo(MAX_AGE_MS - waitMs))).toMatchObject({
      status: 'failed',
      errorCode: 'busy',
      dueAt: null,
      counts: 'failed',
    });
    expect(MAX_AGE_MS).toBe(3 * 86_400_000);
  });

  it('for a deferred message the three days begin at the end of the deferral', () => {
    const createdAt = new Date(now.getTime() - 7 * 86_400_000);
    const mayGo = (ms: number) => ({ createdAt, deferredUntil: new Date(now.getTime() - ms) });
    expect(changeOf(retry(), 1, mayGo(MAX_AGE_MS - 1_001))).toMatchObject({ status: 'queued' });
    expect(changeOf(retry(), 1, mayGo(MAX_AGE_MS - 1_000))).toMatchObject({ status: 'failed' });
  });

  it("rejected credentials hold the message until the circuit's next probe, without using an attempt", () => {
    const refused = { result: 'credential', code: 'auth', message: 'No.' } as const;
    const heldUntil = new Date(now.getTime() + 60_000);
    expect(changeOf(refused, MAX_ATTEMPTS, { heldUntil })).toMatchObject({
      status: 'queued',
      reason: 'held',
      errorCode: 'auth',
      attempt: MAX_ATTEMPTS - 1,
      dueAt: new Date(heldUntil.getTime() + 500),
      counts: null,
    });
  });

  it('a held message that would wait for more than three days fails', () => {
    const refused = { result: 'credential', code: 'auth', message: 'No.' } as const;
    const createdAt = new Date(now.getTime() - MAX_AGE_MS + 60_000);
    expect(changeOf(refused, 1, { createdAt, heldUntil: new Date(now.getTime() + 60_000) })).toMatchObject({
      status: 'failed',
      errorCode: 'credential_rejected',
      dueAt: null,
      counts: 'failed',
    });
  });

  it('an ambiguous text message is retried only if repeats are allowed', () => {
    const unknown = retry({ processed: 'unknown' });
    expect(changeOf(unknown, 1, { channel: 'sms' })).toMatchObject({
      status: 'failed',
      errorCode: 'ambiguous_outcome',
      counts: 'failed',
    });
    expect(changeOf(unknown, 1, { channel: 'sms', resendsAmbiguous: true }).status).toBe('queued');
    expect(changeOf(unknown, 1, { channel: 'push' }).status).toBe('queued');
    expect(changeOf(retry(), 1, { channel: 'sms' }).status).toBe('queued');
  });

  it('provider texts are made storable in both databases', () => {
    const message = `a\0b\ud800${'x'.repeat(1_000)}`;
    const { error } = changeOf({ result: 'failed', code: 'no', message });
    expect(error).toHaveLength(500);
    expect(error?.startsWith('a\ufffdb\ufffdx')).toBe(true);
  });
});

describe('stoppedChange', () => {
  it('suppressed and failed messages are counted, cancelled ones are not', () => {
    expect(stopped({ verdict: 'suppressed', reason: 'no_address' }, 0)).toMatchObject({
      status: 'suppressed',
      reason: 'no_address',
      counts: 'suppressed',
      dueAt: null,
    });
    expect(stopped({ verdict: 'cancelled' }, 0)).toMatchObject({ status: 'cancelled', counts: null, dueAt: null });
    expect(stopped({ verdict: 'failed', code: 'c', message: 'm' }, 2)).toMatchObject({
      status: 'failed',
      errorCode: 'c',
      counts: 'failed',
    });
  });

  it('a deferred message has no end, is due again at its time and is not counted', () => {
    const until = new Date(now.getTime() + 60_000);
    expect(stopped({ verdict: 'deferred', until, reason: 'duplicate' }, 0)).toMatchObject({
      status: 'deferred',
      reason: 'duplicate',
      dueAt: until,
      finishedAt: null,
      counts: null,
    });
  });
});

describe('message changes', () => {
  it('a change has the status before and after, and the workflow step', () => {
    const step = { runId: 'r1', path: '0' };
    const row = messageRow({ person: 'u:ann', status: 'deferred', attempt: 2 });
    expect(stoppedChange(row, step, { verdict: 'cancelled' }, now)).toMatchObject({
      messageId: row.id,
      person: 'u:ann',
      from: 'deferred',
      status: 'cancelled',
      attempt: 2,
      step,
    });
    const accepted = { outcome: { result: 'accepted', providerId: null }, heldUntil: null } as const;
    expect(answeredChange(row, step, accepted, { now, random: 0.5, resendsAmbiguous: false })).toMatchObject({
      from: 'sending',
      status: 'sent',
      attempt: 3,
      at: now,
    });
  });

  it('a message created with a final status has no earlier status and is not counted', () => {
    const born = createdChange(messageRow({ status: 'suppressed', reason: 'no_address' }), null);
    expect(born).toMatchObject({ from: null, status: 'suppressed', reason: 'no_address' });
    expect(countOf(born)).toBeNull();
  });

  it('a message that ended before is not counted again', () => {
    const delivered = deliveredChange(messageRow({ status: 'sent' }), null, now);
    expect(delivered).toMatchObject({ from: 'sent', status: 'delivered' });
    expect(countOf(delivered)).toBeNull();
    expect(countOf({ from: 'sent', status: 'bounced' })).toBeNull();
    expect(countOf({ from: 'sending', status: 'bounced' })).toBe('failed');
  });
});
