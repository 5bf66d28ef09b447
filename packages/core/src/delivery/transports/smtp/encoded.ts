// Protects text that looks like an encoded word. The library leaves valid encoded words unchanged, so that callers may
// encode by themselves; this code never does, and readers must see the text as written.

/**
 * Bytes of one encoded word: 12 characters are its frame, the rest is base64. A line has at most 76 characters, and the
 * first word shares its line with `Subject: `. Source: RFC 2047, 2.
 */
const WORD_BYTES = 39;

/** True for text that a reader may decode as an encoded word. */
export const looksEncoded = (text: string): boolean => text.includes('=?');

/** The text as encoded words, each of whole characters, separated by spaces that are not shown. */
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

/** Text as a quoted header parameter. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
