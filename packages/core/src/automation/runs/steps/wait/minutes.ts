import { z } from 'zod';
import { MAX_DELAY_MINUTES } from '../fields.ts';
import type { StepPlan } from '../step.ts';

const MINUTE_MS = 60_000;

/** Elapsed minutes: a change of clocks makes them neither more nor fewer. Source: semantics, Delayed steps. */
export const minutes = z.int().min(0).max(MAX_DELAY_MINUTES);

/** Waits so long from when the step begins. */
export const waitMinutes =
  (count: z.output<typeof minutes>): StepPlan =>
  ({ now, run }) =>
    run.waitingSince === null ? { waitUntil: new Date(now.getTime() + count * MINUTE_MS) } : { outcome: 'ok' };
