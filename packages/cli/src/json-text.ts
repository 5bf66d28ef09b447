// Position of JSON syntax errors. Not from Node's parser, because its messages quote the text, which may be a secret.

import { CliError, EXIT } from './exit-codes.ts';

/** Lines and columns start at 1; a column is a character. */
type JsonProblem = { readonly line: number; readonly column: number; readonly expected: string };

type Expects = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next' | 'nothing';
type Found = { readonly at: number; readonly expected: string };

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const FIRST_PRINTABLE = 0x20;

/** Length of the match of a sticky pattern at a position; 0: no match. */
const lengthAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
};

/** The position after a string that starts at `start`, or the error in it. */
const stringEnd = (text: string, start: number): number | Found => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at + 1;
    if (text.charCodeAt(at) < FIRST_PRINTABLE) return { at, expected: 'a closing quote or an escape such as \\n' };
    if (text[at] !== '\\') continue;
    const length = lengthAt(ESCAPE, text, at);
    if (length === 0) return { at, expected: 'an escape such as \\n or \\u00e9' };
    at += length - 1;
  }
  return { at: text.length, expected: 'a closing quote' };
};

const EXPECTED: Readonly<Record<Exclude<Expects, 'next'>, string>> = {
  value: 'a value',
  'first value': 'a value or "]"',
  key: 'a name in double quotes',
  'first key': 'a name in double quotes or "}"',
  colon: '":"',
  nothing: 'the end of the text',
};

/** Without recursion, because the nesting of a text is only limited by its length. */
const problemIn = (text: string): Found | null => {
  const open: ('{' | '[')[] = [];
  let expects: Expects = 'value';
  for (let at = lengthAt(SPACE, text, 0); ; at += lengthAt(SPACE, text, at)) {
    const char = text[at];
    const closing = open.at(-1) === '{' ? '}' : ']';
    const mayClose = expects === 'next' || expects === 'first key' || expects === 'first value';
    const isName: boolean = expects === 'key' || expects === 'first key';
    const isValue: boolean = expects === 'value' || expects === 'first value';
    if (expects === 'nothing' && char === undefined) return null;
    if (mayClose && char === closing) {
      open.pop();
      at += 1;
      expects = open.length === 0 ? 'nothing' : 'next';
    } else if (expects === 'next' && char === ',') {
      at += 1;
      expects = closing === '}' ? 'key' : 'value';
    } else if (expects === 'colon' && char === ':') {
      at += 1;
      expects = 'value';
    } else if (char === '"' && (isName || isValue)) {
      const end = stringEnd(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      expects = isName ? 'colon' : open.length === 0 ? 'nothing' : 'next';
    } else if ((char === '{' || char === '[') && isValue) {
      open.push(char);
      at += 1;
      expects = char === '{' ? 'first key' : 'first value';
    } else {
      const length = isValue ? lengthAt(SCALAR, text, at) : 0;
      if (length === 0) return { at, expected: expects === 'next' ? `"," or "${closing}"` : EXPECTED[expects] };
      at += length;
      expects = open.length === 0 ? 'nothing' : 'next';
    }
  }
};

/** The first JSON syntax error; null: the text is JSON. Throws nothing. */
export const jsonProblem = (text: string): JsonProblem | null => {
  const found = problemIn(text);
  if (found === null) return null;
  const lines = text.slice(0, found.at).split(/\r\n|[\n\r]/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1, expected: found.expected };
};

/** `line 3, column 17: expected ":"`. */
export const problemText = ({ line, column, expected }: JsonProblem): string =>
  `line ${line}, column ${column}: expected ${expected}`;

/** A file name for messages: `-` is stdin. */
const shownFile = (file: string): string => (file === '-' ? 'stdin' : file);

/** The CliError of a file that is not JSON, with line and column; null: it is JSON. */
export const jsonErrorOf = (file: string, text: string): CliError | null => {
  const problem = jsonProblem(text);
  if (problem === null) return null;
  const { line, column } = problem;
  return new CliError(EXIT.invalid, `${shownFile(file)} is not valid JSON: ${problemText(problem)}.`, {
    details: { line, column },
  });
};

/** The value of a JSON file, parsed as core parses requests. Throws CliError invalid with line and column. */
export const jsonOf = async (
  { services }: { readonly services: { parseJson(bytes: Uint8Array): unknown } },
  file: string,
  bytes: Uint8Array,
): Promise<unknown> => {
  try {
    return await services.parseJson(bytes);
  } catch (error) {
    // Core also rejects valid JSON, such as numbers that no database stores; then its own error is thrown.
    throw jsonErrorOf(file, new TextDecoder().decode(bytes)) ?? error;
  }
};
