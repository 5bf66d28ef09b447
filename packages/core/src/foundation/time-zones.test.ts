import { describe, expect, it } from 'vitest';
import { deviceTimeZone } from './time-zones.ts';
import { zoneClock } from './zone-clock.ts';

describe('deviceTimeZone', () => {
  it.each([
    ['Europe/Paris', 'Europe/Paris'],
    ['UTC', 'UTC'],
    ['Etc/GMT-2', 'Etc/GMT-2'],
    ['GMT+05:30', '+05:30'],
    ['GMT+5', '+05:00'],
    ['UTC+2', '+02:00'],
    ['utc -3:30', '-03:30'],
    ['+05:30', '+05:30'],
    ['-0930', '-09:30'],
    ['+530', '+05:30'],
    ['+14', '+14:00'],
    ['\u221204:00', '-04:00'],
    ['\tAsia/Kolkata\n', 'Asia/Kolkata'],
  ])('deviceTimeZone reads %j as %s', (text, zone) => {
    expect(deviceTimeZone(text)).toBe(zone);
    // Repeated for the cached result.
    expect(deviceTimeZone(text)).toBe(zone);
    expect(zoneClock(zone)).not.toBeNull();
  });

  it.each([
    '',
    ' ',
    'Etc/Unknown',
    'local',
    'UTC+',
    '+',
    '05:30',
    '+24:00',
    '+05:60',
    'GMT+5.5',
    'UTC\0',
    'a'.repeat(65),
  ])('deviceTimeZone returns null for %j', (text) => {
    expect(deviceTimeZone(text)).toBeNull();
    expect(deviceTimeZone(text)).toBeNull();
  });

  it('deviceTimeZone returns null for a value that is no text', () => {
    for (const value of [undefined, null, 330, {}, ['UTC']]) expect(deviceTimeZone(value)).toBeNull();
  });
});
