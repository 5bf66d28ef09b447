import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../../test/support/seeded.ts';
import { isWhole, testSeed } from '../../../../../test/support/test-seed.ts';
import { zoneClock } from '../../../../foundation/zone-clock.ts';
import { DAYS, type QuietHours, quietHours } from '../../../settings/schema.ts';
import { quietUntil, windowOf } from './quiet-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = new Map<string, number>(DAYS.map((day, at) => [day, at]));
const NEW_YORK = 'America/New_York';
const LORD_HOWE = 'Australia/Lord_Howe';

const hours = (window: string, days: QuietHours['days'] = []): QuietHours => {
  const [start, end] = window.split('-');
  return quietHours.parse({ enabled: true, start, end, days });
};
/** End of quiet hours as an ISO time; null: not quiet. */
const until = (now: string, zone: string, setting: QuietHours): string | null => {
  const window = windowOf(setting);
  const clock = zoneClock(zone);
  if (!window || !clock) throw new Error('no window or no zone');
  const ms = quietUntil(window, clock, Date.parse(now));
  return ms === null ? null : new Date(ms).toISOString();
};

/**
 * A reference implementation, minute by minute: it looks at the time and weekday that the platform prints for each
 * minute. It knows no offsets; windows and clock changes are in whole minutes.
 */
const reference = (zone: string, fromMs: number, days: number) => {
  const print = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const shown = Array.from({ length: days * 1_440 }, (_, minute) => {
    const [weekday = '', time = ''] = print.format(fromMs + minute * MINUTE_MS).split(/,? /);
    return { weekday: WEEKDAYS.get(weekday.toLowerCase()) ?? -1, time };
  });
  const isQuiet = ({ start, end, days: on }: QuietHours, minute: number): boolean => {
    const { weekday = -1, time = '' } = shown[minute] ?? {};
    const begins = (day: number): boolean => on.length === 0 || on.some((name) => name === DAYS[(day + 7) % 7]);
    if (start < end) return start <= time && time < end && begins(weekday);
    return (start <= time && begins(weekday)) || (time < end && begins(weekday - 1));
  };
  return (setting: QuietHours, atMs: number): number | null => {
    let minute = Math.floor((atMs - fromMs) / MINUTE_MS);
    if (!isQuiet(setting, minute)) return null;
    do minute += 1;
    while (minute < shown.length && isQuiet(setting, minute));
    if (minute === shown.length) throw new Error('the reference ends too early');
    return fromMs + minute * MINUTE_MS;
  };
};

