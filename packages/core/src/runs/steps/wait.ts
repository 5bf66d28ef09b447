import { z } from 'zod';
import { common, commonNotYet, MAX_DELAY_MINUTES, notYet } from './fields.ts';
import { defineStep } from './step.ts';

const MINUTE_MS = 60_000;

const onlyMinutes = notYet('This version waits for a number of minutes only.');

/** A number of minutes. */
export const wait = defineStep({
  type: 'wait',
  config: z.strictObject({
    ...common,
    minutes: z.int().min(0).max(MAX_DELAY_MINUTES),
    until: onlyMinutes,
    window: onlyMinutes,
    event: onlyMinutes,
    ...commonNotYet,
  }),
  run:
    ({ minutes }, { run }) =>
    ({ now }) =>
      run.waitingSince === null ? { waitUntil: new Date(now.getTime() + minutes * MINUTE_MS) } : { outcome: 'ok' },
});
