/** Changes after which a word no longer looks like a slip of the finger. Ours. */
const MAX_DISTANCE = 3;

// Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other.
const distance = (from: string, to: string): number => {
  let older: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (next[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
        isSwap ? (older[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    older = last;
    last = next;
  }
  return last[to.length] ?? 0;
};

/** The known word that looks most like a wrong one; undefined when none is near. Case is ignored. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  let best: string | undefined;
  let least = Math.min(MAX_DISTANCE, Math.floor(word.length / 2)) + 1;
  for (const one of known) {
    const far = distance(word.toLowerCase(), one.toLowerCase());
    if (far < least) [best, least] = [one, far];
  }
  return best;
};

/** ` (did you mean X?)`, or nothing where no known word is near. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
};
