import type { Page, PageQuery } from '@beckon/core';
import { shortId } from './cells.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { collect } from './listing.ts';

/** The form in which tables show ids to people. */
const SHORT = /^[0-9a-f]{8}$/;
/** Rows that are looked through for a short id, newest first. Ours: five full pages. */
const MAX_LOOKED_AT = 1_000;

/**
 * The id that a short one stands for among the newest rows; anything but a short id is given back as it is.
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
