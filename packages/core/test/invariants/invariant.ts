/** A rule of the product, and a change of the code that breaks it: the tests have to notice. */
export type Invariant = {
  /** The rule, as a sentence. */
  readonly says: string;
  /** From the root of the repository. */
  readonly path: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files that notice, from the root of the repository. */
  readonly tests: readonly string[];
};
