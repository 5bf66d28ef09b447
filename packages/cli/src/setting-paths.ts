// Settings by dotted keys, such as `quietHours.enabled`. Core validates the values.

import { usageError } from './exit-codes.ts';
import { isObject } from './is-object.ts';
import { didYouMean } from './suggest.ts';

type Values = Readonly<Record<string, unknown>>;

/** The parts of a key. Throws CliError usage for a key with an empty part. */
export const partsOf = (key: string): readonly [string, ...string[]] => {
  const [first = '', ...rest] = key.split('.');
  if (first === '' || rest.includes('')) throw usageError(`Invalid key "${key}". Example: quietHours.enabled.`);
  return [first, ...rest];
};

/** Parses a typed value: JSON if valid, else the text itself. */
export const typedValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The value of a key; undefined: there is none. */
export const valueAt = (values: unknown, [first, ...rest]: readonly string[]): unknown => {
  if (first === undefined) return values;
  return isObject(values) && Object.hasOwn(values, first) ? valueAt(values[first], rest) : undefined;
};

/** A copy with another value for a key; null removes the key, which restores its default. */
export const withValue = (values: unknown, [first, ...rest]: readonly string[], value: unknown): unknown => {
  if (first === undefined) return value;
  const { [first]: old, ...others } = isObject(values) ? values : {};
  if (rest.length === 0 && value === null) return others;
  return { ...others, [first]: withValue(old, rest, value) };
};

/** Every value with its full key; arrays are values. */
export const leavesOf = (value: unknown, key: string): (readonly [key: string, value: unknown])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, part]) => leavesOf(part, key === '' ? name : `${key}.${name}`))
    : [[key, value]];

/** A value in the form in which it is typed. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Settings without provider states, which have their own commands. */
export const withoutProviders = (settings: object): Values =>
  Object.fromEntries(
    Object.entries(settings).filter(([, value]) => !(isObject(value) && 'provider' in value && 'configured' in value)),
  );

/** All keys, of values and of groups. */
const keysOf = (values: unknown): readonly string[] => {
  const keys = leavesOf(values, '').map(([key]) => key.split('.'));
  return [...new Set(keys.flatMap((parts) => parts.map((_, at) => parts.slice(0, at + 1).join('.'))))];
};

/** `push has no setting quietHour.start (did you mean quietHours.start?).` */
export const noSetting = (channel: string, key: string, values: unknown): string =>
  `${channel} has no setting ${key}${didYouMean(key, keysOf(values))}.`;
