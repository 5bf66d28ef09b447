import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, cleanLines, escapeJson } from './text.ts';

describe('cleanLines', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title', '\u001b]0;owned\u0007name', 'name'],
    ['a hyperlink', '\u001b]8;;http://x\u001b\\name\u001b]8;;\u001b\\', 'name'],
    ['an eight-bit CSI', '\u009b2Jname', 'name'],
    ['a device control string', '\u001bPq#0\u001b\\name', 'name'],
    ['a bare escape at the end', 'name\u001b', 'name'],
    ['a carriage return that would overwrite', 'evil\rgood', 'evilgood'],
    ['a backspace', 'ab\u0008c', 'abc'],
    ['a right-to-left override', 'a\u202egpj.exe', 'agpj.exe'],
  ])('cleanLines removes %s', (_, text, expected) => {
    expect(cleanLines(text)).toBe(expected);
  });

  it('cleanLines keeps line feeds, tabs, accents and emoji', () => {
    expect(cleanLines('é\tü\r\n👩‍🚀')).toBe('é\tü\n👩‍🚀');
  });

  it('cleanLines removes every control sequence from any input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\u001b', '[', ']', '\u009b', '\u0007', 'm', ';', '1', '\r', 'x') }),
        (text) => {
          const once = cleanLines(text);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
          expect(once).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
          expect(cleanLines(once)).toBe(once);
        },
      ),
    );
  });
});

describe('clean', () => {
  it('clean puts text on one line', () => {
    expect(clean('a\n\tb')).toBe('a b');
  });
});

describe('escapeJson', () => {
  it('escapeJson keeps values and escapes all control characters', () => {
    const value = { name: '\u001b[31m\u009b2J\u202e\u007f\u2028é' };
    const json = escapeJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  });
});
