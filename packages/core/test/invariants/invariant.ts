/** A rule of the product, and a change of the code that breaks it: the tests must fail. */
export type Invariant = {
  /** The rule, as a sentence. */
  readonly says: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files that must fail, relative to the root of the repository. */
  readonly tests: readonly string[];
};
