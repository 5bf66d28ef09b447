import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from './yaml.ts';

describe('yamlText', () => {
  it('yamlText writes arrays and objects as blocks', () => {
    const value = { id: 'a', list: [{ x: 1, b: [true, null] }, 'z'], none: [], empty: {}, deep: { er: { e: 1.5 } } };
    expect(yamlText(value)).toBe(
      'id: a\nlist:\n  - x: 1\n    b:\n      - true\n      - null\n  - z\nnone: []\nempty: {}\ndeep:\n  er:\n    e: 1.5\n',
    );
  });

  it('yamlText writes a text of several lines as a block', () => {
    expect(yamlText({ html: '<p>Hi</p>\n<p>Bye</p>\n' })).toBe('html: |\n  <p>Hi</p>\n  <p>Bye</p>\n');
  });

  it.each(['1.1', '1.2'] as const)('a reader of YAML %s gets every value back', (version) => {
    const unit = fc.constantFrom(
      'y',
      'no',
      '1',
      ':',
      ' ',
      '-',
      '#',
      '~',
      '\n',
      '"',
      "'",
      '\u001b',
      '\u009b',
      '\u2028',
      'é',
    );
    const text = fc.oneof(
      fc.string({ unit }),
      fc.constantFrom('yes', 'NULL', '12', '1e3', '2026-01-01', '0x1f', '1:20'),
    );
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double({ noNaN: true }))), (object) => {
        const value = JSON.parse(JSON.stringify(object));
        expect(parse(yamlText(value), { version })).toEqual(value);
      }),
    );
  });

  it('yamlText keeps the spaces of a whitespace-only line', () => {
    for (const text of [' \n', 'a\n  \nb\n', '\t\na', 'a\n ']) expect(parse(yamlText({ text }))).toEqual({ text });
  });

  it('yamlText writes dates as JSON does and omits undefined fields', () => {
    expect(parse(yamlText({ at: new Date(0), gone: undefined }))).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  it('yamlText writes no terminal control characters', () => {
    const text = yamlText({ '\u009b2J': '\u001b[31m\u009b', name: 'a\nb\u202e' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
