// A client without a user sends the text of an empty variable: "undefined", "null", "[object Object]". As a user id,
// such a text would merge all users of that client into one profile.

import type { InScope } from './scope.ts';

/** Placeholders in lower case. Source: contract, Placeholder user ids. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['undefined', 'null', 'nan', '[object object]', 'none', 'nil'],
  ...['true', 'false', '0', '-1', 'anonymous', 'guest'],
]);
const LONGEST = Math.max(...[...PLACEHOLDERS].map(({ length }) => length));

const BLANK = /[\p{White_Space}\p{Cc}\p{Cf}]/u;
const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;
const isVisibleAscii = (unit: number): boolean => unit >= FIRST_VISIBLE && unit <= LAST_VISIBLE;

// Loops, since a pattern with two runs of blanks takes quadratic time for an id of blanks.
const withoutBlankEdges = (text: string): string => {
  let [from, to] = [0, text.length];
  while (from < to && BLANK.test(text.charAt(from))) from++;
  while (to > from && BLANK.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
};

/**
 * True for a placeholder in any case, with or without blanks around it, and for blanks alone. Blanks are white space,
 * control and format characters. Throws nothing.
 */
export const isPlaceholderUserId = (text: string): boolean => {
  const hasVisibleEdges = isVisibleAscii(text.charCodeAt(0)) && isVisibleAscii(text.charCodeAt(text.length - 1));
  const core = hasVisibleEdges ? text : withoutBlankEdges(text);
  return core === '' || (core.length <= LONGEST && PLACEHOLDERS.has(core.toLowerCase()));
};

/** Message for a rejected placeholder. */
export const PLACEHOLDER_USER_ID = 'is a placeholder such as "undefined" or "null", not the id of a user';

/** Spellings that programs produce, for reads by key: "None" of Python, "NULL" of SQL. */
export const PLACEHOLDER_SPELLINGS: readonly string[] = [
  ...new Set(
    [...PLACEHOLDERS].flatMap((text) => [text, text.toUpperCase(), text.charAt(0).toUpperCase() + text.slice(1)]),
  ),
  ...['NaN', '[object Object]', ' '],
];

/** Route that received a placeholder; the label of the metric. */
export type PlaceholderSource = 'events' | 'identify' | 'tokens' | 'live_activities' | 'geofences';

/** Counts placeholder user ids that clients sent. Throws nothing. */
export type CountPlaceholders = (scope: InScope, source: PlaceholderSource, count: number) => void;
