const BREAKS = /[\p{Cc}\u2028\u2029]/u;

/**
 * True for text that stays on its line wherever it is written: no control character, the tab among them, and no line or
 * paragraph separator. One rule for what a send may say of names, headers and files, for the sandbox and for the wire.
 * Throws nothing.
 */
export const isOneLine = (text: string): boolean => !BREAKS.test(text);
