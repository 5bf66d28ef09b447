// The engine's own search takes time proportional to text times pattern for repetitive ones: 4 ms for 15,000 letters and a
// pattern of 1,024. Tenants choose the pattern and anybody chooses the text, so long texts are searched by Knuth, Morris and
// Pratt's method, which reads each letter at most twice.

/** Texts up to this length are left to the engine's own search. Chosen: it takes 20 microseconds at most for these. */
const SHORT = 256;

/** For each length of a matched beginning: how much of it may still match once the next letter does not. */
const bordersOf = (pattern: string): Uint32Array => {
  const borders = new Uint32Array(pattern.length + 1);
  let border = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    const letter = pattern.charCodeAt(at);
    while (border > 0 && pattern.charCodeAt(border) !== letter) border = borders[border] ?? 0;
    if (pattern.charCodeAt(border) === letter) border += 1;
    borders[at + 1] = border;
  }
  return borders;
};

const isFound = (text: string, pattern: string, borders: Uint32Array): boolean => {
  const first = pattern.charAt(0);
  const { length } = pattern;
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (matched === 0) {
      // The engine finds a single letter many times faster.
      at = text.indexOf(first, at);
      if (at === -1 || at + length > text.length) return false;
      matched = 1;
      continue;
    }
    const letter = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== letter) matched = borders[matched] ?? 0;
    if (pattern.charCodeAt(matched) === letter) matched += 1;
    if (matched === length) return true;
  }
  return false;
};

/** Makes `text => text.includes(pattern)` that takes time proportional to the text alone. Throws nothing. */
export const searchFor = (pattern: string): ((text: string) => boolean) => {
  if (pattern.length < 2) return (text) => text.includes(pattern);
  let borders: Uint32Array | undefined;
  return (text) => {
    if (text.length <= SHORT) return text.includes(pattern);
    borders ??= bordersOf(pattern);
    return isFound(text, pattern, borders);
  };
};
