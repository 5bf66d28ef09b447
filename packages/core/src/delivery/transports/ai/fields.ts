// Reads JSON of a provider, which may be anything. Throws nothing.

import { isObject } from '../../../foundation/json.ts';

/** The object there, or an empty one. */
export const objectAt = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** The items there that are objects. */
export const objectsAt = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A number of tokens; null: it is none. */
export const tokensAt = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
