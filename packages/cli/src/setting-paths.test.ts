import { describe, expect, it } from 'vitest';
import { leavesOf, partsOf, textOf, typedValue, valueAt, withoutProviders, withValue } from './setting-paths.ts';

const quietHours = { enabled: false, start: '22:00', days: ['fri'] };

describe('a setting by the names of its parts', () => {
  it('has parts between dots, none of them empty', () => {
    expect(partsOf('quietHours.enabled')).toEqual(['quietHours', 'enabled']);
    for (const key of ['', '.', 'a.', '.a', 'a..b']) expect(() => partsOf(key)).toThrow(/is no key/);
  });

  it('takes JSON as that, and anything else as text', () => {
    const typed = ['true', '30', 'null', '["fri"]', '22:00', 'Europe/Paris', '"30"', '{', ''].map(typedValue);
    expect(typed).toEqual([true, 30, null, ['fri'], '22:00', 'Europe/Paris', '30', '{', '']);
  });

  it('finds what stands under a key, and nothing under one that only every object has', () => {
    expect(valueAt({ quietHours }, ['quietHours', 'start'])).toBe('22:00');
    expect(valueAt({ quietHours }, ['quietHours'])).toBe(quietHours);
    for (const key of [['constructor'], ['quietHours', 'toString'], ['quietHours', 'start', 'length'], ['x']])
      expect(valueAt({ quietHours }, key)).toBeUndefined();
  });

  it('changes one part, and leaves the others and what it was given as they are', () => {
    expect(withValue(quietHours, ['enabled'], true)).toEqual({ ...quietHours, enabled: true });
    expect(withValue(quietHours, [], null)).toBeNull();
    expect(withValue(quietHours, ['days'], null)).toEqual({ enabled: false, start: '22:00' });
    expect(withValue(undefined, ['per', 'unit'], 'day')).toEqual({ per: { unit: 'day' } });
    expect(quietHours.enabled).toBe(false);
  });

  it('lists every value with its whole key, lists as one', () => {
    expect(leavesOf({ quietHours, orgDefaultTimezone: null }, '')).toEqual([
      ['quietHours.enabled', false],
      ['quietHours.start', '22:00'],
      ['quietHours.days', ['fri']],
      ['orgDefaultTimezone', null],
    ]);
    expect(['22:00', false, ['fri'], null].map(textOf)).toEqual(['22:00', 'false', '["fri"]', 'null']);
  });

  it('is no state of a provider', () => {
    expect(withoutProviders({ quietHours, apns: { provider: 'apns', configured: false } })).toEqual({ quietHours });
  });
});
