// Limits arrays within free-form values: properties, traits, data, variables.

import { MAX_JSON_DEPTH } from './json.ts';

/** Maximum items of one array, at any depth. Source: interface, Limits; contract, Array items. */
export const MAX_ARRAY_ITEMS = 1_000;
/** Message for an array with more items. */
export const TOO_MANY_ITEMS = `at most ${MAX_ARRAY_ITEMS} array items`;

const findLongArray = (value: unknown, path: string, level: number): string | null => {
  // A deeper value is refused as a whole.
  if (typeof value !== 'object' || value === null || level > MAX_JSON_DEPTH) return null;
  if (Array.isArray(value)) {
    if (value.length > MAX_ARRAY_ITEMS) return path;
    for (let at = 0; at < value.length; at += 1) {
      const item: unknown = value[at];
      if (typeof item !== 'object' || item === null) continue;
      const found = findLongArray(item, `${path}.${at}`, level + 1);
      if (found !== null) return found;
    }
    return null;
  }
  // Runs for each event, so it allocates nothing unless values are nested.
  for (const key in value) {
    // Proof of the cast: a non-null object that is no array, read by its own keys, gives unknown values.
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== 'object' || item === null) continue;
    const found = findLongArray(item, path === '' ? key : `${path}.${key}`, level + 1);
    if (found !== null) return found;
  }
  return null;
};

/**
 * The path of the first array with more than 1,000 items, at any depth; null if there is none. The items of such an
 * array are not visited. Throws nothing.
 *
 * @param path path of the value; if empty, paths begin with the value's own keys
 */
export const longArrayIn = (value: unknown, path = ''): string | null => findLongArray(value, path, 1);
