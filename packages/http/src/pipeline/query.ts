import { DEFAULT_LIMIT, fieldErrorsOf, MAX_LIMIT, validationError } from '@beckon/core';
import { z } from 'zod';

// `meta` describes the text form of a value for the OpenAPI description.
const limit = z
  .string()
  .regex(/^\d{1,3}$/, `must be a whole number from 1 to ${MAX_LIMIT}`)
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_LIMIT, `must be a whole number from 1 to ${MAX_LIMIT}`)
  .default(DEFAULT_LIMIT)
  .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  .describe(`Items per page. 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}.`);
const text = z.string().min(1, 'must not be empty');

/** `?limit` and `?cursor`, and the filters of a list. */
export const pageQuery = z.object({
  limit,
  cursor: text.optional().describe('Value of pagination.nextCursor of the previous page. Default: the first page.'),
});
/** A text filter, or absent. */
export const filter = text.optional();
/** A filter with a few allowed values, or absent. */
export const oneOf = <Word extends string>(words: readonly Word[]) =>
  z.enum(words, `must be one of ${words.join(', ')}`).optional();
/** `true` or `false`; absent is false. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });

/** A day, which begins at midnight UTC, or an ISO 8601 date-time with an offset or Z; or absent. */
const instant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be an ISO 8601 date, or a date-time with an offset')
  .transform((text) => new Date(text))
  .optional();
/** `count` of a list. */
export const count = flag.describe('Whether the response contains pagination.total. Default: false.');
/** The query of a list ordered by creation time. */
export const listQuery = pageQuery.extend({
  from: instant.describe(
    'Start of the time range, included. ISO 8601 date (midnight UTC) or date-time with offset. Default: no start.',
  ),
  to: instant.describe(
    'End of the time range, excluded. ISO 8601 date (midnight UTC) or date-time with offset. Default: no end.',
  ),
  count,
});

/** Parameters that the pipeline handles, besides a list's own filters. */
const RESERVED = new Set(['projectId']);

/**
 * Parses the query with a schema.
 *
 * @throws BeckonError VALIDATION_ERROR; also for an unknown or repeated parameter
 */
export const readQuery = <Schema extends z.ZodObject>(query: URLSearchParams, schema: Schema): z.output<Schema> => {
  const unknown = [...query.keys()].filter((name) => !Object.hasOwn(schema.shape, name) && !RESERVED.has(name));
  if (unknown.length > 0) {
    const allowed = Object.keys(schema.shape).join(', ');
    const message = allowed === '' ? 'unknown query parameter' : `unknown query parameter. Allowed: ${allowed}`;
    throw validationError(Object.fromEntries(unknown.map((name) => [name, [message]])));
  }
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const found = query.getAll(name);
    if (found.length > 1) throw validationError({ [name]: ['must occur only once in the query'] });
    if (found[0] !== undefined) values[name] = found[0];
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw validationError(fieldErrorsOf(result.error));
};
