import { graphemeUnits } from './graphemes.ts';

/** Encoding of a text: seven bits per GSM character, or sixteen bits per UTF-16 unit. */
export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** Size of a text. `segments` is what carriers bill; 0 for an empty text. */
export type SmsSize = { readonly encoding: SmsEncoding; readonly segments: number };

/** Units of a single segment, and of each of several, which have a header. Source: GSM 03.38 and 03.40, 9.2.3.24. */
const LIMITS = { 'GSM-7': { one: 160, each: 153 }, 'UCS-2': { one: 70, each: 67 } } as const;

// Source: GSM 03.38, 6.2.1. Position 0x1B is the escape to the extension table.
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes two units: an escape and a character. Source: GSM 03.38, 6.2.1.1. */
const EXTENDED = '\f^{}\\[~]|€';

const UNITS: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character): [string, number] => [character, 1]),
  ...[...EXTENDED].map((character): [string, number] => [character, 2]),
]);

/** Units of each character, or null if a character is not in the GSM alphabet. */
const gsmUnits = (text: string): number[] | null => {
  const units: number[] = [];
  for (const character of text) {
    const size = UNITS.get(character);
    if (size === undefined) return null;
    units.push(size);
  }
  return units;
};

/**
 * A grapheme that does not fit starts the next segment, so the sum of units does not give the number of segments. The
 * first segment is filled as if it were the only one; the graphemes that do not fit beside its header then move to the
 * second, with the one that made a second necessary. A grapheme larger than a segment counts as one segment.
 */
const segmentsOf = (
  parts: Iterable<number>,
  { one, each }: { readonly one: number; readonly each: number },
): number => {
  const first: number[] = [];
  let segments = 1;
  let used = 0;
  for (const size of parts) {
    if (used + size > (segments === 1 ? one : each)) {
      segments += 1;
      let left = used;
      used = 0;
      for (; segments === 2 && left > each; ) {
        const moved = first.pop() ?? 0;
        left -= moved;
        used += moved;
      }
    }
    if (segments === 1) first.push(size);
    used += size;
  }
  return segments;
};

/**
 * Counts the segments of a text as its provider bills them: graphemes of several units are never split. A lone
 * surrogate counts as its replacement. Throws nothing. Source: transports, Segments.
 */
export const smsSize = (text: string): SmsSize => {
  if (text === '') return { encoding: 'GSM-7', segments: 0 };
  const gsm = gsmUnits(text);
  if (gsm) return { encoding: 'GSM-7', segments: segmentsOf(gsm, LIMITS['GSM-7']) };
  const limits = LIMITS['UCS-2'];
  const segments = text.length <= limits.one ? 1 : segmentsOf(graphemeUnits(text.toWellFormed()), limits);
  return { encoding: 'UCS-2', segments };
};
