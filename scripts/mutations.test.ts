import { globSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { functionsOf, mutated, mutationsOf, withCoverage } from './mutations.ts';

const changesOf = (text: string): string[] =>
  mutationsOf('a.ts', text).map((one) => `${one.kind}: ${mutated(text, one)}`);

describe('mutationsOf', () => {
  it.each([
    ['moves the edge of a comparison', 'x(a < b)', 'comparison: x(a <= b)'],
    ['turns an equality around', 'x(a === b)', 'comparison: x(a !== b)'],
    ['swaps and with or', 'x(a && b)', 'logic: x(a || b)'],
    ['drops a negation', 'x(!a)', 'logic: x(a)'],
    ['turns a condition around', 'if (a.b) c();', 'condition: if (!(a.b)) c();'],
    ['turns the condition of a choice around', 'x(a ? b : c)', 'condition: x(!(a) ? b : c)'],
    [
      'removes a guard',
      'for (const a of b) { if (a) continue; c(a); }',
      'guard removed: for (const a of b) { ; c(a); }',
    ],
    ['removes a call', 'a(); b();', 'statement removed: ; b();'],
    ['removes an assignment', 'a = b;', 'statement removed: ;'],
    ['adds one to a number', 'x(20)', 'constant: x(21)'],
    ['turns a constant around', 'x(true)', 'constant: x(false)'],
    ['subtracts in place of adding', 'x(a + 1)', 'off by one: x(a - 1)'],
    ['asks all in place of some', 'x(a.some(b))', 'call: x(a.every(b))'],
    ['leaves out a filter', 'x(a.filter(b))', 'call: x(a)'],
    [
      'returns early',
      'const f = () => { a(); };',
      'early return: const f = () => { return undefined as never;  a(); };',
    ],
  ])('%s', (_, text, changed) => {
    expect(changesOf(text)).toContain(changed);
  });

  it.each([
    ['types', 'type A = { readonly a: 1 | true }; const a = b as 1;'],
    ['imports', "import { a } from 'b'; export * from 'c';"],
    ['what an error says', 'throw new Error(String(1));'],
    ['what a log line says', "log.warn('late', { ms: 1 });"],
    ['descriptions', "const a = b.describe('1');"],
    ['the addition of texts', "const a = b + 'c' + d;"],
  ])('mutationsOf leaves out %s', (_, text) => {
    expect(changesOf(text)).toEqual([]);
  });

  it('mutationsOf returns the line and the innermost function of each change', () => {
    const text = 'const a = 1;\nconst f = () => {\n  return b.map((c) => c < 2);\n};\n';
    expect(mutationsOf('a.ts', text).map(({ kind, line, within }) => [kind, line, within])).toEqual([
      ['constant', 1, null],
      ['early return', 2, 0],
      ['comparison', 3, 1],
      ['constant', 3, 1],
    ]);
  });

  it('every file of this repository still parses after any mutation', () => {
    const files = globSync('packages/*/src/**/*.ts').toSorted();
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(), (file, at) => {
        const text = readFileSync(file, 'utf8');
        const all = mutationsOf(file, text);
        const one = all[at % all.length];
        if (one) transformSync(mutated(text, one), { loader: 'ts', logLevel: 'silent' });
      }),
      { numRuns: 300 },
    );
  });
});

describe('withCoverage', () => {
  it('withCoverage reports each function that runs and changes nothing else', () => {
    const text = [
      'const add = (a: number) => (b: number) => a + b;',
      'const object = (a: number) => ({ a });',
      'function both(a: number) { return [add(a)(1), object(a).a, [1, 2].map((b) => b * a)]; }',
      'both(3)',
    ].join('\n');
    const seen = new Set<string>();
    Object.assign(globalThis, { beckonCovers: (id: string) => seen.add(id) });
    const { code } = transformSync(withCoverage('a.ts', text), { loader: 'ts' });
    expect(runInThisContext(code)).toEqual([4, 3, [3, 6]]);
    expect([...seen].sort()).toEqual(functionsOf('a.ts', text).map((_, index) => `a.ts#${index}`));
  });

  it('every file of this repository still parses with coverage', () => {
    for (const file of globSync('packages/core/src/{caps,events,runs,storage}/**/*.ts'))
      transformSync(withCoverage(file, readFileSync(file, 'utf8')), { loader: 'ts', logLevel: 'silent' });
  });
});
