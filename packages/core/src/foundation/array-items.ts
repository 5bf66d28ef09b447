// How many items an array may have within what clients and authors write freely: properties, traits, data, variables.

import { MAX_JSON_DEPTH } from './json.ts';

/** Items of one array, at any depth. Source: interface, Limits; contract, Array items. */
export const MAX_ARRAY_ITEMS = 1_000;
/** What is said of an array with more. */
export const TOO_MANY_ITEMS = `at most ${MAX_ARRAY_ITEMS} array items`;

const longIn = (value: unknown, path: string, level: number): string | null => {
  // A deeper value is refused as a whole.
  if (typeof value !== 'object' || value === null || level > MAX_JSON_DEPTH) return null;
  if (Array.isArray(value)) {
    if (value.length > MAX_ARRAY_ITEMS) return path;
    for (let at = 0; at < value.length; at += 1) {
      const item: unknown = value[at];
      if (typeof item !== 'object' || item === null) continue;
      const found = longIn(item, `${path}.${at}`, level + 1);
      if (found !== null) return found;
    }
    return null;
  }
  // On the path of each event: nothing is allocated where nothing is nested.
  for (const key in value) {
    // Proof of the cast: a non-null object that is no array, read by its own keys, gives unknown values.
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== 'object' || item === null) continue;
    const found = longIn(item, path === '' ? key : `${path}.${key}`, level + 1);
    if (found !== null) return found;
  }
  return null;
};

/**
 * The path of the first array with more than 1,000 items, at any depth; null: there is none. What lies below such an array
 * is not visited. Throws nothing.
 *
 * @param path where the value stands; empty: paths begin with its own keys
 */
export const longArrayIn = (value: unknown, path = ''): string | null => longIn(value, path, 1);
