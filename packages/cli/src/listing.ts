import type { Page, PageQuery } from '@beckon/core';
import { InvalidArgumentError, Option } from 'commander';
import { MAX_PAGE } from './names.ts';
import type { Output } from './output.ts';

/** Default maximum of rows in a list. Chosen: one screen. */
export const DEFAULT_LIMIT = 50;

/** Parses `--limit`. Throws InvalidArgumentError. */
export const limitOf = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Pass a whole number from 1.');
  return number;
};

/** The flag of `limitOption`. */
export type LimitFlag = { readonly limit: number };

/** `--limit`. */
export const limitOption = (text = 'Maximum number of rows', usual = DEFAULT_LIMIT): Option =>
  new Option('--limit <number>', text).argParser(limitOf).default(usual);

/** Reads pages until there are `limit` rows or no more. Throws the errors of `read`. */
export const collect = async <Row>(
  limit: number,
  read: (query: PageQuery) => Promise<Page<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> => {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { data, pagination } = await read({ limit: Math.min(MAX_PAGE, limit - rows.length), cursor });
    rows.push(...data);
    const { nextCursor, hasMore } = pagination;
    if (!hasMore || nextCursor === null || rows.length >= limit) return { rows, hasMore };
    cursor = nextCursor;
  }
};

/** All rows of a list. Throws the errors of `read`. */
export const allRows = async <Row>(read: (query: PageQuery) => Promise<Page<Row>>): Promise<readonly Row[]> =>
  (await collect(Number.POSITIVE_INFINITY, read)).rows;

/** Notes that a list was truncated, and how to see more. */
export const noteMore = (output: Output, hasMore: boolean, limit: number, what = ''): void => {
  if (output.form === 'table' && hasMore) output.note(`There are more${what}: pass --limit ${limit * 4}.`);
};
