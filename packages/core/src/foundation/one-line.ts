const BREAKS = /[\p{Cc}\u2028\u2029]/u;

/**
 * True for text without line breaks and control characters (tabs included) and without line or paragraph separators.
 * One rule for names, headers and file names of sends, in the outbox and on the wire. Throws nothing.
 */
export const isOneLine = (text: string): boolean => !BREAKS.test(text);
