import { quoted, refused, type ScimError } from '../scim-error.ts';
import { type FilterToken, type Lexer, lexerOf } from './lex.ts';

export type CompareOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

export type Literal = string | number | boolean | null;

/** A filter as it is written; names are resolved later, against the schemas of a resource. */
export type ScimFilter =
  | { readonly kind: 'and'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | { readonly kind: 'compare'; readonly path: string; readonly op: CompareOperator; readonly value: Literal }
  | { readonly kind: 'present'; readonly path: string }
  /** True if one element of the list matches the filter. */
  | { readonly kind: 'element'; readonly path: string; readonly filter: ScimFilter };

/** The path of a PATCH operation: `name`, `name[filter]` or `name[filter].sub`. */
export type ParsedPath = {
  readonly path: string;
  readonly filter: ScimFilter | null;
  readonly sub: string | null;
};

/** Source of both: authentication design, Filters. */
export const MAX_FILTER_DEPTH = 10;
export const MAX_FILTER_TERMS = 50;

const OPERATORS: ReadonlyMap<string, CompareOperator> = new Map(
  (['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const).map((op) => [op, op]),
);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NAME = /^[A-Za-z$][\w$:.-]*$/;

type Parser = { readonly peek: () => FilterToken; readonly take: () => FilterToken; readonly lexer: Lexer };

const parserOf = (text: string): Parser => {
  const lexer = lexerOf(text);
  let ahead: FilterToken | null = null;
  const peek = (): FilterToken => {
    ahead ??= lexer.next();
    return ahead;
  };
  return {
    lexer,
    peek,
    take: () => {
      const token = peek();
      ahead = null;
      return token;
    },
  };
};

const unexpected = (token: FilterToken): ScimError => {
  if (token.kind === 'end') return refused('invalidFilter', 'The filter ends too early');
  const shown = token.kind === 'word' ? token.text : token.kind === 'text' ? token.value : token.kind;
  return refused('invalidFilter', `Unexpected ${quoted(shown)} at character ${token.at}`);
};

const keywordOf = (token: FilterToken): string => (token.kind === 'word' ? token.text.toLowerCase() : '');

const literalOf = (token: FilterToken): Literal => {
  if (token.kind === 'text') return token.value;
  const keyword = keywordOf(token);
  if (keyword === 'true') return true;
  if (keyword === 'false') return false;
  if (keyword === 'null') return null;
  if (token.kind === 'word' && NUMBER.test(token.text)) return Number(token.text);
  throw unexpected(token);
};

/** Recursive descent; depth and terms are counted before the work that they cost. */
const expressionsOf = (parser: Parser) => {
  let terms = 0;
  const expect = (kind: ')' | ']'): void => {
    const token = parser.take();
    if (token.kind !== kind) throw unexpected(token);
  };
  const deeper = (depth: number, at: number): number => {
    if (depth >= MAX_FILTER_DEPTH) {
      throw refused(
        'invalidFilter',
        `A filter has at most ${MAX_FILTER_DEPTH} levels; one more begins at character ${at}`,
      );
    }
    return depth + 1;
  };
  const comparison = (name: FilterToken, depth: number, isElement: boolean): ScimFilter => {
    if (name.kind !== 'word' || !NAME.test(name.text)) throw unexpected(name);
    terms += 1;
    if (terms > MAX_FILTER_TERMS) throw refused('invalidFilter', `A filter has at most ${MAX_FILTER_TERMS} terms`);
    const operator = parser.take();
    if (operator.kind === '[' && !isElement) {
      const filter = disjunction(deeper(depth, operator.at), true);
      expect(']');
      return { kind: 'element', path: name.text, filter };
    }
    const keyword = keywordOf(operator);
    if (keyword === 'pr') return { kind: 'present', path: name.text };
    const op = OPERATORS.get(keyword);
    if (op === undefined) throw unexpected(operator);
    return { kind: 'compare', path: name.text, op, value: literalOf(parser.take()) };
  };
  const grouped = (depth: number, isElement: boolean): ScimFilter => {
    const filter = disjunction(depth, isElement);
    expect(')');
    return filter;
  };
  const factor = (depth: number, isElement: boolean): ScimFilter => {
    const token = parser.take();
    if (token.kind === '(') return grouped(deeper(depth, token.at), isElement);
    const following = parser.peek();
    if (keywordOf(token) === 'not' && following.kind === '(') {
      parser.take();
      return { kind: 'not', filter: grouped(deeper(depth, following.at), isElement) };
    }
    return comparison(token, depth, isElement);
  };
  const chain = (kind: 'and' | 'or', operand: () => ScimFilter): ScimFilter => {
    const first = operand();
    const filters = [first];
    while (keywordOf(parser.peek()) === kind) {
      parser.take();
      filters.push(operand());
    }
    return filters.length === 1 ? first : { kind, filters };
  };
  const disjunction = (depth: number, isElement: boolean): ScimFilter =>
    chain('or', () => chain('and', () => factor(depth, isElement)));
  return { disjunction, expect };
};

/**
 * Parses the filter of a list.
 *
 * @throws ScimError invalidFilter. Source: RFC 7644, 3.4.2.2
 */
export const parseFilter = (text: string): ScimFilter => {
  const parser = parserOf(text);
  const filter = expressionsOf(parser).disjunction(0, false);
  const token = parser.take();
  if (token.kind !== 'end') throw unexpected(token);
  return filter;
};

/**
 * Parses the path of a PATCH operation.
 *
 * @throws ScimError invalidPath, or invalidFilter for the part in brackets. Source: RFC 7644, figure 7
 */
export const parsePath = (text: string): ParsedPath => {
  const parser = parserOf(text);
  const invalid = (): ScimError => refused('invalidPath', `${quoted(text)} is not a path`);
  const name = parser.take();
  if (name.kind !== 'word' || !NAME.test(name.text)) throw invalid();
  if (parser.peek().kind === 'end') return { path: name.text, filter: null, sub: null };
  if (parser.take().kind !== '[') throw invalid();
  const { disjunction, expect } = expressionsOf(parser);
  const filter = disjunction(1, true);
  expect(']');
  const after = parser.take();
  if (after.kind === 'end') return { path: name.text, filter, sub: null };
  const sub = after.kind === 'word' && after.text.startsWith('.') ? after.text.slice(1) : '';
  if (sub === '' || parser.take().kind !== 'end') throw invalid();
  return { path: name.text, filter, sub };
};
