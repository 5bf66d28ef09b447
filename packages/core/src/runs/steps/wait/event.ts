import { z } from 'zod';
import { propertyFilters } from '../../../events/property-filters.ts';
import { eventName, MAX_DELAY_MINUTES } from '../fields.ts';
import type { StepPlan } from '../step.ts';

const MINUTE_MS = 60_000;

/** An event of the run's person, for so long at most. */
export const awaitedEvent = z.strictObject({
  eventType: eventName,
  filters: propertyFilters.optional(),
  timeoutMinutes: z.int().min(1).max(MAX_DELAY_MINUTES),
  onTimeout: z.enum(['continue', 'exit']),
});

/**
 * Waits until an event comes that fits, and saves its properties as `event`; where none does in time it ends as
 * `timed_out`, and the run with it if `onTimeout` says so. What came before it began to wait does not count.
 */
export const waitForEvent =
  ({ eventType, filters, timeoutMinutes, onTimeout }: z.output<typeof awaitedEvent>): StepPlan =>
  ({ now, run }) => {
    if (run.wokenBy) return { outcome: 'ok', output: { event: run.wokenBy['properties'] } };
    if (run.waitingSince === null)
      return { waitUntil: new Date(now.getTime() + timeoutMinutes * MINUTE_MS), awaits: { eventType, filters } };
    return { outcome: 'timed_out', ...(onTimeout === 'exit' ? { goesTo: { exit: 'wait_timed_out' } } : {}) };
  };
