import { compact } from './compact.ts';
// Lists are read forward from a position. A cursor is that position and a digest of position and binding, so that a
// cursor of another org's list, of another filter, or one put together by hand is refused instead of misread.
// It is no secret: whoever holds it may read the list anyway.

import { BeckonError, validationError } from './errors.ts';
import { constantTimeEqual, sha256Hex } from './hash.ts';
import { isMoment, NO_MOMENT } from './moments.ts';

/** A page of a list: `limit` 1 to 200, default 50; `cursor` from the page before. */
export type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };
/** What a list of things that were made at some time may also be asked: those from `from` on, and before `to`. */
export type ListQuery = PageQuery & {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** The page also says how many rows the list has in all, whatever their page. */
  readonly count?: boolean | undefined;
};
export type Page<T> = { readonly data: readonly T[]; readonly pagination: Pagination };
export type Pagination = {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  /** Where it was asked for. */
  readonly total?: number;
};

/** Rows of a page when the caller says nothing. Source: contract, Conventions. */
export const DEFAULT_LIMIT = 50;
/** Rows of a page at most. Source: contract, Conventions. */
export const MAX_LIMIT = 200;
/** Bytes of a page's rows as JSON, unless its first one alone has more. Source: contract, Conventions. */
export const MAX_PAGE_BYTES = 4 * 1_048_576;
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
  if (!isOurs)
    throw validationError({ cursor: ['must be the nextCursor of an earlier page of this list with the same filters'] });
  return position;
};

/**
 * How many rows a page has: the asked number, 50 when none is asked for.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.limit` unless it is a whole number from 1 to 200
 */
export const pageLimit = (limit: number = DEFAULT_LIMIT): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw validationError({ limit: [`must be a whole number from 1 to ${MAX_LIMIT}`] });
};

/** Which rows a list shows by their time; milliseconds, null: no bound. */
export type TimeRange = { readonly fromMs: number | null; readonly toMs: number | null };

const boundOf = (name: string, moment: Date | undefined): number | null => {
  const ms = moment?.getTime();
  if (ms === undefined) return null;
  if (isMoment(ms)) return ms;
  throw validationError({ [name]: [NO_MOMENT] });
};

/**
 * The times that a list is asked for.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.from` or `.to` for no time, INVALID_RANGE for an end before its beginning
 */
export const timeRange = ({ from, to }: Pick<ListQuery, 'from' | 'to'>): TimeRange => {
  const [fromMs, toMs] = [boundOf('from', from), boundOf('to', to)];
  if (fromMs === null || toMs === null || fromMs <= toMs) return { fromMs, toMs };
  throw new BeckonError('INVALID_RANGE', 'Invalid time range: `to` is before `from`. Swap them.');
};

/** Bytes of a row of a page as JSON. */
export const jsonBytes = (row: unknown): number => Buffer.byteLength(JSON.stringify(row));

/** How many of the rows fit into a page, at least one where there is any. */
const fittingIn = (rows: readonly unknown[]): number => {
  let left = MAX_PAGE_BYTES;
  const first = rows.findIndex((row) => {
    left -= jsonBytes(row) + 1;
    return left < 0;
  });
  return first === -1 ? rows.length : Math.max(first, 1);
};

/**
 * A page from rows of which one more was fetched than the page holds. It holds fewer where they are large. Throws nothing.
 *
 * @param rows at most `limit + 1`, in the order of the list; the one too many only tells that there is more
 * @param positionOf the position of a row, from which the next page goes on after it
 * @param binding as for `encodeCursor`
 * @param total of the list, where it was asked for
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => string,
  binding: string,
  total?: number,
): Page<Row> => {
  const asked = rows.slice(0, limit);
  const data = asked.slice(0, fittingIn(asked));
  const last = data.at(-1);
  const hasMore = rows.length > data.length;
  const nextCursor = hasMore && last !== undefined ? encodeCursor(binding, positionOf(last)) : null;
  return { data, pagination: { limit, hasMore, nextCursor, ...compact({ total }) } };
};

/** Where a page begins, and how many rows are read of it. */
export type Place = {
  /** Position of the last row of the page before; null: the list begins here. */
  readonly after: string | null;
  readonly limit: number;
};

/** How a list is read. */
export type List<Row> = {
  /** As for `encodeCursor`. */
  readonly binding: string;
  /** At most `limit` rows after the position, in the order of the list. A page is measured by these rows. */
  readonly read: (place: Place) => Promise<readonly Row[]>;
  /** Rows of the whole list. Absent: the list is never counted. */
  readonly count?: () => Promise<number>;
  /** The position of a row, from which the next page goes on after it. */
  readonly positionOf: (row: Row) => string;
};

/** Position of rows that are listed by their ids. */
export const idOf = ({ id }: { readonly id: string }): string => id;

/**
 * Answers a query for a page: reads one row more than the page holds, and counts the list if the query says so.
 * Throws VALIDATION_ERROR for its limit or cursor, and what the reads throw.
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
