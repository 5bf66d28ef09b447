/** How a text travels: seven bits for a character of the GSM alphabet, or sixteen for each unit of UTF-16. */
export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** What a text takes. `segments` is what networks count and charge; 0 for the empty text. */
export type SmsSize = { readonly encoding: SmsEncoding; readonly segments: number };

/** Units of a single segment, and of each of several: a header joins those. Source: GSM 03.38 and 03.40, 9.2.3.24. */
const LIMITS = { 'GSM-7': { one: 160, each: 153 }, 'UCS-2': { one: 70, each: 67 } } as const;

// Source: GSM 03.38, 6.2.1. What stands at 0x1B there is the escape to the second table.
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes an escape and a character. Source: GSM 03.38, 6.2.1.1. */
const EXTENDED = '\f^{}\\[~]|€';

const UNITS: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character): [string, number] => [character, 1]),
  ...[...EXTENDED].map((character): [string, number] => [character, 2]),
]);

/** Units of each character, or null where one of them is not in the GSM alphabet. */
const gsmUnits = (characters: readonly string[]): number[] | null => {
  const units: number[] = [];
  for (const character of characters) {
    const size = UNITS.get(character);
    if (size === undefined) return null;
    units.push(size);
  }
  return units;
};

// A character of two units that would not fit begins the next segment, so the sum alone does not tell the number.
const segmentsOf = (
  units: readonly number[],
  { one, each }: { readonly one: number; readonly each: number },
): number => {
  const total = units.reduce((sum, size) => sum + size, 0);
  if (total <= one) return total === 0 ? 0 : 1;
  let segments = 1;
  let used = 0;
  for (const size of units) {
    if (used + size > each) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return segments;
};

/**
 * Counts the segments of a text. Half of a surrogate pair counts as what replaces it. Throws nothing.
 * Source: transports, Segments.
 */
export const smsSize = (text: string): SmsSize => {
  const characters = [...text];
  const gsm = gsmUnits(characters);
  const encoding = gsm ? 'GSM-7' : 'UCS-2';
  const units = gsm ?? characters.map((character) => character.length);
  return { encoding, segments: segmentsOf(units, LIMITS[encoding]) };
};
