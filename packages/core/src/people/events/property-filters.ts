import { z } from 'zod';
import { jsonKeywords, NO_NULL_CHARACTER } from '../../foundation/json-keywords.ts';

/** Maximum filters of a trigger or a wait. An event has no more properties. Source: interface, Limits. */
export const MAX_FILTERS = 100;

const filterKey = z
  .string()
  .refine((key) => !key.includes('\0'), 'must not contain the character U+0000')
  .register(jsonKeywords, NO_NULL_CHARACTER);

/** Required values of event properties, as text. */
export const propertyFilters = z
  .record(filterKey, z.string())
  .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, `must have at most ${MAX_FILTERS} keys`)
  .register(jsonKeywords, { maxProperties: MAX_FILTERS });

type Properties = Readonly<Record<string, unknown>>;

/**
 * Text of a value for comparison with a filter: strings as they are, numbers and booleans as JSON. Other values never
 * match.
 */
export const filterTextOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? JSON.stringify(value)
    : undefined;
};

/** True if each filter equals the own top-level property of that name. Throws nothing. */
export const fitsFilters = (filters: Readonly<Record<string, string>>, properties: Properties): boolean => {
  for (const key of Object.keys(filters))
    if (!Object.hasOwn(properties, key) || filterTextOf(properties[key]) !== filters[key]) return false;
  return true;
};
