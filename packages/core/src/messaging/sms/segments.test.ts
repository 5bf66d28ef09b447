import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smsSize } from './segments.ts';

const ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

describe('smsSize', () => {
  it.each([
    ['nothing', '', 'GSM-7', 0],
    ['160 a', 'a'.repeat(160), 'GSM-7', 1],
    ['161 a', 'a'.repeat(161), 'GSM-7', 2],
    ['306 a', 'a'.repeat(306), 'GSM-7', 2],
    ['307 a', 'a'.repeat(307), 'GSM-7', 3],
    ['80 €', '€'.repeat(80), 'GSM-7', 1],
    ['81 €', '€'.repeat(81), 'GSM-7', 2],
    ['a € that would be split', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['a € that just fits', `${'a'.repeat(151)}€${'a'.repeat(153)}`, 'GSM-7', 2],
    ['70 é', 'é'.repeat(70), 'GSM-7', 1],
    ['70 ç', 'ç'.repeat(70), 'UCS-2', 1],
    ['71 ç', 'ç'.repeat(71), 'UCS-2', 2],
    ['134 ç', 'ç'.repeat(134), 'UCS-2', 2],
    ['135 ç', 'ç'.repeat(135), 'UCS-2', 3],
    ['a curly apostrophe', 'It\u2019s', 'UCS-2', 1],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 1],
    ['36 emoji', '😀'.repeat(36), 'UCS-2', 2],
    ['66 emoji', '😀'.repeat(66), 'UCS-2', 2],
    ['67 emoji', '😀'.repeat(67), 'UCS-2', 3],
    ['70 halves of a pair', '\ud83d'.repeat(70), 'UCS-2', 1],
  ])('encoding and segments of %s', (_, text, encoding, segments) => {
    expect(smsSize(text)).toEqual({ encoding, segments });
  });

  it('the GSM alphabet has 127 basic characters and ten extended ones', () => {
    expect([...ALPHABET]).toHaveLength(127);
    for (const character of ALPHABET)
      expect(smsSize(character.repeat(160))).toEqual({ encoding: 'GSM-7', segments: 1 });
    for (const character of '\f^{}\\[~]|€') {
      expect(smsSize(character.repeat(80))).toEqual({ encoding: 'GSM-7', segments: 1 });
      expect(smsSize(`${character.repeat(80)}a`)).toEqual({ encoding: 'GSM-7', segments: 2 });
    }
    for (const character of ['`', 'ç', '\t', '\u001b', '\u00a0', '“', 'ё']) {
      expect(smsSize(character).encoding).toBe('UCS-2');
    }
  });

  it('no character is split over two segments and no other space is wasted', () => {
    const unit = fc.constantFrom('a', '€', 'é', '😀', 'ç');
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 200 })), { maxLength: 6 }), (runs) => {
        const text = runs.map(([character, times]) => character.repeat(times)).join('');
        const { encoding, segments } = smsSize(text);
        const size = (character: string) => (encoding === 'UCS-2' ? character.length : character === '€' ? 2 : 1);
        const total = [...text].reduce((sum, character) => sum + size(character), 0);
        const [one, each] = encoding === 'UCS-2' ? [70, 67] : [160, 153];
        // At most one unit of each segment stays empty.
        const isSingle = total <= one;
        expect(segments).toBeGreaterThanOrEqual(isSingle ? Math.sign(total) : Math.ceil(total / each));
        expect(segments).toBeLessThanOrEqual(isSingle ? Math.sign(total) : Math.ceil(total / (each - 1)));
      }),
    );
  });
});
