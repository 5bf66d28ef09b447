import { z } from 'zod';
import { FIGURE_INTERVALS } from '../../automation/runs/figures/api.ts';
import { instantOf, MAX_NAME } from '../../people/events/schema.ts';

/** Steps of a funnel; ours. */
const MAX_STEPS = 10;
const MIN_STEPS = 2;
/** Hours of a funnel where nothing is said, and at most; ours: a week, and as long as anything is kept. */
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
  .refine((text) => !text.includes('\0'), 'must not hold U+0000');

/** Body of `POST /analytics/funnel`. */
export const funnelBody = z.strictObject({
  steps: z.array(eventType).min(MIN_STEPS).max(MAX_STEPS),
  windowHours: z.number().positive().max(MAX_WINDOW_HOURS).default(WINDOW_HOURS),
  from: time,
  to: time,
  interval: z.enum(FIGURE_INTERVALS).optional(),
  timezone: z.string().min(1).optional(),
});
export type FunnelBody = z.output<typeof funnelBody>;
