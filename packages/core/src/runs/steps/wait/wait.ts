import { z } from 'zod';
import { common, notYet } from '../fields.ts';
import { defineStep } from '../step.ts';
import { minutes, waitMinutes } from './minutes.ts';

/** What a wait may wait for: each in a file of its own, which brings its schema and its plan. */
const KINDS = ['minutes', 'until', 'window', 'event'] as const;

/** Waits for one thing: a number of minutes. */
export const wait = defineStep({
  type: 'wait',
  config: z
    .strictObject({
      ...common,
      minutes: minutes.optional(),
      until: notYet('This version cannot wait until a date.'),
      window: notYet('This version cannot wait for a window.'),
      event: notYet('This version cannot wait for an event.'),
    })
    .refine(
      (config) => KINDS.filter((kind) => config[kind] !== undefined).length === 1,
      `needs exactly one of ${KINDS.join(', ')}`,
    ),
  run: (config) => waitMinutes(config.minutes ?? 0),
});
