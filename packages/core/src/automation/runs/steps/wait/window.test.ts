import { describe, expect, it } from 'vitest';
import { type WayOptions, wayThrough } from '../../../../../test/support/runs/way.ts';
import { seeded } from '../../../../../test/support/seeded.ts';
import { isWhole, testSeed } from '../../../../../test/support/test-seed.ts';
import { fieldErrorsOf } from '../../../../foundation/errors.ts';
import { zoneClock } from '../../../../foundation/zone-clock.ts';
import { dayWindow } from '../../../../messaging/sends/deliver/gates/quiet-window.ts';
import { DAYS } from '../../../../messaging/settings/schema.ts';
import { stepTypes } from '../list.ts';
import { opensAt } from './window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NEW_YORK = 'America/New_York';
/** A Sunday. */
const START = '2026-03-01T10:00:00.000Z';

const refused = (window: unknown): string[] => {
  const { error } = stepTypes.schema.safeParse({ type: 'wait', config: { window } });
  return error ? Object.keys(fieldErrorsOf(error)) : [];
};
const wait = async (window: object, options: WayOptions = {}) => {
  const { passed } = await wayThrough(stepTypes, [{ type: 'wait', config: { window } }], {
    startsAt: START,
    ...options,
  });
  return passed[0];
};
const inZone = (timezone: string): WayOptions => ({ profile: { timezone } });

