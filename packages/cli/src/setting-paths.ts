// Settings by the names of their parts, such as `quietHours.enabled`. What a value means is checked where it is stored.

import { usageError } from './exit-codes.ts';
import { isObject } from './is-object.ts';
import { didYouMean } from './suggest.ts';

type Values = Readonly<Record<string, unknown>>;

/** The parts of a key. Throws CliError usage for a key with an empty part. */
export const partsOf = (key: string): readonly [string, ...string[]] => {
  const [first = '', ...rest] = key.split('.');
  if (first === '' || rest.includes('')) throw usageError(`"${key}" is no key; one is like quietHours.enabled.`);
  return [first, ...rest];
};

/** A value as it is typed: JSON where it is that, else the text itself. */
export const typedValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** What stands under a key; undefined: nothing does. */
export const valueAt = (values: unknown, [first, ...rest]: readonly string[]): unknown => {
  if (first === undefined) return values;
  return isObject(values) && Object.hasOwn(values, first) ? valueAt(values[first], rest) : undefined;
};

/** The same values with another one under a key; null takes the part away, so that its default holds. */
export const withValue = (values: unknown, [first, ...rest]: readonly string[], value: unknown): unknown => {
  if (first === undefined) return value;
  const { [first]: old, ...others } = isObject(values) ? values : {};
  if (rest.length === 0 && value === null) return others;
  return { ...others, [first]: withValue(old, rest, value) };
};

/** Every value by its whole key; lists are values. */
export const leavesOf = (value: unknown, key: string): (readonly [key: string, value: unknown])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, part]) => leavesOf(part, key === '' ? name : `${key}.${name}`))
    : [[key, value]];

/** A value as a person types it. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Settings without the states of the providers, which have commands of their own. */
export const withoutProviders = (settings: object): Values =>
  Object.fromEntries(
    Object.entries(settings).filter(([, value]) => !(isObject(value) && 'provider' in value && 'configured' in value)),
  );

/** All keys of settings: of single values and of groups of values. */
const keysOf = (values: unknown): readonly string[] => {
  const keys = leavesOf(values, '').map(([key]) => key.split('.'));
  return [...new Set(keys.flatMap((parts) => parts.map((_, at) => parts.slice(0, at + 1).join('.'))))];
};

/** `push has no setting quietHour.start (did you mean quietHours.start?).` */
export const noSetting = (channel: string, key: string, values: unknown): string =>
  `${channel} has no setting ${key}${didYouMean(key, keysOf(values))}.`;
