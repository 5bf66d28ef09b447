// Text that came out of a database may hold what steers a terminal: colours, cursor moves, a new window title, or
// marks that reverse the reading direction. None of it may reach one.

// CSI, then OSC and the other strings up to their end, then any escape with its one following byte.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// What JSON.stringify leaves as it is although a terminal may act on it.
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A text of several lines without escape sequences and control characters; line feeds and tabs stay. Idempotent. */
export const cleanLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(SEQUENCES, '').replace(CONTROLS, '');

/** A text as one line: as `cleanLines`, and line feeds and tabs become one space. Idempotent. */
export const clean = (text: string): string => cleanLines(text).replace(/[\n\t]+/g, ' ');

/** JSON that is safe on a terminal and equal in value: what could act on one is written as `\uXXXX`. */
export const escapeJson = (json: string): string =>
  json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
