// Lists are read forward from a position. A cursor is that position and a digest of position and binding, so that a
// cursor of another org's list, of another filter, or one put together by hand is refused instead of misread.
// It is no secret: whoever holds it may read the list anyway.

import { validationError } from '../errors.ts';
import { constantTimeEqual, sha256Hex } from './hash.ts';

/** A page of a list: `limit` 1 to 200, default 50; `cursor` from the page before. */
export type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };
export type Page<T> = { readonly data: readonly T[]; readonly pagination: Pagination };
export type Pagination = { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string | null };

/** Rows of a page when the caller says nothing. Source: contract, Conventions. */
export const DEFAULT_LIMIT = 50;
/** Rows of a page at most. Source: contract, Conventions. */
export const MAX_LIMIT = 200;
/** Characters of a cursor that are looked at; ours: the longest position is a userId of 256 characters and an id. */
const MAX_CURSOR_CHARACTERS = 4_096;
/** 64 bits tell lists apart; nobody gains by a collision. */
const DIGEST_BYTES = 8;

const digest = (binding: string, position: string): Buffer =>
  // The length keeps binding and position from flowing into each other.
  Buffer.from(sha256Hex(`${binding.length}:${binding}${position}`).slice(0, DIGEST_BYTES * 2), 'hex');

/**
 * A cursor for the row at `position` of the list that `binding` names, as base64url. Throws nothing.
 *
 * @param binding the list: its name, scope and filters, such as `stableJson(['runs', orgId, projectId, status])`
 * @param position where the next page begins, such as the id of the last row shown; well-formed text
 */
export const encodeCursor = (binding: string, position: string): string =>
  Buffer.concat([digest(binding, position), Buffer.from(position)]).toString('base64url');

/**
 * The position inside a cursor.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.cursor` for anything but a cursor of this very list
 */
export const decodeCursor = (binding: string, cursor: string): string => {
  const bytes = Buffer.from(cursor.slice(0, MAX_CURSOR_CHARACTERS), 'base64url');
  const position = bytes.subarray(DIGEST_BYTES).toString();
  const isOurs =
    constantTimeEqual(bytes.subarray(0, DIGEST_BYTES), digest(binding, position)) &&
    bytes.toString('base64url') === cursor;
  if (!isOurs) throw validationError({ cursor: ['This is not a cursor of this list with these filters.'] });
  return position;
};

/**
 * How many rows a page has: the asked number, 50 when none is asked for.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.limit` unless it is a whole number from 1 to 200
 */
export const pageLimit = (limit: number = DEFAULT_LIMIT): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw validationError({ limit: [`A limit is a whole number from 1 to ${MAX_LIMIT}.`] });
};

/**
 * A page from rows of which one more was fetched than the page holds. Throws nothing.
 *
 * @param rows at most `limit + 1`, in the order of the list; the one too many only tells that there is more
 * @param positionOf the position of a row, from which the next page goes on after it
 * @param binding as for `encodeCursor`
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => string,
  binding: string,
): Page<Row> => {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore && last !== undefined ? encodeCursor(binding, positionOf(last)) : null;
  return { data, pagination: { limit, hasMore, nextCursor } };
};
