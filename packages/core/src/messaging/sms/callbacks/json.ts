/** A member of untrusted JSON; undefined: none. Throws nothing. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** The same for a text member. */
export const textOf = (value: unknown, name: string): string | null => {
  const found = member(value, name);
  return typeof found === 'string' ? found : null;
};

/** The first item of a list; undefined for any other value. */
export const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
