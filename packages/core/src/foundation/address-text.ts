/** White space of `\s`, plus U+0085, which `\s` and `trim` lack. Source: Unicode, property White_Space; U+FEFF. */
const BLANK = /[\s\u0085]/;
const SPACE = 0x20;
const LAST_ASCII = 0x7e;
/**
 * Separators that people write between the digits of a phone number: blanks, hyphens, dots, brackets. Source: contract,
 * Addresses.
 */
const BETWEEN_DIGITS = /[\s\u0085\p{Pd}.()[\]]/gu;
/** A plus sign and digits, of any length. */
const PLUS_AND_DIGITS = /^\+\d+$/;
/** Maximum characters of a phone number with separators. Chosen: several times what people write. */
const MAX_NUMBER = 64;
/**
 * A trunk digit, as in `+44 (0)20`, is dialled within a country only. Some countries drop it from abroad, others do
 * not, so such a number is not changed.
 */
const TRUNK_DIGIT = '(0)';

const isBlank = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= SPACE || code > LAST_ASCII ? BLANK.test(text.charAt(at)) : false;
};

// Two loops, since a pattern anchored at the end takes quadratic time for blanks in the middle of a text.
const trimmed = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
};

/**
 * Normalises an email address or a phone number before it is checked or compared. Removes white space around it. From a
 * phone number with a leading `+` it also removes blanks, hyphens, dots and brackets between the digits, unless it
 * contains `(0)`. Throws nothing.
 */
export const addressText = (text: string): string => {
  const bare = trimmed(text);
  if (!bare.startsWith('+') || bare.length > MAX_NUMBER || bare.includes(TRUNK_DIGIT)) return bare;
  const number = bare.replace(BETWEEN_DIGITS, '');
  return PLUS_AND_DIGITS.test(number) ? number : bare;
};

/** Traits that hold an address. Source: interface, Profiles. */
const ADDRESS_TRAITS = ['email', 'phone'] as const;

/** A patch of traits with `email` and `phone` normalised by `addressText`; the patch itself if nothing changes. */
export const withAddressTraits = (patch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  let changed = patch;
  for (const name of ADDRESS_TRAITS) {
    const value = Object.hasOwn(patch, name) ? patch[name] : undefined;
    if (typeof value !== 'string') continue;
    const read = addressText(value);
    // A spread keeps a trait named __proto__ as an own property.
    if (read !== value) changed = { ...changed, [name]: read };
  }
  return changed;
};
