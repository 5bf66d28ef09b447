import { z } from 'zod';
import type { ZoneClock } from '../../../../foundation/zone-clock.ts';
import { type DayWindow, dayWindow, isWithin } from '../../../../messaging/sends/deliver/gates/quiet-window.ts';
import { clockTime, DAYS } from '../../../../messaging/settings/schema.ts';
import type { RunContext, StepPlan } from '../step.ts';
import { clockOf, orgZoneFor, waitZone } from './zone.ts';

const DAY_MS = 86_400_000;
/** Days after which a window on one weekday recurs. */
const WEEK = 7;

/** Hours of a day, on the local days on which they start. They may cross midnight; equal ends mean the whole day. */
export const window = z.strictObject({
  days: z
    .array(z.enum(DAYS))
    .min(1)
    .max(DAYS.length)
    .optional()
    .describe('Local days on which the window starts. Default: every day.'),
  from: clockTime.describe('Start of the window, such as 09:00.'),
  to: clockTime.describe('End of the window, such as 17:00. An end before the start is on the next day.'),
  timezone: waitZone.optional().describe('Time zone: user, org or an IANA name. Default: user.'),
});
export type Window = z.output<typeof window>;

/** Next local start of the window after `localMs`, without changes of the clock. */
const nextStart = (hours: DayWindow, localMs: number): number => {
  const today = Math.floor(localMs / DAY_MS) * DAY_MS + hours.startMs;
  for (let days = 0; days <= WEEK; days += 1) {
    const start = today + days * DAY_MS;
    if (start > localMs && isWithin(hours, start)) return start;
  }
  throw new TypeError('a window is on some day of the week');
};

/**
 * First time after `atMs` whose local time is within the window; null: `atMs` is within it. Milliseconds since 1970.
 * Each candidate is checked by its own local time, so hours skipped or repeated by daylight saving need no special
 * case. Pure except for the zone's cache.
 */
export const opensAt = (hours: DayWindow, zone: ZoneClock, atMs: number): number | null => {
  let { to, offsetMs } = zone.spanAt(atMs);
  if (isWithin(hours, atMs + offsetMs)) return null;
  let fromMs = atMs;
  for (;;) {
    const startMs = nextStart(hours, fromMs + offsetMs) - offsetMs;
    if (startMs < to) return startMs;
    fromMs = to;
    ({ to, offsetMs } = zone.spanAt(fromMs));
    if (isWithin(hours, fromMs + offsetMs)) return fromMs;
  }
};

/**
 * Waits until the local time is within the window. A run that resumes late is checked again, so that the next steps run
 * within it. Without a known zone the wait is skipped, like quiet hours.
 */
export const waitForWindow = async (
  { days = [], from, to, timezone = 'user' }: Window,
  runContext: Pick<RunContext, 'orgTimezone'>,
): Promise<StepPlan> => {
  const org = await orgZoneFor(timezone, runContext);
  const hours = dayWindow(from, to, days);
  return (context) => {
    const clock = clockOf(timezone, org, context);
    if (!clock) return { outcome: 'skipped', reason: 'no_timezone' };
    const opens = opensAt(hours, clock, context.now.getTime());
    return opens === null ? { outcome: 'ok' } : { waitUntil: new Date(opens) };
  };
};
