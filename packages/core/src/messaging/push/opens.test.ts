import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { EngagementReport } from '../sends/track/engagement.ts';
import { opens } from './opens.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const clock = virtualClock('2026-03-01T12:00:00.000Z');

const make = (isKnown = true) => {
  const reports: EngagementReport[] = [];
  const engine = opens({
    clock,
    report: async (_, report) => {
      reports.push(report);
      return isKnown;
    },
  });
  return { ...engine, reports };
};
const about = { channel: 'push', sendId: 's1', messageId: null, at: clock.now() };

describe('push opens', () => {
  it.each([
    ['nothing', {}, { kind: 'opened' }],
    ['null', { clickAction: null }, { kind: 'opened' }],
    ['the word of web clients for the push itself', { clickAction: 'body' }, { kind: 'opened' }],
    ['a button', { clickAction: 'buy' }, { kind: 'clicked', action: 'buy' }],
  ])('a tap with clickAction set to %s is classified', async (_, body, engagement) => {
    const { trackOpen, reports } = make();
    expect(await trackOpen(scope, { sendId: 's1', ...body })).toEqual({ accepted: true });
    expect(reports).toEqual([{ ...about, engagement }]);
  });

  it('a delivery report names its message', async () => {
    const { trackDelivered, reports } = make();
    expect(await trackDelivered(scope, { sendId: 's1', messageId: 'm1' })).toEqual({ accepted: true });
    expect(reports).toEqual([{ ...about, messageId: 'm1', engagement: { kind: 'delivered' } }]);
  });

  it('unknown keys of a report are ignored', async () => {
    expect(await make().trackOpen(scope, unchecked({ sendId: 's1', model: 'X' }))).toEqual({ accepted: true });
  });

  it.each([
    ['no sendId', {}, 'sendId'],
    ['a sendId with U+0000', { sendId: 'a\u0000' }, 'sendId'],
    ['a messageId that is a number', { sendId: 's1', messageId: 1 }, 'messageId'],
    ['an empty action', { sendId: 's1', clickAction: '' }, 'clickAction'],
  ])('a report with %s is rejected', async (_, body, field) => {
    const { trackOpen, reports } = make();
    await expect(trackOpen(scope, unchecked(body))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { [field]: expect.anything() } },
    });
    expect(reports).toEqual([]);
  });

  it('unknown sends and messages get the same error from every report', async () => {
    const { trackOpen, trackDelivered } = make(false);
    await expect(trackOpen(scope, { sendId: 's1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(trackDelivered(scope, { sendId: 's1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
