import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { virtualClock } from './clock.ts';
import { isUuid, uuidV7Ids } from './ids.ts';

const START = '2026-11-20T10:00:00.123Z';
const ones = (size: number) => new Uint8Array(size).fill(0xff);
const zeros = (size: number) => new Uint8Array(size);
const millisecondsOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe('uuidV7Ids', () => {
  it('an id has time, version, counter, variant and random bits at the positions of RFC 9562', () => {
    const clock = virtualClock(new Date(0x017f22e279b0));
    expect(uuidV7Ids(clock, zeros).next()).toBe('017f22e2-79b0-7000-8000-000000000000');
    expect(uuidV7Ids(clock, ones).next()).toBe('017f22e2-79b0-77ff-bfff-ffffffffffff');
  });

  it('an id carries the instant of the clock', () => {
    const clock = virtualClock(START);
    const ids = uuidV7Ids(clock);
    clock.advance(86_400_000);
    expect(new Date(millisecondsOf(ids.next())).toISOString()).toBe('2026-11-21T10:00:00.123Z');
  });

  it('ids increase strictly while the clock stands, beyond the counter and with constant random bytes', () => {
    for (const bytes of [zeros, ones]) {
      const ids = uuidV7Ids(virtualClock(START), bytes);
      let previous = '';
      for (let n = 0; n < 10_000; n++) {
        const id = ids.next();
        if (id <= previous || !isUuid(id)) expect.fail(`${id} came after ${previous}`);
        previous = id;
      }
      expect(millisecondsOf(previous) - Date.parse(START)).toBeLessThanOrEqual(5);
    }
  });

  it('ids increase strictly however the clock jumps', () => {
    const jumps = fc.array(fc.integer({ min: -100_000_000, max: 100_000_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(jumps, (steps) => {
        const clock = virtualClock(START);
        const ids = uuidV7Ids(clock);
        const given = steps.map((ms) => {
          clock.advance(ms);
          return ids.next();
        });
        expect(given).toEqual([...new Set(given)].sort());
      }),
    );
  });

  it('ids can be generated on a clock before 1970', () => {
    const ids = uuidV7Ids(virtualClock('1960-01-01T00:00:00Z'));
    const [first, second] = [ids.next(), ids.next()];
    expect(isUuid(first) && first < second).toBe(true);
  });

  it('each id has different random bits', () => {
    const ids = uuidV7Ids(virtualClock(START));
    const tails = Array.from({ length: 2_000 }, () => ids.next().slice(19));
    expect(new Set(tails).size).toBe(2_000);
  });
});

describe('isUuid', () => {
  it('isUuid accepts a UUID of any version in either case and rejects other text', () => {
    const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect([uuid, uuid.toUpperCase(), '00000000-0000-0000-0000-000000000000'].map(isUuid)).toEqual([true, true, true]);
    expect(
      ['', uuid.slice(1), `${uuid}0`, `${uuid}\n`, uuid.replaceAll('-', ''), uuid.replace('3', 'g')].some(isUuid),
    ).toBe(false);
  });
});
