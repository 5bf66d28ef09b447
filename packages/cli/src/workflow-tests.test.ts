import { describe, expect, it } from 'vitest';
import { bundleFileOf, casesOf, differences } from './workflow-tests.ts';

describe('differences', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: { b: null } }, { a: {} }],
    [[{ a: 1 }], [{ a: 1, b: 2 }]],
    [{}, { a: 1 }],
  ])('%j and %j have no differences', (expected, actual) => {
    expect(differences(expected, actual)).toEqual([]);
  });

  it.each([
    [{ a: { b: 1 } }, { a: { b: 2 } }, [{ path: 'a.b', expected: 1, actual: 2 }]],
    [{ a: 1 }, {}, [{ path: 'a', expected: 1, actual: undefined }]],
    [[1], [1, 2], [{ path: '1', expected: undefined, actual: 2 }]],
    [[1, 2], [1], [{ path: '1', expected: 2, actual: undefined }]],
    [{ a: [] }, { a: {} }, [{ path: 'a', expected: [], actual: {} }]],
    [{ a: '1' }, { a: 1 }, [{ path: 'a', expected: '1', actual: 1 }]],
    [{ toString: 1 }, {}, [{ path: 'toString', expected: 1, actual: undefined }]],
  ])('differences between %j and %j are reported by path', (expected, actual, found) => {
    expect(differences(expected, actual)).toEqual(found);
  });
});

describe('a file of tests', () => {
  const workflow = { name: 'W' };
  const bundle = { workflows: [workflow, { name: 'V' }] };

  it('a test uses the bundle beside it, or the one that it names', () => {
    expect(bundleFileOf('flows/welcome.test.json', {})).toBe('flows/welcome.json');
    expect(bundleFileOf('flows/welcome.test.json', { bundle: '../all.json' })).toBe('all.json');
  });

  it('a test file has one case, or several with shared fields', () => {
    const user = { userId: 'ada' };
    const one = { workflow: 'W', user, event: {}, expect: { verdict: 'started' } };
    const now = '2026-01-01T00:00:00.000Z';
    expect(casesOf('x.test.json', one, bundle)).toEqual([
      { name: 'case 1', workflow, input: { user, event: {}, now }, expected: { verdict: 'started' } },
    ]);
    const cases = [
      { name: 'a', expect: {} },
      { name: 'b', event: { properties: { a: 1 } }, now: 'later', expect: {} },
    ];
    expect(casesOf('x.test.json', { ...one, cases }, bundle).map(({ name, input }) => [name, input])).toEqual([
      ['a', { user, event: {}, now }],
      ['b', { user, event: { properties: { a: 1 } }, now: 'later' }],
    ]);
  });

  it('a file with one workflow works as a bundle and needs no name', () => {
    expect(casesOf('x.test.json', { expect: {} }, workflow)[0]?.workflow).toBe(workflow);
  });

  it.each([
    [[], 'the test must be an object'],
    [{ workflow: 'W' }, 'expect must be an object'],
    [{ workflow: 'X', expect: {} }, 'no workflow "X"'],
    [{ expect: {} }, 'workflow is missing'],
    [{ cases: {} }, 'cases must be an array'],
    [{ workflow: 'W', cases: [], expect: {} }, 'cases must be an array with at least one case'],
    [{ cases: [1] }, 'cases.0 must be an object'],
    [{ workflow: 'W', cases: [{}] }, 'cases.0.expect must be an object'],
  ])('an invalid test is rejected with its file name: %j', (test, message) => {
    expect(() => casesOf('x.test.json', test, bundle)).toThrow(`x.test.json: `);
    expect(() => casesOf('x.test.json', test, bundle)).toThrow(message);
  });
});