describe('quiet hours', () => {
  it("quiet hours end exactly when the zone's clock leaves the window", () => {
    expect(until('2026-01-15T13:00:00.000Z', NEW_YORK, hours('22:00-08:00'))).toBeNull();
    expect(until('2026-01-15T12:59:59.000Z', NEW_YORK, hours('22:00-08:00'))).toBe('2026-01-15T13:00:00.000Z');
    expect(until('2026-01-15T12:59:59.999Z', NEW_YORK, hours('22:00-08:00'))).toBe('2026-01-15T13:00:00.000Z');
    expect(until('2026-01-16T02:59:59.999Z', NEW_YORK, hours('22:00-08:00'))).toBeNull();
    expect(until('2026-01-16T03:00:00.000Z', NEW_YORK, hours('22:00-08:00'))).toBe('2026-01-16T13:00:00.000Z');
  });

  it('a window within one day ends at exactly its last minute', () => {
    const day = hours('09:00-22:00');
    expect(until('2026-01-15T08:59:59.999Z', 'UTC', day)).toBeNull();
    expect(until('2026-01-15T09:00:00.000Z', 'UTC', day)).toBe('2026-01-15T22:00:00.000Z');
    expect(until('2026-01-15T21:59:59.999Z', 'UTC', day)).toBe('2026-01-15T22:00:00.000Z');
    for (const moment of ['22:00:00.000', '22:00:00.001', '22:00:59.999'])
      expect(until(`2026-01-15T${moment}Z`, 'UTC', day)).toBeNull();
    const [friday, minute] = [hours('09:00-22:00', ['fri']), hours('21:59-22:00', ['fri'])];
    for (const one of [friday, minute]) {
      expect(until('2026-01-16T21:59:00.000Z', 'UTC', one)).toBe('2026-01-16T22:00:00.000Z');
      expect(until('2026-01-16T22:00:00.000Z', 'UTC', one)).toBeNull();
    }
  });

  it('a window is an hour shorter in the night that loses an hour', () => {
    expect(until('2026-03-08T03:30:00.000Z', NEW_YORK, hours('22:00-08:00'))).toBe('2026-03-08T12:00:00.000Z');
  });

  it('a window whose end is skipped ends with the clock change', () => {
    expect(until('2026-03-08T06:59:59.000Z', NEW_YORK, hours('22:00-02:30'))).toBe('2026-03-08T07:00:00.000Z');
    expect(until('2026-10-03T15:29:59.000Z', LORD_HOWE, hours('22:00-02:15'))).toBe('2026-10-03T15:30:00.000Z');
  });

  it('a window applies twice in a repeated hour, with a gap if its end occurs twice', () => {
    const night = hours('22:00-01:30');
    expect(until('2026-11-01T06:15:00.000Z', NEW_YORK, night)).toBe('2026-11-01T06:30:00.000Z');
    expect(until('2026-11-01T05:15:00.000Z', NEW_YORK, night)).toBe('2026-11-01T05:30:00.000Z');
    expect(until('2026-11-01T05:45:00.000Z', NEW_YORK, night)).toBeNull();
  });

  it('a window belongs to the local weekday on which it starts', () => {
    const friday = hours('22:00-08:00', ['fri']);
    expect(until('2026-01-17T03:00:00.000Z', 'UTC', friday)).toBe('2026-01-17T08:00:00.000Z');
    expect(until('2026-01-16T03:00:00.000Z', 'UTC', friday)).toBeNull();
    expect(until('2026-01-16T22:00:00.000Z', 'UTC', friday)).toBe('2026-01-17T08:00:00.000Z');
    expect(until('2026-01-17T22:00:00.000Z', 'UTC', friday)).toBeNull();
    const noon = hours('12:00-13:00', ['sun']);
    expect(until('2026-01-18T12:30:00.000Z', 'UTC', noon)).toBe('2026-01-18T13:00:00.000Z');
    expect(until('2026-01-17T12:30:00.000Z', 'UTC', noon)).toBeNull();
    // Sunday in Auckland is Saturday in UTC.
    expect(until('2026-01-17T23:30:00.000Z', 'Pacific/Auckland', noon)).toBe('2026-01-18T00:00:00.000Z');
  });

  it('zones with offsets of half and three quarter hours are supported', () => {
    expect(until('2026-01-15T17:00:00.000Z', 'Asia/Kolkata', hours('22:00-08:00'))).toBe('2026-01-16T02:30:00.000Z');
    expect(until('2026-01-15T16:20:00.000Z', 'Asia/Kathmandu', hours('22:00-08:00'))).toBe('2026-01-16T02:15:00.000Z');
  });

  it('midnight is the start of a day', () => {
    expect(until('2026-01-15T00:00:00.000Z', 'UTC', hours('00:00-08:00'))).toBe('2026-01-15T08:00:00.000Z');
    expect(until('2026-01-15T23:59:59.999Z', 'UTC', hours('22:00-00:00'))).toBe('2026-01-16T00:00:00.000Z');
    expect(until('2026-01-16T00:00:00.000Z', 'UTC', hours('22:00-00:00'))).toBeNull();
  });

  it('quiet hours are off by default and if start and end are equal', () => {
    expect(windowOf(quietHours.parse({}))).toBeNull();
    expect(windowOf(hours('22:00-22:00'))).toBeNull();
  });

  it('quiet hours equal the minute-by-minute reference at random times around clock changes', () => {
    const seed = testSeed();
    const random = seeded(seed);
    const below = (most: number): number => Math.floor(random() * most);
    const pick = <T>(list: readonly T[]): T => {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error('an empty list');
      return one;
    };
    const time = (): string => {
      // Half of the samples are near the clock change.
      const minute = random() < 0.5 ? below(240) : below(1_440);
      return new Date(minute * MINUTE_MS).toISOString().slice(11, 16);
    };
    const changing = [
      LORD_HOWE,
      NEW_YORK,
      'Pacific/Chatham',
      'America/St_Johns',
      'Africa/Casablanca',
      'America/Nuuk',
      'Europe/Dublin',
      'Asia/Beirut',
      'America/Santiago',
      'Europe/London',
    ];
    const zones = ['Asia/Kathmandu', 'Asia/Kolkata', 'Africa/Cairo', ...Intl.supportedValuesOf('timeZone')];
    // 100,000 samples, or a tenth of them.
    const places = isWhole() ? 130 : 13;
    const each = 800;
    let [compared, quiet, moved] = [0, 0, 0];
    const differences: string[] = [];
    for (let place = 0; place < places; place += 1) {
      const zone = place % 3 === 2 ? pick(zones) : pick(changing);
      const clock = zoneClock(zone);
      if (!clock) throw new Error(`no zone ${zone}`);
      // Around a clock change, if the zone has one within a year.
      let aroundMs = Date.UTC(2_015 + below(20), below(12), 1 + below(28));
      const { offsetMs } = clock.spanAt(aroundMs);
      for (let days = 0; days < 365 && clock.spanAt(aroundMs).offsetMs === offsetMs; days += 1) aroundMs += DAY_MS;
      const fromMs = Math.floor(aroundMs / DAY_MS) * DAY_MS - 2 * DAY_MS;
      if (clock.spanAt(fromMs).offsetMs !== clock.spanAt(fromMs + 3 * DAY_MS).offsetMs) moved += 1;
      const expected = reference(zone, fromMs, 4);
      for (let at = 0; at < each; at += 1) {
        const setting = quietHours.parse({
          enabled: true,
          start: time(),
          end: time(),
          days: random() < 0.5 ? [] : DAYS.filter(() => random() < 0.5),
        });
        const window = windowOf(setting);
        if (!window) continue;
        const moment = fromMs + below(2.5 * DAY_MS);
        const [actual, right] = [quietUntil(window, clock, moment), expected(setting, moment)];
        compared += 1;
        if (right !== null) quiet += 1;
        if (actual !== right)
          differences.push(
            `${zone} ${new Date(moment).toISOString()} ${JSON.stringify(setting)}: ${actual}, not ${right}`,
          );
      }
    }
    console.info(
      `quiet hours: ${compared} moments compared with the minute-by-minute rule, ${quiet} of them quiet, ` +
        `${moved} of ${places} places with a change of clocks, differences ${differences.length} (seed ${seed})`,
    );
    expect(differences.slice(0, 5), `BECKON_TEST_SEED=${seed}`).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(isWhole() ? 100_000 : 10_000);
    expect([quiet > compared / 4, moved > places / 5]).toEqual([true, true]);
  });
});
