/** Mutants that change nothing anybody could notice. scripts/mutants.ts leaves them out. */
export type EquivalentMutant = {
  readonly path: string;
  /** The line that it changes, without the white space around it. */
  readonly line: string;
  /** That line with the mutant in it, without the white space around it. */
  readonly becomes: string;
  readonly reason: string;
};

export const EQUIVALENT: readonly EquivalentMutant[] = [];
