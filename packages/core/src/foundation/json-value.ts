/** A readonly JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * True for a value that JSON represents exactly: finite numbers, plain objects, nothing undefined.
 *
 * @param levels maximum nesting; a scalar has 0, `[1]` has 1. Throws nothing, whatever the depth.
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
