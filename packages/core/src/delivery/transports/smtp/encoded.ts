// What readers would take for encoded text although it is none. The library leaves valid encoded words as they are, so
// that callers may encode by themselves; here nobody does, and what was written is what has to be shown.

/**
 * Bytes of one encoded word: 12 of its characters are its frame, the rest base64. A line has at most 76, and the first
 * word shares its own with `Subject: `. Source: RFC 2047, 2.
 */
const WORD_BYTES = 39;

/** True for text in which a reader may find an encoded word. */
export const looksEncoded = (text: string): boolean => text.includes('=?');

/** The text as encoded words, each of whole characters, with the spaces between them that are not shown. */
export const encodedWords = (text: string): string => {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ');
};

/** Text as a parameter of a header holds it between quotes. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
