import { describe, expect, it } from 'vitest';
import { systemClock, virtualClock } from './clock.ts';

describe('virtualClock', () => {
  it('a virtual clock does not move by itself', () => {
    const clock = virtualClock('2026-11-20T10:00:00.000Z');
    expect([clock.now(), clock.now()].map(Number)).toEqual([1_795_168_800_000, 1_795_168_800_000]);
  });

  it('a virtual clock moves forwards, backwards and to any instant', () => {
    const clock = virtualClock(new Date(0));
    clock.advance(1_500);
    expect(clock.now().getTime()).toBe(1_500);
    clock.advance(-2_000);
    expect(clock.now().getTime()).toBe(-500);
    clock.set('2027-01-01T00:00:00Z');
    expect(clock.now().toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });

  it('changing a date that a virtual clock returned or received does not move the clock', () => {
    const start = new Date(1_000);
    const clock = virtualClock(start);
    start.setTime(5_000);
    clock.now().setTime(9_000);
    expect(clock.now().getTime()).toBe(1_000);
  });

  it('a virtual clock rejects an invalid date', () => {
    const clock = virtualClock(new Date(0));
    expect(() => virtualClock('yesterday')).toThrow(TypeError);
    expect(() => clock.set('soon')).toThrow(TypeError);
    expect(() => clock.advance(Number.NaN)).toThrow(TypeError);
    expect(clock.now().getTime()).toBe(0);
  });
});

describe('systemClock', () => {
  it('systemClock shows the time of the machine and returns a new date each time', () => {
    const before = Date.now();
    const [first, second] = [systemClock.now(), systemClock.now()];
    expect(first.getTime()).toBeGreaterThanOrEqual(before);
    expect(second.getTime()).toBeGreaterThanOrEqual(first.getTime());
    expect(first).not.toBe(second);
  });
});
