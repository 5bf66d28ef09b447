import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STEP_TYPES } from '../../../src/automation/runs/steps/catalog.ts';
import { stepTypes } from '../../../src/automation/runs/steps/list.ts';
import { walkSteps } from '../../../src/automation/runs/steps/walk.ts';
import { randomSteps } from './random-workflow.ts';

describe('random workflows', () => {
  it('random workflows have steps of every type, all forms of waits and branches, and unique saved names', () => {
    const seen = new Set<string>();
    for (const steps of fc.sample(randomSteps, { numRuns: 400, seed: 1 }))
      for (const { step, path } of walkSteps(steps, '', stepTypes.armsOf)) {
        seen.add(step.type);
        if (path.includes('config')) seen.add('within');
        for (const key of Object.keys(step.config)) seen.add(key);
      }
    const runnable = STEP_TYPES.filter((type) => stepTypes.find(type));
    const keys = ['minutes', 'until', 'window', 'event', 'branches', 'split', 'else', 'when', 'saveAs', 'within'];
    expect([...runnable, ...keys].filter((one) => !seen.has(one))).toEqual([]);
  });
});
