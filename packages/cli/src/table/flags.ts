// Flags of commands, made of the fields of an operation: type, words and whether one is required are the operation's.

import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api.ts';
import type { Context } from '../command-line.ts';
import { namesEvents } from '../event-names.ts';
import { type Field, operations } from '../generated/operations.ts';

/** A flag where it differs from its field; a text alone is its description. */
export type Flag<Name extends string = string> =
  | string
  | {
      /** The field that takes it; absent: the one of the same name. */
      readonly field?: Name;
      readonly text: string;
      /** What stands for its value in `--help`. */
      readonly value?: string;
      readonly choices?: readonly string[];
      readonly parse?: (text: string, before?: never) => unknown;
      /** Its value where it is left out, and how `--help` shows that. */
      readonly usual?: readonly [value: unknown, shown?: string];
      readonly isRequired?: boolean;
      readonly takesEventNames?: true;
      /** The field's value of the flag's. */
      readonly convert?: (value: never, context: Context) => unknown;
      /** The id of what the value names. */
      readonly find?: (api: Api, given: string) => Promise<string>;
    };

export type Flags<Name extends string = string> = Readonly<Record<string, Flag<Name>>>;

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
};

const placeholderOf = ({ type }: Field): string =>
  type === 'array' ? '<values...>' : type === 'number' || type === 'integer' ? '<number>' : '<text>';

const camel = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const fieldNamed = (operation: string, name: string) => {
  const described = operations[operation];
  const place = described && name in described.query ? 'query' : 'body';
  const field = described?.[place][name];
  if (field === undefined) throw new TypeError(`${operation} has no field ${name}`);
  return { place, field } as const;
};

const partsOf = (operation: string, name: string, given: Flag) => {
  const flag = typeof given === 'string' ? { text: given } : given;
  return { ...flag, ...fieldNamed(operation, flag.field ?? camel(name)), name: flag.field ?? camel(name) };
};

/** The options of flags, in their order. Throws TypeError for a field that the operation does not have. */
export const optionsOf = (operation: string, flags: Flags): Option[] =>
  Object.entries(flags).map(([flag, given]) => {
    const {
      field,
      text,
      value,
      choices = field.choices,
      parse,
      usual,
      isRequired,
      ...more
    } = partsOf(operation, flag, given);
    const isSwitch = field.type === 'boolean' && choices === undefined;
    const shown = value === undefined ? placeholderOf(field) : `<${value}>`;
    const option = new Option(isSwitch ? `--${flag}` : `--${flag} ${shown}`, text);
    if (parse) option.argParser((word, before) => parse(word, before as never));
    else if (field.type === 'number' || field.type === 'integer') option.argParser(number);
    else if (choices && more.takesEventNames !== true) option.choices(choices);
    if (usual) option.default(...usual);
    if (isRequired ?? field.isRequired === true) option.makeOptionMandatory();
    return more.takesEventNames ? namesEvents(option) : option;
  });

/** Query and body of what flags say. Throws what a conversion throws. */
export const inputOf = async (
  context: Context,
  operation: string,
  flags: Flags,
  said: Readonly<Record<string, unknown>>,
): Promise<{ query: Record<string, unknown>; body: Record<string, unknown> }> => {
  const input = { query: {} as Record<string, unknown>, body: {} as Record<string, unknown> };
  for (const [flag, given] of Object.entries(flags)) {
    const value = said[camel(flag)];
    if (value === undefined) continue;
    const { place, name, convert } = partsOf(operation, flag, given);
    // Proof of the cast: the conversion stands beside the parser that made the value.
    input[place][name] = convert ? await convert(value as never, context) : value;
  }
  return input;
};

/** The query with ids in place of what flags name. Throws what a search throws. */
export const found = async (
  api: Api,
  operation: string,
  flags: Flags,
  query: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> => {
  const whole = { ...query };
  for (const [flag, given] of Object.entries(flags)) {
    const { name, find } = partsOf(operation, flag, given);
    if (find && whole[name] !== undefined) whole[name] = await find(api, String(whole[name]));
  }
  return whole;
};
