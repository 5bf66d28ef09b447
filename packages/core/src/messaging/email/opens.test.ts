import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { newDataKey } from '../../foundation/secrets.ts';
import type { EngagementReport, TakeReport } from '../sends/track/engagement.ts';
import { emailOpens } from './opens.ts';
import { trackingTokens } from './tracking-tokens.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const clock = virtualClock('2026-03-01T12:00:00.000Z');
const tokens = trackingTokens([newDataKey()], { clock });
const url = 'https://shop.test/';
const open = tokens.sign({ ...scope, sendId: 's', messageId: 'm', url: null });
const click = tokens.sign({ ...scope, sendId: 's', messageId: 'm', url });
const about = { channel: 'email', sendId: 's', messageId: 'm', at: clock.now() };

const make = (take: TakeReport = async () => true) => {
  const reports: [unknown, EngagementReport][] = [];
  const warned: [unknown, string][] = [];
  const report: TakeReport = (of, one) => {
    reports.push([of, one]);
    return take(of, one);
  };
  const log = { warn: (fields: unknown, message: string) => void warned.push([fields, message]) };
  return { ...emailOpens({ clock, tokens, report, log, waitMs: 20 }), reports, warned };
};

describe('email opens and clicks', () => {
  it('the pixel records an open of its email', async () => {
    const { trackOpen, reports } = make();
    await trackOpen(open, { method: 'GET', userAgent: 'Mozilla/5.0' });
    const by = { method: 'GET', userAgent: 'Mozilla/5.0', isReportedMachine: false };
    expect(reports).toEqual([[scopeOf(scope), { ...about, engagement: { kind: 'opened' }, by }]]);
  });

  it('a link records a click and returns its URL', async () => {
    const { trackClick, reports } = make();
    expect(await trackClick(click)).toEqual({ url });
    const by = { method: null, userAgent: null, isReportedMachine: false };
    expect(reports).toEqual([[scopeOf(scope), { ...about, engagement: { kind: 'clicked', action: url }, by }]]);
  });

  it('resolving a link without recording reports no click', async () => {
    const { trackClick, reports } = make();
    expect(await trackClick(click, { isRecorded: false })).toEqual({ url });
    expect(reports).toEqual([]);
  });

  it.each([
    ['no token', ''],
    [
      'a token of somebody else',
      trackingTokens([newDataKey()], { clock }).sign({ ...scope, sendId: 's', messageId: 'm', url }),
    ],
    ['a changed token', `B${click.slice(1)}`],
  ])('%s records nothing and has no target', async (_, token) => {
    const { trackOpen, trackClick, reports } = make();
    await trackOpen(token);
    await expect(trackClick(token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(reports).toEqual([]);
  });

  it('a pixel token is no link token, and the reverse', async () => {
    const { trackOpen, trackClick, reports } = make();
    await trackOpen(click);
    await expect(trackClick(open)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(reports).toEqual([]);
  });

  it('a link of a deleted message still returns its URL', async () => {
    const { trackOpen, trackClick, warned } = make(async () => false);
    await trackOpen(open);
    expect(await trackClick(click)).toEqual({ url });
    expect(warned).toEqual([]);
  });

  it.each([
    ['fails', async () => Promise.reject(new Error('away'))],
    ['does not answer', () => new Promise<never>(() => {})],
  ])('a link returns its URL if the database %s, and the failure is logged', async (_, take) => {
    const { trackOpen, trackClick, warned } = make(take);
    await trackOpen(open);
    expect(await trackClick(click)).toEqual({ url });
    expect(warned).toMatchObject([
      [{ scopeId: scope.scopeId, kind: 'opened' }, expect.stringContaining('stored')],
      [{ scopeId: scope.scopeId, kind: 'clicked' }, expect.stringContaining('stored')],
    ]);
    expect(JSON.stringify(warned)).not.toContain('shop.test');
  });

  it('a report is stored before the answer is sent', async () => {
    const committed = Promise.withResolvers<boolean>();
    const { trackClick } = make(() => committed.promise);
    let isAnswered = false;
    const answer = trackClick(click).then(() => {
      isAnswered = true;
    });
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    committed.resolve(true);
    await answer;
  });
});
