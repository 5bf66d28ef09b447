import { describe, expect, it } from 'vitest';
import { virtualClock } from '../foundation/clock.ts';
import { boundedLog } from './bounded-log.ts';

describe('boundedLog', () => {
  it('boundedLog writes 60 lines a minute and reports the number left out with the next line', () => {
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    const lines: object[] = [];
    const say = boundedLog((fields) => void lines.push(fields), clock);
    for (let at = 0; at < 1_000; at += 1) say({ at });
    expect(lines).toEqual(Array.from({ length: 60 }, (_, at) => ({ at })));
    clock.advance(59_999);
    say({ at: 1_000 });
    expect(lines).toHaveLength(60);
    clock.advance(1);
    say({ at: 1_001 });
    say({ at: 1_002 });
    expect(lines.slice(60)).toEqual([{ at: 1_001, unlogged: 941 }, { at: 1_002 }]);
  });

  it('boundedLog continues after its clock was set back', () => {
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    const lines: object[] = [];
    const say = boundedLog((fields) => void lines.push(fields), clock);
    for (let at = 0; at < 61; at += 1) say({});
    clock.set(new Date('2026-02-01T10:00:00.000Z'));
    say({});
    expect(lines.at(-1)).toEqual({ unlogged: 1 });
  });

  it('boundedLog throws nothing if the log throws', () => {
    const say = boundedLog(() => {
      throw new Error('full');
    }, virtualClock('2026-03-01T10:00:00.000Z'));
    expect(() => say({})).not.toThrow();
  });
});
