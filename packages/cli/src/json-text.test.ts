import { describe, expect, it } from 'vitest';
import { jsonProblem } from './json-text.ts';

const at = (text: string): string | null => {
  const problem = jsonProblem(text);
  return problem === null ? null : `${problem.line}:${problem.column} ${problem.expected}`;
};

describe('the place of a JSON error', () => {
  it.each([
    ['', '1:1 a value'],
    ['{"a": 1', '1:8 "," or "}"'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 "," or "}"'],
    ['{"a": [1, 2,]}', '1:13 a value'],
    ['{"a": 1,}', '1:9 a name in double quotes'],
    ["{'a': 1}", '1:2 a name in double quotes or "}"'],
    ['[}', '1:2 a value or "]"'],
    ['{"a" 1}', '1:6 ":"'],
    ['{} x', '1:4 the end of the text'],
    ['[01]', '1:3 "," or "]"'],
    ['"a\nb"', '1:3 a closing quote or an escape such as \\n'],
    ['"a\\x"', '1:3 an escape such as \\n or \\u00e9'],
    ['"abc', '1:5 a closing quote'],
    ['[\r\n\r\n  NaN]', '3:3 a value or "]"'],
    ['["😀", x]', '1:7 a value'],
  ])('the JSON error of %j is at %s', (text, place) => {
    expect(at(text)).toBe(place);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it.each(['{}', '[]', ' {"a": [1, -0.5e3, true, null, "\\u00e9\\n"], "b": {"c": []}}\n', '"x"', '7', 'null'])(
    'is none in %j',
    (text) => {
      expect(at(text)).toBeNull();
    },
  );

  it('a JSON error is located at any nesting depth', () => {
    expect(at('['.repeat(1_000_000))).toBe('1:1000001 a value or "]"');
  });
});
