import { z } from 'zod';
import { jsonKeywords, oneRequired } from '../../../../foundation/json-keywords.ts';
import { common, MAX_DELAY_MINUTES } from '../fields.ts';
import { RENDERED } from '../rendered.ts';
import type { StepPlan } from '../step.ts';
import { defineStep } from '../step.ts';
import { awaitedEvent, waitForEvent } from './event.ts';
import { offsetMinutes, until, waitUntil } from './until.ts';
import { waitForWindow, window } from './window.ts';
import { waitZone } from './zone.ts';

const MINUTE_MS = 60_000;

/** Elapsed minutes, independent of daylight saving time. Source: semantics, Delayed steps. */
const minutes = z.int().min(0).max(MAX_DELAY_MINUTES);

/** Waits the given minutes from the start of the step. */
const waitMinutes =
  (count: z.output<typeof minutes>): StepPlan =>
  ({ now, run }) =>
    run.waitingSince === null ? { waitUntil: new Date(now.getTime() + count * MINUTE_MS) } : { outcome: 'ok' };

/** What a wait can wait for. Each kind has its own file with schema and plan. */
const KINDS = ['minutes', 'until', 'window', 'event'] as const;

/** Waits for one thing: minutes, a date, hours of the day, or an event. */
export const wait = defineStep({
  type: 'wait',
  renders: RENDERED.wait,
  config: z
    .strictObject({
      ...common,
      minutes: minutes
        .optional()
        .describe('Minutes to wait. At most 525,600. Exactly one of minutes, until, window and event.'),
      until: until
        .optional()
        .describe(
          'Date to wait for: ISO 8601, unix time, or a template of one. Exactly one of minutes, until, window and event.',
        ),
      offsetMinutes: offsetMinutes
        .optional()
        .describe('Minutes after until; negative: before it. -525,600 to 525,600. Default: 0.'),
      timezone: waitZone
        .optional()
        .describe('Time zone of a date without a time: user, org or an IANA name. Default: UTC.'),
      window: window
        .optional()
        .describe('Hours of the day to wait for. Exactly one of minutes, until, window and event.'),
      event: awaitedEvent
        .optional()
        .describe('Event of the user to wait for. Exactly one of minutes, until, window and event.'),
    })
    .refine(
      (config) => KINDS.filter((kind) => config[kind] !== undefined).length === 1,
      `needs exactly one of ${KINDS.join(', ')}`,
    )
    .superRefine((config, context) => {
      for (const key of ['offsetMinutes', 'timezone'] as const)
        if (config[key] !== undefined && config.until === undefined)
          context.addIssue({ code: 'custom', path: [key], message: 'is allowed only with until' });
    })
    .register(jsonKeywords, {
      ...oneRequired(...KINDS),
      dependentRequired: { offsetMinutes: ['until'], timezone: ['until'] },
    }),
  awaits: ({ event }) => event?.eventType,
  run: (config, context) => {
    const { until: template, offsetMinutes: offset, timezone } = config;
    if (template !== undefined) return waitUntil({ until: template, offsetMinutes: offset, timezone }, context);
    if (config.window !== undefined) return waitForWindow(config.window, context);
    if (config.event !== undefined) return waitForEvent(config.event);
    return waitMinutes(config.minutes ?? 0);
  },
});
