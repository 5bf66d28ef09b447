/**
 * One rule of a room, taken out of the code: what `npm run campaign -- mutants` puts in its place, to see whether a test fails.
 * A list of them stands beside the tests, as `mutants` in the room's `mutants.ts`.
 */
export type Mutant = {
  /** The rule, in words: what stops being true. Unique within the list. */
  readonly says: string;
  /** The file that holds it, from the room's folder. */
  readonly file: string;
  /** Text that occurs in it exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Folders or files of the nearest tests, from the root of the repository, where they are not the room's own. */
  readonly tests?: readonly string[];
};
