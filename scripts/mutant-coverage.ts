// Set-up of test files while scripts/mutants.ts records which tests run which functions.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { COVERAGE_VARIABLE } from './mutant-plugin.ts';

/** One line of the coverage file. */
export type TestCoverage = {
  /** Test file, relative to the root of the repository. */
  readonly test: string;
  readonly ms: number;
  /** `PATH#INDEX` of each function that ran. */
  readonly functions: readonly string[];
};

const file = process.env[COVERAGE_VARIABLE];
if (file !== undefined) {
  const functions = new Set<string>();
  const start = performance.now();
  Object.assign(globalThis, { beckonCovers: (id: string) => functions.add(id) });
  afterAll(() => {
    const path = expect.getState().testPath ?? '';
    const line: TestCoverage = {
      test: path.slice(process.cwd().length + 1).replaceAll('\\', '/'),
      ms: Math.ceil(performance.now() - start),
      functions: [...functions],
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  });
}
