// Substring search in linear time. JavaScript's `includes` is fast except for self-repeating patterns, where it takes
// time proportional to text times pattern: measured 4 ms for 15,000 letters and a pattern of 1,024. Tenants choose the
// pattern and any client the text, so long texts are searched for such patterns by the Knuth-Morris-Pratt algorithm,
// which reads each letter at most twice.

/** Texts up to this length use `includes`. Chosen: at most 20 microseconds. */
const SHORT_TEXT = 256;
/**
 * Patterns up to this length, or with no longer repetition, use `includes` too: after a mismatch it compares at most
 * that many letters again.
 */
const SHORT_PATTERN = 8;

/** For each prefix length: the length of its longest proper suffix that is also a prefix. */
const bordersOf = (pattern: string): Int32Array => {
  const borders = new Int32Array(pattern.length + 1);
  let border = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    const letter = pattern.charCodeAt(at);
    while (border > 0 && pattern.charCodeAt(border) !== letter) border = borders[border] ?? 0;
    if (pattern.charCodeAt(border) === letter) border += 1;
    borders[at + 1] = border;
  }
  return borders;
};

const repeats = (pattern: string): boolean => bordersOf(pattern).some((border) => border > SHORT_PATTERN);
// By code units, as the search compares.
const reversed = (pattern: string): string => pattern.split('').reverse().join('');

/**
 * Returns whether the pattern occurs. `remaining` is the matched length after a mismatch; -1 means to skip the letter.
 */
const knuthMorrisPratt = (pattern: string): ((text: string) => boolean) => {
  const borders = bordersOf(pattern);
  const letters = Uint16Array.from({ length: pattern.length }, (_, at) => pattern.charCodeAt(at));
  const remaining = new Int32Array(pattern.length).fill(-1);
  for (let matched = 1; matched < pattern.length; matched += 1) {
    const border = borders[matched] ?? 0;
    remaining[matched] = letters[border] === letters[matched] ? (remaining[border] ?? -1) : border;
  }
  return (text) => {
    let matched = 0;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at);
      while (matched >= 0 && letters[matched] !== letter) matched = remaining[matched] ?? -1;
      matched += 1;
      if (matched === letters.length) return true;
    }
    return false;
  };
};

/** Returns a function equal to `text => text.includes(pattern)` in time linear in the text. Throws nothing. */
export const searchFor = (pattern: string): ((text: string) => boolean) => {
  const native = (text: string): boolean => text.includes(pattern);
  if (pattern.length <= SHORT_PATTERN) return native;
  let search: typeof native | undefined;
  return (text) => {
    if (text.length <= SHORT_TEXT) return native(text);
    search ??= repeats(pattern) || repeats(reversed(pattern)) ? knuthMorrisPratt(pattern) : native;
    return search(text);
  };
};
