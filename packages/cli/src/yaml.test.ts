import { describe, expect, it } from 'vitest';
import { yamlText } from './output.ts';

describe('yamlText', () => {
  it('yamlText writes arrays and objects as blocks', () => {
    const value = { id: 'a', list: [{ x: 1, b: [true, null] }, 'z'], none: [], empty: {}, deep: { er: { e: 1.5 } } };
    expect(yamlText(value)).toBe(
      'id: a\nlist:\n  - x: 1\n    b:\n      - true\n      - null\n  - z\nnone: []\nempty: {}\ndeep:\n  er:\n    e: 1.5\n',
    );
  });

  it('yamlText quotes ambiguous strings', () => {
    for (const text of [
      '',
      'yes',
      'NULL',
      '12',
      '1e3',
      '2026-01-01',
      'a: b',
      '- a',
      '#x',
      'a #b',
      ' a',
      'a ',
      '~',
      '"',
      'a\nb',
    ])
      expect(yamlText(text)).toBe(`${JSON.stringify(text)}\n`);
    expect(yamlText({ 'a: b': 'c', no: 1 })).toBe('"a: b": c\n"no": 1\n');
  });

  it('yamlText writes dates as JSON, omits undefined fields, and escapes control characters', () => {
    expect(yamlText({ at: new Date(0), gone: undefined })).toBe('at: "1970-01-01T00:00:00.000Z"\n');
    expect(yamlText('\u001b[31m\u009b')).toBe('"\\u001b[31m\\u009b"\n');
  });
});
