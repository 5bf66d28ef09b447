import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import { mutated } from './mutant-score.ts';

/** Where a run finds its mutant, as JSON of `AppliedMutant`. */
export const MUTANT_VARIABLE = 'BECKON_MUTANT';

export type AppliedMutant = {
  /** From the root of the repository. */
  readonly path: string;
  readonly find: string;
  readonly replace: string;
};

/** Replaces the mutant's text as its file is loaded, so that the file itself is not touched. */
export const mutantPlugin = (json: string | undefined): Plugin[] => {
  if (json === undefined) return [];
  // Safe: only scripts/mutants.ts sets the variable, from a value of this type.
  const { path, ...mutant } = JSON.parse(json) as AppliedMutant;
  const file = resolve(path);
  const isIts = (id: string): boolean => id.split('?')[0] === file;
  return [
    {
      name: 'mutant',
      enforce: 'pre',
      // Vitest keeps what a file was transformed to on disk, under a key that knows plugins by their names alone.
      configureVitest: ({ defineCacheKeyGenerator }) =>
        defineCacheKeyGenerator(({ id }) => (isIts(id) ? false : undefined)),
      transform: (code, id) => (isIts(id) ? { code: mutated(code, mutant), map: null } : undefined),
    },
  ];
};
