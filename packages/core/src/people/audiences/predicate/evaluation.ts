import { fold } from './values.ts';

/**
 * Work counter and cache of evaluating one profile or event at one time. Shared by all leaves and audiences evaluated
 * together, so that a text is folded once however many leaves test it.
 */
export type Evaluation = {
  /** Work done so far, in units of `work-slices.ts`: about 0.1 microseconds of CPU each. */
  units: number;
  /** As `fold`, cached. Throws nothing. */
  fold(text: string): string;
};

/** Characters that cost one unit to fold, to search or to match. Measured: up to 7 ns each. */
export const CHARACTERS_PER_UNIT = 16;
/** List elements that cost one unit to compare. Measured: 15 to 20 ns each. */
export const ELEMENTS_PER_UNIT = 6;
/** Texts up to this length are folded again: a cache lookup costs as much. Chosen. */
const SHORT = 48;

/** Starts an evaluation. Throws nothing. */
export const newEvaluation = (): Evaluation => {
  let folded: Map<string, string> | undefined;
  const evaluation: Evaluation = {
    units: 0,
    fold: (text) => {
      if (text.length <= SHORT) return fold(text);
      folded ??= new Map();
      const known = folded.get(text);
      if (known !== undefined) return known;
      evaluation.units += text.length / CHARACTERS_PER_UNIT;
      const made = fold(text);
      folded.set(text, made);
      return made;
    },
  };
  return evaluation;
};
