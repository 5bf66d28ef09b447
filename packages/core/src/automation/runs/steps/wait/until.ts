import { z } from 'zod';
import { LAST_MOMENT_MS } from '../../../../foundation/moments.ts';
import { dayStart } from '../../../../foundation/zone-days.ts';
import { compileTemplate } from '../../../../messaging/templates/compile.ts';
import { RenderError } from '../../../../messaging/templates/render.ts';
import { dateOf, isPlainDay } from '../../../../people/audiences/predicate/values.ts';
import { MAX_ADDRESS_TEMPLATE, MAX_DELAY_MINUTES, storableText } from '../fields.ts';
import { stepScopes } from '../scopes.ts';
import type { PlanContext, RunContext, StepPlan } from '../step.ts';
import { templateValue } from '../trait-edits.ts';
import { clockOf, orgZoneFor } from './zone.ts';

const MINUTE_MS = 60_000;

type UntilConfig = {
  readonly until: string;
  readonly offsetMinutes?: number | undefined;
  readonly timezone?: string | undefined;
};

/** Trims a text, because a template may leave white space around a date. */
const cleaned = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/** A template of a date; without variables it must be a date. */
export const until = storableText(MAX_ADDRESS_TEMPLATE).refine(
  (text) => compileTemplate(text).placeholders.length > 0 || dateOf(cleaned(text)) !== null,
  'must be an ISO 8601 date or a unix time, or a template that gives one',
);

/** Minutes after the date; negative: before. Chosen: at most a year, as for a delay. */
export const offsetMinutes = z.int().min(-MAX_DELAY_MINUTES).max(MAX_DELAY_MINUTES);

/** Value of the template; a number stays a number. Undefined if there is no value or it is too large. */
const filledDate = (template: string, context: PlanContext): unknown => {
  try {
    return cleaned(templateValue(stepScopes(context))(template));
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
};

/**
 * Waits until a date, which is read once when the step starts. A past date is not waited for. A value that is not a
 * date is an error, and `onError` decides whether the run continues. A plain date begins at midnight of `timezone`, or
 * of UTC if the zone is unknown. Dates beyond the last time that databases store are limited to it.
 */
export const waitUntil = async (
  { until: template, offsetMinutes: offset = 0, timezone = 'UTC' }: UntilConfig,
  runContext: Pick<RunContext, 'orgTimezone'>,
): Promise<StepPlan> => {
  const org = await orgZoneFor(timezone, runContext);
  return (context) => {
    if (context.run.waitingSince !== null) return { outcome: 'ok' };
    const value = filledDate(template, context);
    const at = dateOf(value);
    if (at === null) return { outcome: 'error', reason: 'invalid_date' };
    const clock = isPlainDay(value) ? clockOf(timezone, org, context) : null;
    const date = clock === null ? at : dayStart(clock, at);
    const due = new Date(Math.min(date + offset * MINUTE_MS, LAST_MOMENT_MS));
    return due > context.now ? { waitUntil: due } : { outcome: 'ok' };
  };
};
