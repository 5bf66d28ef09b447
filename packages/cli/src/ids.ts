import type { Page, PageQuery } from '@beckon/core';
import { shortId } from './cells.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { collect } from './listing.ts';

/** The short ids of tables on a terminal. */
const SHORT = /^[0-9a-f]{8}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True for an id, whole or short. Throws nothing. */
export const isId = (text: string): boolean => UUID.test(text) || SHORT.test(text);

/** True for a whole id. Throws nothing. */
export const isWholeId = (text: string): boolean => UUID.test(text);

/** Newest rows that are searched for a short id or a name. Chosen: five full pages. */
const MAX_SEARCHED = 1_000;

/**
 * Resolves a short id among the newest rows; returns other text unchanged. Throws CliError: no match (1), or several (2).
 */
export const wholeId = async (
  what: string,
  text: string,
  ...lists: readonly ((query: PageQuery) => Promise<Page<{ readonly id: string }>>)[]
): Promise<string> => {
  if (!SHORT.test(text)) return text;
  const found: string[] = [];
  for (const list of lists) {
    const { rows } = await collect(MAX_SEARCHED, list);
    found.push(...rows.map(({ id }) => id).filter((id) => shortId(id) === text));
  }
  const [first, ...others] = found;
  if (first === undefined) {
    const message = `No ${what} among the newest ${MAX_SEARCHED} has an id that ends with ${text}.`;
    throw new CliError(EXIT.negative, message, { code: 'NOT_FOUND', hint: 'Pass the whole id, which -o json prints.' });
  }
  if (others.length > 0)
    throw usageError(
      `Several ${what}s have an id that ends with ${text}. Pass a whole id:\n${found.map((id) => `  ${id}`).join('\n')}`,
    );
  return first;
};

/**
 * Resolves a name or a short id to the id; returns unknown text unchanged, so that the read fails with not found. Throws
 * CliError usage for an ambiguous name, with the ids.
 */
export const idOfNamed = async (
  what: string,
  text: string,
  ...lists: readonly ((query: PageQuery) => Promise<Page<{ readonly id: string; readonly name: string }>>)[]
): Promise<string> => {
  if (isWholeId(text)) return text;
  const named: string[] = [];
  for (const list of lists) {
    const { rows } = await collect(MAX_SEARCHED, list);
    named.push(...rows.filter(({ name }) => name === text).map(({ id }) => id));
  }
  const [first, ...others] = named;
  if (first === undefined) return wholeId(what, text, ...lists);
  if (others.length === 0) return first;
  throw usageError(`Several ${what}s have the name "${text}". Pass an id:\n${named.map((id) => `  ${id}`).join('\n')}`);
};
