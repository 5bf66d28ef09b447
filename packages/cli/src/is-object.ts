/** True for what JSON calls an object: no array, and not null. Throws nothing. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
