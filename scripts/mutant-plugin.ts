import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { mutated, withCoverage } from './mutations.ts';

/** Variable with the mutant of a run, as JSON of `AppliedMutant`. */
export const MUTANT_VARIABLE = 'BECKON_MUTANT';
/** Variable with the file to which each test file adds a line of `TestCoverage`; absent: nothing is recorded. */
export const COVERAGE_VARIABLE = 'BECKON_MUTANT_COVERAGE';

export type AppliedMutant = {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
};

/** True for sources of the packages, without tests, test support and generated files. */
export const isProductionFile = (path: string): boolean =>
  /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|\/(?:testing|generated)\/|\.d\.ts$/.test(path);

/**
 * Changes files when they are loaded, without touching the files themselves: one mutant, or calls that record coverage.
 */
export const mutantPlugin = (env: NodeJS.ProcessEnv): Plugin[] => {
  const { [MUTANT_VARIABLE]: json, [COVERAGE_VARIABLE]: coverage } = env;
  if (json === undefined && coverage === undefined) return [];
  // Safe: only scripts/mutants.ts sets the variable, from a value of this type.
  const mutant = json === undefined ? null : (JSON.parse(json) as AppliedMutant);
  const pathOf = (id: string): string => relative(resolve('.'), id.split('?')[0] ?? '').replaceAll(sep, '/');
  const changes = (path: string): boolean => (mutant ? path === mutant.path : isProductionFile(path));
  return [
    {
      name: 'mutant',
      enforce: 'pre',
      // Vitest caches transformed files on disk, with a key that contains plugins by name only.
      configureVitest: ({ defineCacheKeyGenerator }) =>
        defineCacheKeyGenerator(({ id }) => (changes(pathOf(id)) ? (mutant ? false : 'coverage') : undefined)),
      // From the file, because the mutant has positions in it; this plugin is the first.
      transform: (_, id) => {
        const path = pathOf(id);
        if (!changes(path)) return undefined;
        const text = readFileSync(path, 'utf8');
        return { code: mutant ? mutated(text, mutant) : withCoverage(path, text), map: null };
      },
    },
  ];
};
