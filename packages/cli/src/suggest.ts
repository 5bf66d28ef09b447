import { closestMatch } from 'leven';

/** Changes after which a word no longer looks like a slip of the finger. Ours. */
const MAX_DISTANCE = 3;

/** The known word that looks most like a wrong one; undefined when none is near. Case is ignored. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const words = new Map(known.map((one) => [one.toLowerCase(), one]));
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(word.length / 2));
  return words.get(closestMatch(word.toLowerCase(), [...words.keys()], { maxDistance }) ?? '');
};

/** ` (did you mean X?)`, or nothing where no known word is near. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
};
