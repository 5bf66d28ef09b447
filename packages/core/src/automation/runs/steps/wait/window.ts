import { z } from 'zod';
import type { ZoneClock } from '../../../../foundation/zone-clock.ts';
import { type DayWindow, dayWindow, isWithin } from '../../../../messaging/sends/deliver/gates/quiet-window.ts';
import { clockTime, DAYS } from '../../../../messaging/settings/schema.ts';
import type { RunContext, StepPlan } from '../step.ts';
import { clockOf, orgZoneFor, waitZone } from './zone.ts';

const DAY_MS = 86_400_000;
/** Days until a window comes again that is on one day of the week. */
const WEEK = 7;

/**
 * Hours of a day, on the local days on which they start. They may go over midnight; where they end as they start they
 * last the whole day.
 */
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

/** When the wall clock shows the beginning of the window next, after `localMs`, if nobody changes the clock. */
const nextStart = (hours: DayWindow, localMs: number): number => {
  const today = Math.floor(localMs / DAY_MS) * DAY_MS + hours.startMs;
  for (let days = 0; days <= WEEK; days += 1) {
    const start = today + days * DAY_MS;
    if (start > localMs && isWithin(hours, start)) return start;
  }
  throw new TypeError('a window is on some day of the week');
};

/**
 * The first moment after `atMs` whose wall clock is within the window; null: that of `atMs` itself is. In milliseconds
 * since 1970. Moments are judged by what the clock shows then, so hours that a change of clocks skips or repeats need no
 * rule of their own. Pure but for what the zone remembers.
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
 * Waits until the wall clock is within the window; a run that comes late is judged anew, so that what follows happens
 * within it. Where nobody knows a zone the wait is skipped, as quiet hours are.
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
