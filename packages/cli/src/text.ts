// Removes terminal control sequences from stored text: colours, cursor moves, window titles, and marks that reverse the
// reading direction.

// CSI, then OSC and other strings up to their end, then any escape with its following byte.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// Control characters that JSON.stringify does not escape.
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Removes escape sequences and control characters; keeps line feeds and tabs. Idempotent. */
export const cleanLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(SEQUENCES, '').replace(CONTROLS, '');

/** As `cleanLines`, and replaces line feeds and tabs by one space. Idempotent. */
export const clean = (text: string): string => cleanLines(text).replace(/[\n\t]+/g, ' ');

/** Escapes control characters in JSON as `\uXXXX`, so that it is safe on a terminal. */
export const escapeJson = (json: string): string =>
  json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
