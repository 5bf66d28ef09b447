import fc from 'fast-check';
import type { Bundle, Workflow } from '../../../src/automation/workflows/schema.ts';
import { optional, randomSteps, text } from './random-workflow.ts';

/** A minimal definition with the given changes. */
export const workflowOf = (over: Partial<Workflow> = {}): Workflow => ({
  name: 'Welcome',
  description: null,
  trigger: { eventType: 'user.signed_up' },
  steps: [],
  isActive: true,
  ...over,
});

/** A bundle with these definitions. */
export const bundleWith = (workflows: readonly unknown[]) => ({
  version: 1 as const,
  exportedAt: '2026-11-20T10:00:00.000Z',
  // Safe: invalid ones are meant to be rejected.
  workflows: workflows as readonly Workflow[],
});

const workflow: fc.Arbitrary<Workflow> = fc.record({
  isActive: fc.boolean(),
  steps: randomSteps,
  trigger: fc
    .tuple(
      optional({ audienceId: fc.uuid(), filters: fc.dictionary(text(0, 20), text(0, 20), { noNullPrototype: true }) }),
      text(1, 40),
    )
    .map(([rest, eventType]) => ({ ...rest, eventType })),
  description: fc.option(text(0, 50), { nil: null }),
  name: text(1, 40),
});

/** Bundles that a project can store unchanged, with keys in any order. */
export const bundles: fc.Arbitrary<Bundle> = fc
  .uniqueArray(workflow, { selector: ({ name }) => name, maxLength: 3 })
  .map((workflows) => ({ workflows, exportedAt: '2026-11-20T10:00:00.000Z', version: 1 }));
