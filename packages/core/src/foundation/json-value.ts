/** A value that JSON can hold, read only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Tells whether a value is JSON as it stands: finite numbers, plain objects, nothing undefined.
 *
 * @param levels nesting at most; a scalar has none, `[1]` has one. Throws nothing, whatever the depth.
 */
export const isJsonValue = (value: unknown, levels: number): value is JsonValue => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJsonValue(item, levels - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJsonValue(item, levels - 1));
};
