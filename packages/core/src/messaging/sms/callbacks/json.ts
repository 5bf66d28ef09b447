/** A member of what a provider posted, which may be anything; undefined: it has none. Throws nothing. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** The same, where it is text. */
export const textOf = (value: unknown, name: string): string | null => {
  const found = member(value, name);
  return typeof found === 'string' ? found : null;
};

/** The first of a list; undefined for what is none. */
export const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
