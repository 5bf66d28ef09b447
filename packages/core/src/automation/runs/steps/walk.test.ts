import { describe, expect, it } from 'vitest';
import { forkTypes } from '../../../../test/support/runs/steps/fork.ts';
import type { StoredStep } from '../cursor.ts';
import { walkSteps } from './walk.ts';

const { armsOf } = forkTypes;
const say = (saveAs?: string): StoredStep => ({ type: 'say', config: { text: 'x', ...(saveAs ? { saveAs } : {}) } });
const fork = (ways: readonly (readonly StoredStep[])[], rest: object, saveAs?: string): StoredStep => ({
  type: 'fork',
  config: {
    take: '',
    ...(saveAs ? { saveAs } : {}),
    ways: ways.map((steps) => ({ name: 'w', steps })),
    else: rest,
  },
});
const seen = (steps: readonly StoredStep[]) =>
  [...walkSteps(steps, 'steps', armsOf)].map(({ path, saved }) => [path, Object.fromEntries(saved)]);

describe('walkSteps', () => {
  it('each step lists the outputs that it may read', () => {
    const steps = [say('a'), fork([[say('b'), say()], [say()]], { steps: [say('c')] }, 'd'), say()];
    const [a, d, b] = ['steps.0', 'steps.1', 'steps.1.config.ways.0.steps.0'];
    const c = 'steps.1.config.else.steps.0';
    expect(seen(steps)).toEqual([
      [a, {}],
      [d, { a }],
      [b, { a, d }],
      ['steps.1.config.ways.0.steps.1', { a, d, b }],
      ['steps.1.config.ways.1.steps.0', { a, d }],
      [c, { a, d }],
      ['steps.2', { a, d, b, c }],
    ]);
  });

  it('outputs of an arm that ends the run are not visible afterwards', () => {
    const steps = [fork([[say('b')]], { steps: [say('c')], exit: true }), say()];
    expect(seen(steps).at(-1)).toEqual(['steps.1', { b: 'steps.0.config.ways.0.steps.0' }]);
  });
});
