import { z } from 'zod';
import { FIGURE_INTERVALS } from '../../automation/runs/figures/api.ts';
import { instantOf, MAX_NAME } from '../../people/events/schema.ts';

/** Maximum and minimum steps of a funnel. Chosen. */
const MAX_STEPS = 10;
const MIN_STEPS = 2;
/** Default and maximum window of a funnel, in hours. Chosen: a week, and the longest retention. */
const WINDOW_HOURS = 168;
const MAX_WINDOW_HOURS = 9_600;

const time = z
  .string()
  .refine((text) => !Number.isNaN(instantOf(text)), 'must be an ISO 8601 date or date-time')
  .transform((text) => new Date(instantOf(text)))
  .optional();

const eventType = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .refine((text) => !text.includes('\0'), 'must not contain the character U+0000');

/** Body of `POST /analytics/funnel`. */
export const funnelBody = z.strictObject({
  steps: z.array(eventType).min(MIN_STEPS).max(MAX_STEPS).describe('Event names in the order of the funnel. 2 to 10.'),
  windowHours: z
    .number()
    .positive()
    .max(MAX_WINDOW_HOURS)
    .default(WINDOW_HOURS)
    .describe('Hours from the first step in which a user must finish. At most 9,600. Default: 168.'),
  from: time.describe('Start of the range. ISO 8601. Default: 30 days before its end.'),
  to: time.describe('End of the range. ISO 8601. Default: now.'),
  interval: z.enum(FIGURE_INTERVALS).optional().describe('Length of one interval of the result. Default: day.'),
  timezone: z.string().min(1).optional().describe('IANA time zone in which days begin. Default: UTC.'),
});
export type FunnelBody = z.output<typeof funnelBody>;
