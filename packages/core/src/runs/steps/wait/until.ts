import { z } from 'zod';
import { dateOf } from '../../../audiences/predicate/values.ts';
import { LAST_MOMENT_MS } from '../../../primitives/moments.ts';
import { compileTemplate } from '../../../templates/compile.ts';
import { RenderError, render } from '../../../templates/render.ts';
import { MAX_ADDRESS_TEMPLATE, MAX_DELAY_MINUTES, storableText } from '../fields.ts';
import { stepScopes } from '../scopes.ts';
import type { PlanContext, StepPlan } from '../step.ts';

const MINUTE_MS = 60_000;

/** A date as predicates read them, without what a template may leave around it; null: it is none. */
const dateIn = (text: string): number | null => dateOf(text.trim());

/** A template that gives an ISO 8601 date; one without variables is read as it is written. */
export const until = storableText(MAX_ADDRESS_TEMPLATE).refine(
  (text) => compileTemplate(text).placeholders.length > 0 || dateIn(text) !== null,
  'must be an ISO 8601 date, or a template that gives one',
);

/** Minutes from that date, before it where they are negative; ours: a year at most, as for a delay. */
export const offsetMinutes = z.int().min(-MAX_DELAY_MINUTES).max(MAX_DELAY_MINUTES);

const renderedDate = (template: string, context: PlanContext): number | null => {
  try {
    return dateIn(render(compileTemplate(template), stepScopes(context), { escapeHtml: false }));
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
};

/**
 * Waits until a date, which is read once, as the step begins. One that has passed is not waited for; a text that is no
 * date is an error, and `onError` says whether the run goes on. What lies behind the last moment that a database stores
 * is that one.
 */
export const waitUntil =
  (template: string, offset: number): StepPlan =>
  (context) => {
    if (context.run.waitingSince !== null) return { outcome: 'ok' };
    const date = renderedDate(template, context);
    if (date === null) return { outcome: 'error', reason: 'invalid_date' };
    const due = new Date(Math.min(date + offset * MINUTE_MS, LAST_MOMENT_MS));
    return due > context.now ? { waitUntil: due } : { outcome: 'ok' };
  };
