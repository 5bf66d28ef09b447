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

/** The steps without arms that a run comes to, by looking at the tree alone. */
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

describe('a walk along paths', () => {
  it('visits exactly the leaves of the arms that are taken, in order', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const { leaves } = walk(tree);
        const expected = leavesOf(tree);
        expect(leaves).toHaveLength(expected.length);
        expect(leaves.every((leaf, index) => leaf === expected[index])).toBe(true);
      }),
    );
  });

  it('comes to no path twice, and to all of them in the order of the definition', () => {
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
  ])('finds the step at %s', (path, text) => {
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
  ])('finds nothing at %j', (path) => {
    expect(stepAt(steps, path, armsOf)).toBe(null);
  });

  it('finds no arms in a step of a type that only a newer program runs', () => {
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
  ])('leads from %s to %s', (path, next) => {
    expect(pathAfter(steps, path, armsOf)).toBe(next);
  });
});

describe('pathInto', () => {
  it('leads to the first step of an arm, and behind the step where that arm is empty', () => {
    expect(pathInto(steps, '1', 'else', armsOf)).toBe('1.else.0');
    expect(pathInto(steps, '1', '1', armsOf)).toBe('2');
  });

  it('refuses an arm that is not there', () => {
    expect(() => pathInto(steps, '1', '2', armsOf)).toThrow('a step of type fork has no arm 2');
    expect(() => pathInto(steps, '0', 'else', armsOf)).toThrow(TypeError);
  });

  it('refuses an arm whose key would be read as two', () => {
    const dotted = () => [{ key: 'a.b', at: 'x', steps: [say('b')] }];
    expect(() => pathInto(steps, '0', 'a.b', dotted)).toThrow(TypeError);
  });
});
