import { closestMatch } from 'leven';

/** Maximum edit distance of a suggestion. Chosen: typing errors. */
const MAX_DISTANCE = 3;

/** The most similar known word, ignoring case; undefined if none is similar. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const words = new Map(known.map((one) => [one.toLowerCase(), one]));
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(word.length / 2));
  return words.get(closestMatch(word.toLowerCase(), [...words.keys()], { maxDistance }) ?? '');
};

/** ` (did you mean X?)`, or an empty string if no known word is similar. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
};
