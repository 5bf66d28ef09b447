import { z } from 'zod';
import type { ExitReason } from '../../../../src/automation/runs/schema.ts';
import { catalogOf } from '../../../../src/automation/runs/steps/catalog.ts';
import { common } from '../../../../src/automation/runs/steps/fields.ts';
import { defineStep } from '../../../../src/automation/runs/steps/step.ts';

// Safe: a reason that no step of this version uses.
const LEFT = 'left' as ExitReason;
const exitOf = (isExit: boolean | undefined) => (isExit ? { exit: LEFT } : {});

/** A step with arms: enters the arm of the given name, else the last one; `out` ends the run. */
export const fork = defineStep({
  type: 'fork',
  config: (steps) =>
    z.strictObject({
      ...common,
      take: z.string(),
      ways: z.array(z.strictObject({ name: z.string(), steps, exit: z.boolean().optional() })),
      else: z.strictObject({ steps, exit: z.boolean().optional() }).optional(),
    }),
  arms: ({ ways, else: rest }) => [
    ...ways.map(({ steps, exit }, index) => ({
      key: String(index),
      at: `ways.${index}.steps`,
      steps,
      ...exitOf(exit),
    })),
    ...(rest ? [{ key: 'else', at: 'else.steps', steps: rest.steps, ...exitOf(rest.exit) }] : []),
  ],
  run:
    ({ take, ways }) =>
    () => {
      if (take === 'out') return { outcome: 'ok', goesTo: { exit: LEFT } };
      const index = ways.findIndex(({ name }) => name === take);
      return { outcome: 'ok', goesTo: { arm: index === -1 ? 'else' : String(index) } };
    },
});

/** A step that does nothing and has an output. */
export const say = defineStep({
  type: 'say',
  config: z.strictObject({ ...common, text: z.string() }),
  renders: [{ fields: ['text'] }],
  run: () => () => ({ outcome: 'ok' }),
});

export const forkTypes = catalogOf([fork, say]);
