import { expect, it } from 'vitest';
import { TEST } from '../../../../test/support/sends/world.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { p95Of, sendThroughput, tookMs } from './throughput.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const before = (ms: number): Date => new Date(NOW.getTime() - ms);

it('p95 is the value that 95 of 100 messages do not exceed', () => {
  expect(p95Of(Array.from({ length: 100 }, (_, at) => 100 - at))).toBe(95);
  expect([p95Of([7]), p95Of([])]).toEqual([7, null]);
});

it('the time of a deferred message starts at the end of its deferral', () => {
  expect(tookMs({ createdAt: before(500), deferredUntil: null, sentAt: NOW })).toBe(500);
  expect(tookMs({ createdAt: before(9_000), deferredUntil: before(20), sentAt: NOW })).toBe(20);
  expect(tookMs({ createdAt: before(0), deferredUntil: null, sentAt: before(3) })).toBe(0);
});

it('the rate covers the last 10 seconds, even if the row limit is reached', async () => {
  const of = (rows: readonly number[]) =>
    sendThroughput({
      clock: virtualClock(NOW),
      nameProvider: () => 'smtp',
      store: {
        handovers: async () =>
          rows.map((ms) => ({
            ...{ provider: 'sandbox' as const, platform: null, deferredUntil: null },
            ...{ createdAt: before(ms + 100), sentAt: before(ms) },
          })),
      },
    })(TEST, 'email');
  expect(await of([1_000, 2_000, 9_999, 10_000, 50_000])).toEqual({ perSecond: 0.3, p95Ms: { sandbox: 100 } });
  expect(await of(Array.from({ length: 1_000 }, (_, at) => at * 2))).toMatchObject({ perSecond: 1_000 / 1.998 });
  expect(await of([])).toEqual({ perSecond: 0, p95Ms: {} });
});
