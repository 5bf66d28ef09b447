import { describe, expect, it } from 'vitest';
import type { VariantMessage } from '../../sends/variants/variant-message.ts';
import type { Metric } from '../schema.ts';
import { tallying } from './tally.ts';

const SENT = new Date('2026-03-01T12:00:00.000Z');
const later = (hours: number): Date => new Date(SENT.getTime() + hours * 3_600_000);
let made = 0;
const message = (unit: string, variant: string, more: Partial<VariantMessage> = {}): VariantMessage => ({
  id: `${++made}`,
  unit,
  variant,
  status: 'sent',
  sentAt: SENT,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  convertedAt: null,
  ...more,
});
const counted = (messages: readonly VariantMessage[], metric: Metric, pages = 1) => {
  const tally = tallying(
    [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50 },
    ],
    metric,
  );
  const size = Math.ceil(messages.length / pages);
  for (let at = 0; at < messages.length; at += size) tally.add(messages.slice(at, at + size));
  const [a, b] = tally.result([{ variant: 'a', opened: 5, clicked: 2 }]);
  return { a, b };
};
const OPEN: Metric = { type: 'open', windowHours: 72 };

describe('counting the messages of a test', () => {
  const some = [
    message('u:ann', 'a', { openedAt: later(1), deliveredAt: later(0) }),
    message('u:ann', 'a', { openedAt: later(2) }),
    message('u:bob', 'a', { status: 'suppressed', sentAt: null }),
    message('u:cid', 'b', { status: 'failed', sentAt: null }),
    message('u:cid', 'b', { status: 'bounced', clickedAt: later(1) }),
    message('u:dee', 'gone'),
  ];

  it.each([1, 2, 3, 6])('messages are counted by variant and users once each, in %i pages', (pages) => {
    const { a, b } = counted(some, OPEN, pages);
    expect(a).toEqual({
      key: 'a',
      weight: 50,
      assigned: 2,
      reached: 1,
      sent: 2,
      delivered: 1,
      failed: 0,
      suppressed: 1,
      uniqueOpened: 2,
      uniqueClicked: 0,
      opened: 5,
      clicked: 2,
      converted: 1,
    });
    expect(b).toMatchObject({ assigned: 1, reached: 1, sent: 1, failed: 2, uniqueClicked: 1, opened: 0, converted: 0 });
  });

  it('users convert within the window of the metric', () => {
    const at = (hours: number, metric: Metric) =>
      counted([message('u:ann', 'a', { openedAt: later(hours), clickedAt: later(hours) })], metric).a?.converted;
    for (const type of ['open', 'click'] as const) {
      expect(at(2, { type, windowHours: 2 })).toBe(1);
      expect(at(2.001, { type, windowHours: 2 })).toBe(0);
    }
    expect(at(1, { type: 'event', windowHours: 2 })).toBe(0);
  });

  it('users convert by events counted earlier', () => {
    const event: Metric = { type: 'event', eventType: 'paid', windowHours: 72 };
    expect(counted([message('u:ann', 'a', { convertedAt: later(1) })], event).a).toMatchObject({ converted: 1 });
    expect(counted([message('u:ann', 'a', { convertedAt: later(1) })], OPEN).a).toMatchObject({ converted: 0 });
  });
});
