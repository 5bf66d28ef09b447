import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forkTypes } from '../../../test/support/runs/steps/fork.ts';
import { comparePaths, FIRST_PATH, pathAfter, pathInto, type StoredStep, stepAt } from './cursor.ts';

const { armsOf } = forkTypes;
const say = (text: string): StoredStep => ({ type: 'say', config: { text } });
const fork = (take: string, ways: readonly (readonly StoredStep[])[], rest?: readonly StoredStep[]): StoredStep => ({
  type: 'fork',
  config: {
    take,
    ways: ways.map((steps, index) => ({ name: `way ${index}. x`, steps })),
    ...(rest ? { else: { steps: rest } } : {}),
  },
});
const armTaken = (step: StoredStep) => armsOf(step).find(({ key }) => key === step.config['take']);

const { steps: trees } = fc.letrec<{ step: StoredStep; steps: StoredStep[] }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 4 }),
  step: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant(say('x')),
    fc
      .tuple(fc.array(tie('steps'), { minLength: 1, maxLength: 3 }), tie('steps'), fc.nat(3))
      .map(([ways, rest, chosen]) => fork(chosen < ways.length ? String(chosen) : 'else', ways, rest)),
  ),
}));

/** Steps without arms that a run visits, computed from the tree only. */
const leavesOf = (steps: readonly StoredStep[]): StoredStep[] =>
  steps.flatMap((step) => (step.type === 'fork' ? leavesOf(armTaken(step)?.steps ?? []) : [step]));

const walk = (steps: readonly StoredStep[]) => {
  const paths: string[] = [];
  const leaves: (StoredStep | null)[] = [];
  let path = steps.length > 0 ? FIRST_PATH : null;
  while (path !== null) {
    paths.push(path);
    const step = stepAt(steps, path, armsOf);
    const arm = step && armTaken(step);
    if (!arm) leaves.push(step);
    path = arm ? pathInto(steps, path, arm.key, armsOf) : pathAfter(steps, path, armsOf);
  }
  return { paths, leaves };
};

const steps = [
  say('a'),
  fork('else', [[say('b'), say('c')], []], [fork('0', [[say('d')]]), say('e')]),
  ...Array.from({ length: 9 }, (_, at) => say(`f${at}`)),
];

describe('walking along paths', () => {
  it('a walk visits exactly the leaves of the chosen arms in order', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const { leaves } = walk(tree);
        const expected = leavesOf(tree);
        expect(leaves).toHaveLength(expected.length);
        expect(leaves.every((leaf, index) => leaf === expected[index])).toBe(true);
      }),
    );
  });

  it('a walk visits no path twice and follows the order of the definition', () => {
    fc.assert(
      fc.property(trees, fc.infiniteStream(fc.double()), (tree, random) => {
        const { paths } = walk(tree);
        const ranks = new Map(paths.map((path) => [path, random.next().value]));
        const shuffled = paths.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
        expect(new Set(paths).size).toBe(paths.length);
        expect(shuffled.sort(comparePaths)).toEqual(paths);
      }),
    );
  });
});

describe('stepAt', () => {
  it.each([
    ['0', 'a'],
    ['1.0.1', 'c'],
    ['1.else.0.0.0', 'd'],
    ['1.else.1', 'e'],
    ['10', 'f8'],
  ])('stepAt finds the step at %s', (path, text) => {
    expect(stepAt(steps, path, armsOf)?.config).toEqual({ text });
  });

  it.each([
    '',
    '11',
    '-1',
    '1e0',
    'x',
    '0.0.0',
    '1.0',
    '1.0.2',
    '1.1.0',
    '1.way 0. x.0',
    '1.else',
    '1.else.',
    'else.0',
  ])('stepAt returns null at %j', (path) => {
    expect(stepAt(steps, path, armsOf)).toBe(null);
  });

  it('stepAt finds no arms in a step type of a newer program', () => {
    expect(stepAt([{ ...fork('0', [[say('b')]]), type: 'dance' }], '0.0.0', armsOf)).toBe(null);
  });
});

describe('pathAfter', () => {
  it.each([
    ['0', '1'],
    ['1.0.0', '1.0.1'],
    ['1.0.1', '2'],
    ['1.else.0', '1.else.1'],
    ['1.else.0.0.0', '1.else.1'],
    ['1.else.1', '2'],
    ['9', '10'],
    ['10', null],
  ])('pathAfter of %s is %s', (path, next) => {
    expect(pathAfter(steps, path, armsOf)).toBe(next);
  });
});

describe('pathInto', () => {
  it('pathInto returns the first step of an arm, or the step after an empty arm', () => {
    expect(pathInto(steps, '1', 'else', armsOf)).toBe('1.else.0');
    expect(pathInto(steps, '1', '1', armsOf)).toBe('2');
  });

  it('pathInto throws for an unknown arm', () => {
    expect(() => pathInto(steps, '1', '2', armsOf)).toThrow('a step of type fork has no arm 2');
    expect(() => pathInto(steps, '0', 'else', armsOf)).toThrow(TypeError);
  });

  it('pathInto throws for an arm key with a dot', () => {
    const dotted = () => [{ key: 'a.b', at: 'x', steps: [say('b')] }];
    expect(() => pathInto(steps, '0', 'a.b', dotted)).toThrow(TypeError);
  });
});
