import { z } from 'zod';
import { compileTemplate } from '../../../../messaging/templates/compile.ts';
import { RenderError, render } from '../../../../messaging/templates/render.ts';
import { propertyFilters } from '../../../../people/events/property-filters.ts';
import { eventName, MAX_DELAY_MINUTES } from '../fields.ts';
import { stepScopes } from '../scopes.ts';
import type { PlanContext, StepPlan } from '../step.ts';

const MINUTE_MS = 60_000;
/** Maximum bytes of a filled filter. Chosen: a property that correlates events is an id, and a run stores up to 100. */
const MAX_FILTER_BYTES = 1_024;

/** An event of the run's user, with a timeout. Values of `filters` are templates. */
export const awaitedEvent = z.strictObject({
  eventType: eventName.describe('Name of the event. 1 to 128 characters.'),
  filters: propertyFilters
    .optional()
    .describe(
      'Property values that the event must have. Values may contain {{variables}}. Default: any event with the name.',
    ),
  timeoutMinutes: z.int().min(1).max(MAX_DELAY_MINUTES).describe('Longest wait, in minutes. 1 to 525,600.'),
  onTimeout: z
    .enum(['continue', 'exit'])
    .describe('Whether the run goes on (continue) or ends (exit) without the event.'),
});

/** Filters with filled values; numbers as JSON text. Throws RenderError. */
const filledFilters = (filters: Readonly<Record<string, string>>, context: PlanContext): Record<string, string> => {
  const scopes = stepScopes(context);
  return Object.fromEntries(
    Object.entries(filters).map(([name, text]) => [
      name,
      text.includes('{{')
        ? render(compileTemplate(text), scopes, { escapeHtml: false, maxBytes: MAX_FILTER_BYTES })
        : text,
    ]),
  );
};

/**
 * Waits for a matching event and saves its properties as `event`. After the timeout the outcome is `timed_out`, and the
 * run ends if `onTimeout` is exit. Events before the wait do not count. Filters are filled when the wait starts and
 * stored with it, so later profile changes do not matter.
 */
export const waitForEvent =
  ({ eventType, filters, timeoutMinutes, onTimeout }: z.output<typeof awaitedEvent>): StepPlan =>
  (context) => {
    const { now, run } = context;
    if (run.wokenBy) return { outcome: 'ok', output: { event: run.wokenBy['properties'] } };
    if (run.waitingSince === null)
      try {
        const awaits = { eventType, filters: filters && filledFilters(filters, context) };
        return { waitUntil: new Date(now.getTime() + timeoutMinutes * MINUTE_MS), awaits };
      } catch (error) {
        if (error instanceof RenderError) return { outcome: 'error', reason: error.reason };
        throw error;
      }
    return { outcome: 'timed_out', ...(onTimeout === 'exit' ? { goesTo: { exit: 'wait_timed_out' } } : {}) };
  };
