// Clients that lost their user send what an empty variable reads as: "undefined", "null", "[object Object]". Taken as user
// ids, such texts would make one profile of all the people whose client has that bug.

import type { InScope } from './scope.ts';

/** In lower case. Source: contract, Placeholder user ids. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['undefined', 'null', 'nan', '[object object]', 'none', 'nil'],
  ...['true', 'false', '0', '-1', 'anonymous', 'guest'],
]);
const LONGEST = Math.max(...[...PLACEHOLDERS].map(({ length }) => length));

const BLANK = /[\p{White_Space}\p{Cc}\p{Cf}]/u;
const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;
const isVisibleAscii = (unit: number): boolean => unit >= FIRST_VISIBLE && unit <= LAST_VISIBLE;

// Loops instead of one expression with two runs of blanks, which takes quadratic time for an id of blanks.
const withoutBlankEdges = (text: string): string => {
  let [from, to] = [0, text.length];
  while (from < to && BLANK.test(text.charAt(from))) from++;
  while (to > from && BLANK.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
};

/**
 * True for a text that names no user: a placeholder in any case, with or without blanks around it, or blanks alone. Blanks
 * are white space, control and format characters. Throws nothing.
 */
export const isPlaceholderUserId = (text: string): boolean => {
  const hasVisibleEdges = isVisibleAscii(text.charCodeAt(0)) && isVisibleAscii(text.charCodeAt(text.length - 1));
  const core = hasVisibleEdges ? text : withoutBlankEdges(text);
  return core === '' || (core.length <= LONGEST && PLACEHOLDERS.has(core.toLowerCase()));
};

/** The message of a refusal. */
export const PLACEHOLDER_USER_ID = 'is a placeholder such as "undefined" or "null", not the id of a user';

/** The spellings that programs produce, for reads by key: "None" of Python, "NULL" of SQL. */
export const PLACEHOLDER_SPELLINGS: readonly string[] = [
  ...new Set(
    [...PLACEHOLDERS].flatMap((text) => [text, text.toUpperCase(), text.charAt(0).toUpperCase() + text.slice(1)]),
  ),
  ...['NaN', '[object Object]', ' '],
];

/** Where clients name users: the label of the metric. */
export type PlaceholderSource = 'events' | 'identify' | 'tokens' | 'live_activities' | 'geofences';

/** Counts placeholder user ids that clients sent. Throws nothing. */
export type CountPlaceholders = (scope: InScope, source: PlaceholderSource, count: number) => void;
