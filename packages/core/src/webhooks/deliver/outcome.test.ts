import { describe, expect, it } from 'vitest';
import { rowId } from '../../../test/support/row-ids.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { PostResult } from '../post.ts';
import type { DeliveryRow } from '../tables.ts';
import { disabledReasonOf, ended, settled } from './outcome.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const HOUR_MS = 3_600_000;
const fresh: DeliveryRow = {
  ...{ scopeId: 1, id: rowId('d'), webhookId: rowId('w'), eventId: rowId('e'), eventType: 'sms.failed' },
  ...{
    person: null,
    body: '{}',
    status: 'pending',
    reason: null,
    trigger: 'schedule',
    attempts: 0,
    attemptLog: [],
    step: null,
  },
  ...{ createdAt: start, finishedAt: null, dueAt: start, leaseUntil: null, fence: 1 },
};
const result = (more: Partial<PostResult> = {}): PostResult => ({
  ...{
    outcome: 'retry',
    status: 503,
    error: 'http_503',
    excerpt: 'busy',
    isGone: false,
    durationMs: 7,
    endedAt: start,
  },
  ...more,
});

describe('what an attempt makes of its delivery', () => {
  it('a delivery is retried on the schedule until the sixth attempt fails, and stores each attempt', () => {
    const clock = virtualClock(start);
    let row = fresh;
    const seconds: number[] = [];
    while (row.status === 'pending') {
      seconds.push((clock.now().getTime() - start.getTime()) / 1_000);
      const beganAt = clock.now();
      clock.advance(1_000);
      row = { ...row, ...settled(row, beganAt, result({ endedAt: clock.now() })) };
      if (row.dueAt) clock.set(row.dueAt);
    }
    expect(seconds).toEqual([0, 31, 152, 753, 4_354, 25_955]);
    expect(row).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 6, dueAt: null });
    expect(row.finishedAt?.getTime()).toBe(start.getTime() + 25_956_000);
    expect(row.attemptLog.map(({ at }) => (Date.parse(at) - start.getTime()) / 1_000)).toEqual(seconds);
    expect(row.attemptLog[0]).toEqual({
      ...{
        at: start.toISOString(),
        trigger: 'schedule',
        status: 503,
        durationMs: 7,
        response: 'busy',
        error: 'http_503',
      },
    });
  });

  it('a delivery ends after a success and after a permanent rejection', () => {
    expect(settled(fresh, start, result({ outcome: 'delivered', status: 204, error: null }))).toMatchObject({
      ...{ status: 'delivered', reason: null, dueAt: null, finishedAt: start },
    });
    expect(settled(fresh, start, result({ outcome: 'failed', status: 404, error: 'http_404' }))).toMatchObject({
      ...{ status: 'failed', reason: 'http_404', dueAt: null, finishedAt: start },
    });
  });

  it('only the first attempt of a replay has the trigger manual', () => {
    const replayed: DeliveryRow = { ...fresh, trigger: 'manual' };
    const next = { ...replayed, ...settled(replayed, start, result()) };
    const last = { ...next, ...settled(next, start, result()) };
    expect(last.attemptLog.map(({ trigger }) => trigger)).toEqual(['manual', 'schedule']);
  });

  it('a delivery stores its last 30 attempts', () => {
    let row = fresh;
    for (let at = 0; at < 40; at += 1)
      row = { ...row, ...settled(row, start, result({ durationMs: at })), attempts: 0 };
    expect(row.attemptLog.map(({ durationMs }) => durationMs)).toEqual(Array.from({ length: 30 }, (_, at) => at + 10));
  });

  it('a delivery that ends without an attempt keeps its earlier attempts', () => {
    const attemptLog = settled(fresh, start, result()).attemptLog;
    expect(ended({ ...fresh, attempts: 1, attemptLog }, 'cancelled', 'deleted', start)).toEqual({
      ...{ status: 'cancelled', reason: 'deleted', trigger: 'schedule', attempts: 1, attemptLog },
      ...{ finishedAt: start, dueAt: null },
    });
  });
});

describe('what an attempt makes of its webhook', () => {
  const hoursAgo = (hours: number): Date => new Date(start.getTime() - hours * HOUR_MS);

  it('a 410 disables the webhook', () => {
    expect(disabledReasonOf(result({ outcome: 'failed', isGone: true }), null)).toBe('gone');
  });

  it('120 hours without a success disable the webhook, whatever the failures', () => {
    for (const outcome of ['retry', 'failed'] as const) {
      expect(disabledReasonOf(result({ outcome }), hoursAgo(120))).toBe('failing');
      expect(disabledReasonOf(result({ outcome, endedAt: new Date(start.getTime() - 1) }), hoursAgo(120))).toBeNull();
      expect(disabledReasonOf(result({ outcome }), null)).toBeNull();
    }
    expect(disabledReasonOf(result({ outcome: 'delivered' }), hoursAgo(1_000))).toBeNull();
  });
});
