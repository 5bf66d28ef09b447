import { describe, expect, it } from 'vitest';
import { isUnsubscribedBy, LIST_REASONS, type ListReason, unusableBy } from './listed.ts';

const all = (...reasons: readonly ListReason[]) => reasons.map((reason) => ({ reason, sender: '' }));

describe('suppression list entries', () => {
  it('an address with a bounce, complaint or stop is unusable; an unsubscribed one stays usable', () => {
    expect(LIST_REASONS.map((reason) => unusableBy(all(reason), null))).toEqual([
      'bounced_address',
      'complained_address',
      'sms_stopped',
      null,
      null,
    ]);
    expect(unusableBy([], null)).toBeNull();
  });

  it('a bounce is reported before a complaint, and both before a stop', () => {
    expect(unusableBy(all('sms_stopped', 'complained_address', 'bounced_address'), null)).toBe('bounced_address');
    expect(unusableBy(all('sms_stopped', 'complained_address'), null)).toBe('complained_address');
  });

  it("an unsubscribe stops marketing only; an operator's entry stops everything", () => {
    const verdicts = (reason: ListReason) =>
      ['marketing', 'transactional'].map((sent) => isUnsubscribedBy(all(reason), null, sent));
    expect(verdicts('unsubscribed')).toEqual([true, false]);
    expect(verdicts('manual')).toEqual([true, true]);
    expect(verdicts('bounced_address')).toEqual([false, false]);
  });

  it('an entry applies to its own sender, and to every message whose sender is unknown', () => {
    const listed = [{ reason: 'sms_stopped', sender: '+14155550100' }] as const;
    expect(unusableBy(listed, '+14155550100')).toBe('sms_stopped');
    expect(unusableBy(listed, '+14155550111')).toBeNull();
    expect(unusableBy(listed, null)).toBe('sms_stopped');
    expect(unusableBy(all('sms_stopped'), '+14155550111')).toBe('sms_stopped');
    const unwanted = [{ reason: 'manual', sender: 'Shop' }] as const;
    expect(isUnsubscribedBy(unwanted, 'Other', 'marketing')).toBe(false);
    expect(isUnsubscribedBy(unwanted, 'Shop', 'marketing')).toBe(true);
  });
});
