import { describe, expect, it } from 'vitest';
import { leavesOf, partsOf, textOf, typedValue, valueAt, withoutProviders, withValue } from './setting-paths.ts';

const quietHours = { enabled: false, start: '22:00', days: ['fri'] };

describe('a setting by its dotted key', () => {
  it('a key has non-empty parts separated by dots', () => {
    expect(partsOf('quietHours.enabled')).toEqual(['quietHours', 'enabled']);
    for (const key of ['', '.', 'a.', '.a', 'a..b']) expect(() => partsOf(key)).toThrow(/^Invalid key/);
  });

  it('a typed value is JSON if valid, else text', () => {
    const typed = ['true', '30', 'null', '["fri"]', '22:00', 'Europe/Paris', '"30"', '{', ''].map(typedValue);
    expect(typed).toEqual([true, 30, null, ['fri'], '22:00', 'Europe/Paris', '30', '{', '']);
  });

  it('a key finds own properties only', () => {
    expect(valueAt({ quietHours }, ['quietHours', 'start'])).toBe('22:00');
    expect(valueAt({ quietHours }, ['quietHours'])).toBe(quietHours);
    for (const key of [['constructor'], ['quietHours', 'toString'], ['quietHours', 'start', 'length'], ['x']])
      expect(valueAt({ quietHours }, key)).toBeUndefined();
  });

  it('setting a key keeps the others and does not change its input', () => {
    expect(withValue(quietHours, ['enabled'], true)).toEqual({ ...quietHours, enabled: true });
    expect(withValue(quietHours, [], null)).toBeNull();
    expect(withValue(quietHours, ['days'], null)).toEqual({ enabled: false, start: '22:00' });
    expect(withValue(undefined, ['per', 'unit'], 'day')).toEqual({ per: { unit: 'day' } });
    expect(quietHours.enabled).toBe(false);
  });

  it('every value is listed with its full key, arrays as one value', () => {
    expect(leavesOf({ quietHours, orgDefaultTimezone: null }, '')).toEqual([
      ['quietHours.enabled', false],
      ['quietHours.start', '22:00'],
      ['quietHours.days', ['fri']],
      ['orgDefaultTimezone', null],
    ]);
    expect(['22:00', false, ['fri'], null].map(textOf)).toEqual(['22:00', 'false', '["fri"]', 'null']);
  });

  it('provider states are not settings', () => {
    expect(withoutProviders({ quietHours, apns: { provider: 'apns', configured: false } })).toEqual({ quietHours });
  });
});
