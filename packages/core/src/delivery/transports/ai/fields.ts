// Reads untrusted JSON of a provider. Throws nothing.

import { isObject } from '../../../foundation/json.ts';

/** The value if it is an object, else an empty object. */
export const objectAt = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** The items of an array that are objects. */
export const objectsAt = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A token count; null for anything else. */
export const tokensAt = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
