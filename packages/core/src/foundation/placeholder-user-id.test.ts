import { describe, expect, it } from 'vitest';
import { isPlaceholderUserId, PLACEHOLDER_SPELLINGS } from './placeholder-user-id.ts';

const NAMED = ['undefined', 'null', 'NaN', '[object Object]', 'None', 'nil', 'true', 'false', '0', '-1', 'anonymous'];

describe('isPlaceholderUserId', () => {
  it.each([...NAMED, 'guest'])('isPlaceholderUserId is true for %s in any case and with blanks around it', (text) => {
    for (const spelled of [text, text.toUpperCase(), text.toLowerCase()])
      for (const around of ['', ' ', '\t\n', '\u00a0', '\u2003', '\ufeff', '\0', '\u0085', '\u200b'])
        expect(isPlaceholderUserId(`${around}${spelled}${around}`), JSON.stringify(spelled)).toBe(true);
  });

  it.each([' ', '\t', '\r\n', '\u3000', '\u2028', '\0', '\u0007', '\u0085', ' \u00a0\ufeff', '\u200b'])(
    'isPlaceholderUserId is true for blanks alone: %j',
    (text) => {
      expect(isPlaceholderUserId(text)).toBe(true);
    },
  );

  it.each([
    ...['ann', '1', '-2', '00', '0.0', 'undefined1', 'nullable', 'null null', 'guest-17', 'anonymous@example.com'],
    ...['object Object', 'no', 'yes', '-', '.', '\u{1f600}', 'ünde', 'ïnil', ' ann ', 'nan a', '\ufffd'],
  ])('isPlaceholderUserId is false for %j', (text) => {
    expect(isPlaceholderUserId(text)).toBe(false);
  });

  it('PLACEHOLDER_SPELLINGS lists each usual spelling once, and each is a placeholder', () => {
    for (const text of PLACEHOLDER_SPELLINGS) expect(isPlaceholderUserId(text), text).toBe(true);
    expect(new Set(PLACEHOLDER_SPELLINGS).size).toBe(PLACEHOLDER_SPELLINGS.length);
    expect(PLACEHOLDER_SPELLINGS).toEqual(expect.arrayContaining([...NAMED, 'NULL', 'Undefined']));
  });
});
