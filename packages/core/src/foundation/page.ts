import { compact } from './compact.ts';
// Lists are read forward from a position. A cursor is that position and a digest of position and binding, so a cursor
// of another organization's list or another filter, or one made by hand, is rejected. It is not secret: its holder may
// read the list anyway.

import { BeckonError, validationError } from './errors.ts';
import { constantTimeEqual, sha256Hex } from './hash.ts';
import { isMoment, MOMENT_OUT_OF_RANGE } from './moments.ts';

/** Query for one page: `limit` 1 to 200, default 50; `cursor` from the page before. */
export type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };
/** Query for a list of rows with a creation time: those from `from` on and before `to`. */
export type ListQuery = PageQuery & {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Also returns the number of rows of the whole list. */
  readonly count?: boolean | undefined;
};
export type Page<T> = { readonly data: readonly T[]; readonly pagination: Pagination };
/** A list that has few rows by its nature, and is returned whole. */
export type WholeList<T> = { readonly data: readonly T[] };
export type Pagination = {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  /** Present if `count` was requested. */
  readonly total?: number;
};

/** Default rows of a page. Source: contract, Conventions. */
export const DEFAULT_LIMIT = 50;
/** Maximum rows of a page. Source: contract, Conventions. */
export const MAX_LIMIT = 200;
/** Maximum bytes of a page's rows as JSON, unless its first row alone is larger. Source: contract, Conventions. */
export const MAX_PAGE_BYTES = 4 * 1_048_576;
/** Characters of a cursor that are read. Chosen: the longest position is a userId of 256 characters and an id. */
const MAX_CURSOR_CHARACTERS = 4_096;
/** Chosen: 64 bits distinguish lists; nobody gains by a collision. */
const DIGEST_BYTES = 8;

const digest = (binding: string, position: string): Buffer =>
  // The length separates binding and position.
  Buffer.from(sha256Hex(`${binding.length}:${binding}${position}`).slice(0, DIGEST_BYTES * 2), 'hex');

/**
 * A cursor for `position` in the list that `binding` identifies, as base64url. Throws nothing.
 *
 * @param binding identifies the list by name, scope and filters, such as `stableJson(['runs', orgId, projectId,
 * status])`
 * @param position where the next page begins, such as the id of the last row shown; well-formed text
 */
export const encodeCursor = (binding: string, position: string): string =>
  Buffer.concat([digest(binding, position), Buffer.from(position)]).toString('base64url');

/**
 * The position in a cursor.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.cursor` unless it is a cursor of this list
 */
export const decodeCursor = (binding: string, cursor: string): string => {
  const bytes = Buffer.from(cursor.slice(0, MAX_CURSOR_CHARACTERS), 'base64url');
  const position = bytes.subarray(DIGEST_BYTES).toString();
  const isAuthentic =
    constantTimeEqual(bytes.subarray(0, DIGEST_BYTES), digest(binding, position)) &&
    bytes.toString('base64url') === cursor;
  if (!isAuthentic)
    throw validationError({ cursor: ['must be the nextCursor of an earlier page of this list with the same filters'] });
  return position;
};

/**
 * The number of rows of a page: the requested limit, 50 by default.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.limit` unless it is a whole number from 1 to 200
 */
export const pageLimit = (limit: number = DEFAULT_LIMIT): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw validationError({ limit: [`must be a whole number from 1 to ${MAX_LIMIT}`] });
};

/** Time range of a list in milliseconds; null: no bound. */
export type TimeRange = { readonly fromMs: number | null; readonly toMs: number | null };

const boundOf = (name: string, moment: Date | undefined): number | null => {
  const ms = moment?.getTime();
  if (ms === undefined) return null;
  if (isMoment(ms)) return ms;
  throw validationError({ [name]: [MOMENT_OUT_OF_RANGE] });
};

/**
 * The requested time range of a list.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.from` or `.to` for an invalid time, INVALID_RANGE if `to` is before `from`
 */
export const timeRange = ({ from, to }: Pick<ListQuery, 'from' | 'to'>): TimeRange => {
  const [fromMs, toMs] = [boundOf('from', from), boundOf('to', to)];
  if (fromMs === null || toMs === null || fromMs <= toMs) return { fromMs, toMs };
  throw new BeckonError('INVALID_RANGE', 'Invalid time range: `to` is before `from`. Swap them.');
};

/** Bytes of a row of a page as JSON. */
export const jsonBytes = (row: unknown): number => Buffer.byteLength(JSON.stringify(row));

/** The number of rows that fit into a page, at least one if there is any. */
const fittingCount = (rows: readonly unknown[]): number => {
  let bytesLeft = MAX_PAGE_BYTES;
  const first = rows.findIndex((row) => {
    bytesLeft -= jsonBytes(row) + 1;
    return bytesLeft < 0;
  });
  return first === -1 ? rows.length : Math.max(first, 1);
};

/**
 * Builds a page from rows that were read with one extra row. Large rows make it shorter. Throws nothing.
 *
 * @param rows at most `limit + 1`, in the order of the list; the extra row only shows that more rows follow
 * @param positionOf the position of a row; the next page begins after it
 * @param binding as for `encodeCursor`
 * @param total rows of the whole list, if requested
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => string,
  binding: string,
  total?: number,
): Page<Row> => {
  const requested = rows.slice(0, limit);
  const data = requested.slice(0, fittingCount(requested));
  const last = data.at(-1);
  const hasMore = rows.length > data.length;
  const nextCursor = hasMore && last !== undefined ? encodeCursor(binding, positionOf(last)) : null;
  return { data, pagination: { limit, hasMore, nextCursor, ...compact({ total }) } };
};

/** Start of a page and number of rows to read. */
export type PageStart = {
  /** Position of the last row of the page before; null: start of the list. */
  readonly after: string | null;
  readonly limit: number;
};

/** Reads a list. */
export type List<Row> = {
  /** As for `encodeCursor`. */
  readonly binding: string;
  /**
   * Returns at most `limit` rows after the position, in the order of the list. The size of a page is measured on these
   * rows.
   */
  readonly read: (place: PageStart) => Promise<readonly Row[]>;
  /** Counts the rows of the whole list. Absent: the list is never counted. */
  readonly count?: () => Promise<number>;
  /** The position of a row; the next page begins after it. */
  readonly positionOf: (row: Row) => string;
};

/** Position of rows that are ordered by id. */
export const idOf = ({ id }: { readonly id: string }): string => id;

/**
 * Returns a page: reads one row more than the page has, and counts the list if requested. Throws VALIDATION_ERROR for
 * its limit or cursor, and errors of the reads.
 */
export const listPage = async <Row>(
  query: Pick<ListQuery, 'limit' | 'cursor' | 'count'>,
  { binding, read, count, positionOf }: List<Row>,
): Promise<Page<Row>> => {
  const limit = pageLimit(query.limit);
  const after = query.cursor === undefined ? null : decodeCursor(binding, query.cursor);
  const [rows, total] = await Promise.all([
    read({ after, limit: limit + 1 }),
    query.count === true ? count?.() : undefined,
  ]);
  return pageOf(rows, limit, positionOf, binding, total);
};

/** A list that is short by its limits, as one page. Throws nothing. */
export const wholePage = <Row>(data: readonly Row[]): Page<Row> => ({
  data,
  pagination: { limit: MAX_LIMIT, hasMore: false, nextCursor: null },
});
