import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { describe, expect, it } from 'vitest';
import { isWhole } from '../../../test/support/test-seed.ts';
import { smsSize } from './segments.ts';

/** Random texts of each kind. */
const TEXTS = isWhole() ? 6_000 : 300;

const billed = (text: string) => {
  const message = new SegmentedMessage(text);
  return { encoding: message.getEncodingName(), segments: message.segmentsCount };
};

const GSM = [...'@£$¥èéùìòÇ\n\rÅåΔ_ΦΓΛΩ ÆæßÉ!"#¤%&019:;<=>?¡AZÄÖÑÜ§¿azäöñüà', ...'\f^{}\\[~]|€', '\r\n'];
const WIDE = [...'ç“”’–…щ日本한ئשกक', '\u00a0', '\t'];
const MARKS = [
  '\u0301',
  '\u0323',
  '\u200d',
  '\ufe0f',
  '\u20e3',
  '\u0903',
  '\u094d',
  '\u0e33',
  '\u1161',
  '\u11a8',
  '\u0600',
];
const EMOJI = [
  '😀',
  '❤️',
  '👍🏽',
  '👨‍👩‍👧‍👦',
  '🇩🇪',
  '🏳️‍🌈',
  '🧑🏿‍🚀',
  '👩🏻‍❤️‍💋‍👨🏿',
  '1️⃣',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🦵🏽',
  '🐕‍🦺',
  '🏽',
  '🇺',
];
const SYLLABLES = ['क्षि', 'न्त्र', 'ศรี', 'நி', '각', 'ᄀ', 'ᅡ', 'ᆨ', 'é', 'ạ̈'];

const of = (...units: readonly string[][]) => fc.constantFrom(...units.flat());
/** Long enough for several segments, with runs that place a grapheme at every offset of a segment boundary. */
const text = (unit: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(unit, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 80 }))), { maxLength: 30 }).map((runs) =>
    runs
      .map(([one, times]) => one.repeat(times))
      .join('')
      .slice(0, 700)
      .toWellFormed(),
  );

describe('billed segments of text messages', () => {
  it.each<[string, fc.Arbitrary<string>]>([
    ['of the GSM alphabet', text(of(GSM))],
    ['of everything at once', text(of(GSM, WIDE, MARKS, EMOJI, SYLLABLES))],
    ['of emoji among letters', text(fc.oneof({ weight: 3, arbitrary: of(EMOJI) }, of(GSM, WIDE)))],
    ['of syllables and marks', text(fc.oneof(of(SYLLABLES), of(MARKS), of(WIDE)))],
    ['of any character of Unicode', fc.string({ unit: 'binary', maxLength: 300 })],
  ])("segments equal those of the provider's calculator for random texts %s", (_, texts) => {
    fc.assert(
      fc.property(texts, (sample) => {
        if (sample !== '') expect(smsSize(sample)).toEqual(billed(sample));
      }),
      { numRuns: TEXTS },
    );
  });

  it('a grapheme that does not fit into a segment is not split', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(family).toHaveLength(11);
    // 66 units and eleven more do not fit into two segments of 67 without splitting the family emoji.
    expect(smsSize(`${'ç'.repeat(60)}${family}${'ç'.repeat(63)}`)).toEqual({ encoding: 'UCS-2', segments: 3 });
    for (const marks of [60, 69, 70, 140]) {
      const tower = `ç${'\u0301'.repeat(marks)}`;
      for (const sample of [tower, `ab${tower}`, `${tower}${tower}x`]) expect(smsSize(sample)).toEqual(billed(sample));
    }
  });

  it('counting takes linear time', () => {
    expect(smsSize(`ç${'\u0301'.repeat(30_000)}`).segments).toBeGreaterThan(0);
  });
});