describe('a wait for a window', () => {
  it('a run continues at once within the window, else at its next start', async () => {
    const office = { from: '09:00', to: '17:00', timezone: 'UTC' };
    expect(await wait(office)).toMatchObject({ outcome: 'ok', at: START });
    expect(await wait({ ...office, from: '10:00' })).toMatchObject({ at: START });
    expect(await wait({ ...office, to: '10:00' })).toMatchObject({ at: '2026-03-02T09:00:00.000Z' });
    expect(await wait({ ...office, days: ['tue', 'wed'] })).toMatchObject({ at: '2026-03-03T09:00:00.000Z' });
    expect(await wait({ ...office, from: '10:01', days: ['sun'] })).toMatchObject({ at: '2026-03-01T10:01:00.000Z' });
    expect(await wait({ ...office, to: '10:00', days: ['sun'] })).toMatchObject({ at: '2026-03-08T09:00:00.000Z' });
  });

  it('days are those on which the window starts, also after midnight', async () => {
    const night = { from: '22:00', to: '11:00', timezone: 'UTC' };
    expect(await wait({ ...night, days: ['sat'] })).toMatchObject({ at: START });
    expect(await wait({ ...night, days: ['sun'] })).toMatchObject({ at: '2026-03-01T22:00:00.000Z' });
  });

  it('a window with equal ends lasts the whole day', async () => {
    const weekdays = { days: ['mon', 'fri'], from: '00:00', to: '00:00', timezone: 'UTC' };
    expect(await wait(weekdays)).toMatchObject({ at: '2026-03-02T00:00:00.000Z' });
    expect(await wait({ ...weekdays, days: ['sun'] })).toMatchObject({ at: START });
  });

  it("the zone is the user's, else the project's, and without a zone the wait is skipped", async () => {
    const evening = { from: '18:00', to: '20:00' };
    const org = { orgTimezone: 'Asia/Kolkata' };
    const [inNewYork, inKolkata] = ['2026-03-01T23:00:00.000Z', '2026-03-01T12:30:00.000Z'];
    expect(await wait(evening, { ...inZone(NEW_YORK), ...org })).toMatchObject({ at: inNewYork });
    expect(await wait({ ...evening, timezone: 'user' }, inZone(NEW_YORK))).toMatchObject({ at: inNewYork });
    expect(await wait(evening, org)).toMatchObject({ at: inKolkata });
    expect(await wait(evening, { ...org, profile: null })).toMatchObject({ at: inKolkata });
    expect(await wait(evening, { ...inZone('Mars/Olympus'), ...org })).toMatchObject({ at: inKolkata });
    expect(await wait({ ...evening, timezone: 'org' }, { ...inZone(NEW_YORK), ...org })).toMatchObject({
      at: inKolkata,
    });
    expect(await wait({ ...evening, timezone: NEW_YORK }, org)).toMatchObject({ at: inNewYork });
    const skipped = { outcome: 'skipped', reason: 'no_timezone', at: START };
    expect(await wait(evening)).toMatchObject(skipped);
    expect(await wait({ ...evening, timezone: 'org' }, inZone(NEW_YORK))).toMatchObject(skipped);
  });

  it('a window whose start is skipped by a clock change opens with it; one skipped completely does not open', async () => {
    const startsAt = '2026-03-08T05:00:00.000Z';
    const early = { from: '02:30', to: '04:00', timezone: NEW_YORK };
    expect(await wait(early, { startsAt })).toMatchObject({ at: '2026-03-08T07:00:00.000Z' });
    expect(await wait({ ...early, to: '03:00' }, { startsAt })).toMatchObject({ at: '2026-03-09T06:30:00.000Z' });
    expect(await wait({ ...early, to: '03:00', days: ['sun'] }, { startsAt })).toMatchObject({
      at: '2026-03-15T06:30:00.000Z',
    });
  });

  it('a run that resumes late waits for the window again', async () => {
    const window = { from: '09:00', to: '10:00', timezone: 'UTC' };
    const since = { waitingSince: new Date('2026-02-28T12:00:00.000Z') };
    expect(await wait(window, { run: since })).toMatchObject({ at: '2026-03-02T09:00:00.000Z' });
  });

  it('invalid times, days and zones are rejected', () => {
    const fine = { days: ['mon'], from: '09:00', to: '17:00', timezone: 'Europe/Paris' };
    expect(refused(fine)).toEqual([]);
    expect(refused({ ...fine, from: '9:00' })).toEqual(['config.window.from']);
    expect(refused({ ...fine, to: '24:00' })).toEqual(['config.window.to']);
    expect(refused({ ...fine, days: [] })).toEqual(['config.window.days']);
    expect(refused({ ...fine, days: ['monday'] })).toEqual(['config.window.days.0']);
    expect(refused({ ...fine, timezone: 'Mars/Olympus' })).toEqual(['config.window.timezone']);
    expect(refused({ from: '09:00' })).toEqual(['config.window.to']);
  });

  it('a window opens when the local time is within it, at random times around clock changes', () => {
    const seed = testSeed();
    const random = seeded(seed);
    const below = (most: number): number => Math.floor(random() * most);
    const zones = [
      NEW_YORK,
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Africa/Casablanca',
      'Europe/Dublin',
      'Asia/Kathmandu',
    ];
    const weekdays = new Map<string, number>(DAYS.map((day, at) => [day, at]));
    // The clock changes of 2026 in those zones are within these weeks.
    const starts = [
      Date.UTC(2026, 1, 12),
      Date.UTC(2026, 2, 3),
      Date.UTC(2026, 2, 24),
      Date.UTC(2026, 8, 29),
      Date.UTC(2026, 9, 26),
    ];
    const days = 19;
    const differences: string[] = [];
    let [compared, waited] = [0, 0];
    // 20,000 times, or a tenth: formatting each minute by the platform is slow.
    const places = zones.flatMap((zone) => starts.map((fromMs) => [zone, fromMs] as const));
    for (const [place, [zone, fromMs]] of places.entries())
      if (isWhole() || place % 10 === seed % 10) {
        const clock = zoneClock(zone);
        if (!clock) throw new Error(`no zone ${zone}`);
        const print = new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          hourCycle: 'h23',
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
        });
        // The definition, computed from the platform's local time of each minute.
        const shown = Array.from({ length: days * 1_440 }, (_, minute) => {
          const [weekday = '', time = ''] = print.format(fromMs + minute * MINUTE_MS).split(/,? /);
          return { weekday: weekdays.get(weekday.toLowerCase()) ?? -1, time };
        });
        for (let at = 0; at < 670; at += 1) {
          const time = (): string =>
            new Date(below(random() < 0.5 ? 240 : 1_440) * MINUTE_MS).toISOString().slice(11, 16);
          const [from, to] = [time(), time()];
          const on = random() < 0.3 ? [] : DAYS.filter(() => random() < 0.4);
          const begins = (day: number): boolean => on.length === 0 || on.some((name) => name === DAYS[(day + 7) % 7]);
          const isOpen = (minute: number): boolean => {
            const { weekday = -1, time: now = '' } = shown[minute] ?? {};
            if (from < to) return from <= now && now < to && begins(weekday);
            return (from <= now && begins(weekday)) || (now < to && begins(weekday - 1));
          };
          const moment = fromMs + below(4 * DAY_MS);
          let minute = Math.floor((moment - fromMs) / MINUTE_MS);
          let right: number | null = null;
          if (!isOpen(minute)) {
            do minute += 1;
            while (minute < shown.length && !isOpen(minute));
            if (minute === shown.length) throw new Error('the reference ends too early');
            right = fromMs + minute * MINUTE_MS;
            waited += 1;
          }
          compared += 1;
          const told = opensAt(dayWindow(from, to, on), clock, moment);
          if (told !== right)
            differences.push(`${zone} ${new Date(moment).toISOString()} ${from}-${to} ${on}: ${told}, not ${right}`);
        }
      }
    console.info(
      `waits for a window: ${compared} moments compared with the minute-by-minute rule, ${waited} of them waited, ` +
        `differences ${differences.length} (seed ${seed})`,
    );
    expect(differences.slice(0, 5), `BECKON_TEST_SEED=${seed}`).toEqual([]);
    expect([compared >= (isWhole() ? 20_000 : 2_000), waited > compared / 4]).toEqual([true, true]);
  });
});
