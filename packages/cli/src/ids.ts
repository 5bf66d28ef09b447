import type { Page, PageQuery } from '@beckon/core';
import { shortId } from './cells.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { collect } from './listing.ts';

/** The form in which tables show ids to people. */
const SHORT = /^[0-9a-f]{8}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True for an id, whole or as tables show it. Throws nothing. */
export const isId = (text: string): boolean => UUID.test(text) || SHORT.test(text);

/** True for a whole id. Throws nothing. */
export const isWholeId = (text: string): boolean => UUID.test(text);

/** Rows that are looked through for a short id, newest first. Ours: five full pages. */
const MAX_LOOKED_AT = 1_000;

/**
 * Resolves a short id among the newest rows; returns any other text unchanged.
 * Throws CliError: none of them ends so (1), or several do (2).
 */
export const wholeId = async (
  what: string,
  given: string,
  ...lists: readonly ((query: PageQuery) => Promise<Page<{ readonly id: string }>>)[]
): Promise<string> => {
  if (!SHORT.test(given)) return given;
  const found: string[] = [];
  for (const list of lists) {
    const { rows } = await collect(MAX_LOOKED_AT, list);
    found.push(...rows.map(({ id }) => id).filter((id) => shortId(id) === given));
  }
  const [first, ...others] = found;
  if (first === undefined) {
    const message = `None of the newest ${MAX_LOOKED_AT} ${what}s has an id that ends with ${given}.`;
    throw new CliError(EXIT.negative, message, { code: 'NOT_FOUND', hint: 'Give the whole id: -o json shows it.' });
  }
  if (others.length > 0)
    throw usageError(`Several ${what}s end so; say which:\n${found.map((id) => `  ${id}`).join('\n')}`);
  return first;
};

/**
 * Resolves a name or a short id to the id; returns an unknown text unchanged, so that the read answers not found. Throws
 * CliError usage for an ambiguous name, with the ids.
 */
export const idOfNamed = async (
  what: string,
  given: string,
  ...lists: readonly ((query: PageQuery) => Promise<Page<{ readonly id: string; readonly name: string }>>)[]
): Promise<string> => {
  if (isWholeId(given)) return given;
  const named: string[] = [];
  for (const list of lists) {
    const { rows } = await collect(MAX_LOOKED_AT, list);
    named.push(...rows.filter(({ name }) => name === given).map(({ id }) => id));
  }
  const [first, ...others] = named;
  if (first === undefined) return wholeId(what, given, ...lists);
  if (others.length === 0) return first;
  throw usageError(`Several ${what}s are called ${given}. Use an id:\n${named.map((id) => `  ${id}`).join('\n')}`);
};
