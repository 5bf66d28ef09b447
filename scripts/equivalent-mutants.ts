/** Mutants without any noticeable effect. scripts/mutants.ts leaves them out. */
export type EquivalentMutant = {
  readonly path: string;
  /** The changed line, trimmed. */
  readonly line: string;
  /** The line with the mutant, trimmed. */
  readonly becomes: string;
  readonly reason: string;
};

export const EQUIVALENT: readonly EquivalentMutant[] = [];
