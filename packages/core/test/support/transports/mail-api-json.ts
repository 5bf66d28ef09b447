import type { ApiRequest } from './mail-api.ts';

/** A JSON body; a string: why it is invalid. */
export const jsonOf = ({ headers, body }: ApiRequest): Readonly<Record<string, unknown>> | string => {
  if (headers['content-type'] !== 'application/json') return 'the content type must be application/json';
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? { ...value } : 'the body must be an object';
  } catch {
    return 'the body is no JSON';
  }
};

/** A member by a path of keys; undefined if there is none. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (one, key) => (typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined),
    value,
  );

/** A text member, else the empty string. */
export const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

/** The bare address of `"Name" <address>` or of an address. */
export const addressIn = (text: string): string => /<([^<>]+)>$/.exec(text)?.[1] ?? text;

/** The first missing field of these, in a sentence. */
export const missingOf = (value: unknown, ...names: readonly string[]): string | null => {
  const name = names.find((one) => at(value, one) === undefined);
  return name === undefined ? null : `${name} is missing`;
};
