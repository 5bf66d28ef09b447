import { refused } from '../scim-error.ts';

export type FilterToken =
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  /** A JSON string. */
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  | { readonly kind: '(' | ')' | '[' | ']' | 'end'; readonly at: number };

/** Bytes of a filter. Source: authentication design, Filters. */
export const MAX_FILTER_BYTES = 4_096;

/** Names, URNs, operators, numbers and literals. A dot after a closing bracket begins a word too. */
const WORD = /[\w$:.+-]+/y;
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/sy;
const SPACE = /[ \t\r\n]*/y;

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/** Reads tokens on demand: a filter refused at its start costs nothing for its end. */
export type Lexer = {
  readonly next: () => FilterToken;
};

const textOf = (literal: string, at: number): string => {
  try {
    const value: unknown = JSON.parse(literal);
    if (typeof value === 'string') return value;
  } catch {
    // Refused below.
  }
  throw refused('invalidFilter', `The text at character ${at} is not a JSON string`);
};

/** @throws ScimError invalidFilter for a filter of more than 4 KB; `next` throws it for characters that begin no token */
export const lexerOf = (text: string): Lexer => {
  if (Buffer.byteLength(text) > MAX_FILTER_BYTES) {
    throw refused('invalidFilter', `A filter has at most ${MAX_FILTER_BYTES} bytes`);
  }
  let position = 0;
  return {
    next: () => {
      position += matchAt(SPACE, text, position)?.length ?? 0;
      const at = position;
      const character = text[at];
      if (character === undefined) return { kind: 'end', at };
      if (character === '(' || character === ')' || character === '[' || character === ']') {
        position += 1;
        return { kind: character, at };
      }
      if (character === '"') {
        const literal = matchAt(JSON_TEXT, text, at);
        if (literal === null) throw refused('invalidFilter', `The text at character ${at} has no closing quote`);
        position += literal.length;
        return { kind: 'text', value: textOf(literal, at), at };
      }
      const word = matchAt(WORD, text, at);
      if (word === null) throw refused('invalidFilter', `Unexpected character at ${at}`);
      position += word.length;
      return { kind: 'word', text: word, at };
    },
  };
};
