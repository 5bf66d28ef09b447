import { describe, expect, it } from 'vitest';
import type { TestCoverage } from './mutant-coverage.ts';
import { inModules, nearestTests, percentOf, projectOf, scoreLines, shuffled, type Verdict } from './mutant-score.ts';

const verdict = (fate: Verdict['fate'], says = 'packages/core/src/messaging/caps/a.ts:1 x'): Verdict => ({
  says,
  fate,
});
const test = (name: string, ms: number, ...functions: string[]): TestCoverage => ({ test: name, ms, functions });

describe('inModules', () => {
  const files = [
    'packages/core/src/messaging/caps/a.ts',
    'packages/core/src/messaging/caps-of-plans/a.ts',
    'packages/http/src/a.ts',
  ];

  it.each([
    ['a module of core', 'caps', 0],
    ['a group and its module', 'messaging/caps', 0],
    ['a package', 'http', 2],
    ['a path', 'packages/core/src/messaging/caps/a.ts', 0],
  ])('a module name %s selects its files', (_, name, at) => {
    expect(inModules(files, [name])).toEqual([files[at]]);
  });

  it('no name selects all files, and an unknown name is rejected', () => {
    expect(inModules(files, [])).toEqual(files);
    expect(() => inModules(files, ['cap'])).toThrow('no file of production is in cap');
  });
});

describe('nearestTests', () => {
  const path = 'packages/core/src/caps/rules.ts';
  const near = test('packages/core/src/caps/rules.test.ts', 900, `${path}#1`);
  const quick = test('packages/core/src/caps/caps.test.ts', 20, `${path}#1`);
  const far = test('packages/core/src/push/push.db.test.ts', 10, `${path}#1`);
  const other = test('packages/core/src/caps/other.test.ts', 1, `${path}#11`);

  it('the nearest tests are those that execute the function, by folder and then by time', () => {
    expect(nearestTests([far, near, other, quick], path, 1).near).toEqual([quick, near, far]);
  });

  it('for a place outside functions, the nearest tests are all that execute the file', () => {
    expect(nearestTests([far, other], path, null).near).toEqual([other, far]);
  });

  it('the nearest tests are a few at first and then more, at least one', () => {
    const slow = Array.from({ length: 40 }, (_, at) =>
      test(`packages/core/src/caps/${at}.test.ts`, 4_000, `${path}#1`),
    );
    const { near: first, far: then } = nearestTests(slow, path, 1);
    expect([first.length, then.length]).toEqual([1, 5]);
    expect(first.concat(then)).toEqual(slow.slice(0, 6));
    expect(nearestTests([test('a.test.ts', 60_000, `${path}#1`)], path, 1).near).toHaveLength(1);
  });
});

describe('mutation score', () => {
  it('the score is rounded down, and places that no test executes count as not noticed', () => {
    const killed = Array.from({ length: 169 }, () => verdict('killed'));
    const verdicts = [...killed, ...Array.from({ length: 30 }, () => verdict('not executed')), verdict('survived')];
    expect(percentOf(verdicts)).toBe(84);
    expect(percentOf([])).toBe(100);
  });

  it('the score is printed per module and in total, with the mutants that were not noticed', () => {
    const verdicts = [verdict('killed'), verdict('survived'), verdict('killed', 'packages/http/src/a.ts:2 y')];
    expect(scoreLines(verdicts, 85)).toEqual([
      'core/messaging/caps: 1 of 2 killed, 50 %',
      'http: 1 of 1 killed, 100 %',
      '  survived: packages/core/src/messaging/caps/a.ts:1 x',
      'all: 2 of 3 killed, 66 % (goal 85 %)',
    ]);
  });
});

describe('shuffled list', () => {
  it('a shuffled list has all items, in an order that depends on the seed only', () => {
    const items = Array.from({ length: 100 }, (_, at) => at);
    expect(shuffled(items, 7)).toEqual(shuffled(items, 7));
    expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8));
    expect(shuffled(items, 7).toSorted((a, b) => a - b)).toEqual(items);
  });
});

describe('projectOf', () => {
  it.each([
    ['a.test.ts', 'unit'],
    ['a.db.test.ts', 'contract-sqlite'],
    ['a.postgres.test.ts', 'contract-postgres'],
  ])('%s runs in project %s', (name, project) => {
    expect(projectOf(name)).toBe(project);
  });
});
