/*
 * How predicates read dates, versions and letter case. SQLite and PostgreSQL follow each definition exactly (store.ts
 * of each), so they use no locale and no time zone library, and nothing that depends on the database's build.
 */

const DATE =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/;
/** Unix time as text. Chosen: 15 digits, enough for the last time in milliseconds. */
const UNIX_TIME = /^-?\d{1,15}$/;
/** From this magnitude on Unix time is in milliseconds, below it in seconds. Source: contract, Dates. */
export const MILLISECONDS_FROM = 100_000_000_000;
/** First and last Unix time that is a date, in milliseconds: the years 1 to 9999. */
export const FIRST_UNIX_MS = -62_135_596_800_000;
export const LAST_UNIX_MS = 253_402_300_799_999;

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

const DAY_MS = 86_400_000;

/** Truncates fractions toward 1970. */
const unixTime = (value: number): number | null => {
  const whole = Math.trunc(value);
  const ms = Math.abs(value) < MILLISECONDS_FROM ? whole * 1_000 : whole;
  // Adding 0 turns -0 into 0, as stored numbers have no sign of zero.
  return ms >= FIRST_UNIX_MS && ms <= LAST_UNIX_MS ? ms + 0 : null;
};

/**
 * The one reader of dates in waits and in date operators: milliseconds since 1970 of
 * - an ISO 8601 date or date-time of the years 1 to 9999: `2026-11-22`, `2026-11-22T18:30`, with seconds, up to nine digits
 *   of a fraction (cut to milliseconds), and `Z`, `+05:30`, `+0530` or `+05`; a space may stand for the T; without a zone it
 *   is UTC;
 * - a number, or a text of up to 15 digits, as unix time: in seconds below 100,000,000,000, else in milliseconds;
 * - a moment of a built-in field.
 *
 * Null for anything else, for a day that there is not and for a unix time outside the years 1 to 9999. Throws nothing.
 */
export const dateOf = (value: unknown): number | null => {
  if (typeof value === 'string') return dateOfText(value);
  if (typeof value === 'number') return unixTime(value);
  return value instanceof Date ? value.getTime() : null;
};

/** Whether a date has no time, so that its begin depends on the time zone. Throws nothing. */
export const isPlainDay = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 10 && value.charAt(4) === '-';

const dateOfText = (text: string): number | null => {
  const found = DATE.exec(text);
  if (!found) return UNIX_TIME.test(text) ? unixTime(Number(text)) : null;
  const [, years, months, days, hours, minutes, seconds, fraction = '', sign, zoneHours, zoneMinutes] = found;
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  if (year === 0 || day > daysIn(year, month)) return null;
  // JavaScript maps years below 100 to 1900; 400 years are a whole number of days.
  const date = Date.UTC(year + 400, month - 1, day) - 146_097 * DAY_MS;
  const millis = Number(`${fraction}00`.slice(0, 3));
  const time = ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000 + millis;
  const ahead = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * 60_000;
  return date + time - (sign === '-' ? -ahead : ahead);
};

const VERSION = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Up to four numbers, and 0 for a pre-release (text after a hyphen), which sorts before the release. */
export type Version = readonly [number, number, number, number, isWhole: 0 | 1];

/**
 * Parses one to four numbers of up to nine digits, separated by dots; missing ones are 0. A hyphen begins a pre-release
 * (`2.0.0-beta.1`); text after a plus sign is ignored. Null for other texts.
 */
export const versionOf = (text: string): Version | null => {
  const found = VERSION.exec(text);
  if (!found) return null;
  const [, a, b = 0, c = 0, d = 0, before] = found;
  return [Number(a), Number(b), Number(c), Number(d), before === undefined ? 1 : 0];
};

/** Comparison for `Array.sort`. Throws nothing. */
export const compareVersions = (one: Version, other: Version): number => {
  for (const [at, number] of one.entries()) {
    const difference = number - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Above the last letter with case; a test compares with JavaScript's data. */
const LETTERS = 0x1_f000;
const BLOCK = 256;
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Letters that JavaScript does not lower-case independently: the dotted I becomes two letters, the Kelvin sign an ASCII
 * letter, and a capital sigma at the end of a word another letter than elsewhere. A test checks every letter.
 */
const SPECIAL = /[\u0130\u212a\u03a3]/;
const BETWEEN_KEPT = /[^\u0130\u212a]+/g;

/**
 * Case-folds a text letter by letter, by Unicode's simple lower-casing. É equals é, but ß does not equal SS, and a
 * letter with a combining accent does not equal the composed letter. Throws nothing.
 */
export const fold = (text: string): string =>
  SPECIAL.test(text)
    ? text.replaceAll('\u03a3', '\u03c3').replace(BETWEEN_KEPT, (part) => part.toLowerCase())
    : text.toLowerCase();

// By blocks: testing each letter would block the event loop for a tenth of a second.
const allCapitals = (): ReadonlyMap<string, readonly string[]> => {
  const capitals = new Map<string, string[]>();
  for (let start = 0; start < LETTERS; start += BLOCK) {
    const letters = Array.from({ length: BLOCK }, (_, at) => String.fromCodePoint(start + at));
    const block = letters.join('');
    if (block.toLowerCase() === block) continue;
    for (const capital of letters) {
      const lower = fold(capital);
      if (lower === capital || !BEYOND_ASCII.test(capital)) continue;
      const known = capitals.get(lower);
      if (known) known.push(capital);
      else capitals.set(lower, [capital]);
    }
  }
  return capitals;
};

let capitals: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * Letters beyond ASCII that `fold` maps to this one; usually none or one. A database finds a folded text after
 * replacing these capitals. Throws nothing.
 */
export const capitalsOf = (letter: string): readonly string[] => {
  if (!BEYOND_ASCII.test(letter)) return [];
  capitals ??= allCapitals();
  return capitals.get(letter) ?? [];
};
