/** White space that `\s` and `trim` know, and U+0085, which they do not. Source: Unicode, property White_Space; U+FEFF. */
const BLANK = /[\s\u0085]/;
const SPACE = 0x20;
const LAST_ASCII = 0x7e;
/** What people write between the digits of a number: blanks, hyphens, dots, brackets. Source: contract, Addresses. */
const BETWEEN_DIGITS = /[\s\u0085\p{Pd}.()[\]]/gu;
/** A number that can be dialled, whatever its length. */
const DIALLED = /^\+\d+$/;
/** Characters of a number with what stands between its digits. Chosen: several times what people write. */
const MAX_NUMBER = 64;
/** A digit that is dialled within a country only, as in `+44 (0)20`: some countries drop it from abroad, others do not. */
const TRUNK_DIGIT = '(0)';

const isBlank = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= SPACE || code > LAST_ASCII ? BLANK.test(text.charAt(at)) : false;
};

// Two loops: a pattern that is anchored at the end takes the square of the blanks in the middle of a text.
const trimmed = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
};

/**
 * An email address or a phone number as everybody reads it, before it is checked or compared: without white space around
 * it. A phone number that begins with `+` is taken without blanks, hyphens, dots and brackets; one without `+` is not
 * changed otherwise, and nor is one with `(0)`. Throws nothing.
 */
export const addressText = (text: string): string => {
  const bare = trimmed(text);
  if (!bare.startsWith('+') || bare.length > MAX_NUMBER || bare.includes(TRUNK_DIGIT)) return bare;
  const number = bare.replace(BETWEEN_DIGITS, '');
  return DIALLED.test(number) ? number : bare;
};

/** Traits that hold an address. Source: interface, Profiles. */
const ADDRESS_TRAITS = ['email', 'phone'] as const;

/** A patch of traits with its `email` and `phone` as addresses are read; the patch itself where nothing changes. */
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
