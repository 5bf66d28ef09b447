// Flags of commands, made of the fields of an operation: type, choices, description and whether a flag is required are
// those of the field, unless the table says otherwise.

import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api.ts';
import type { Context } from '../command-line.ts';
import { namesEvents } from '../event-names.ts';
import { type Field, operations } from '../generated/operations.ts';

/** How a flag differs from its field; a text alone is its description. */
export type Flag<Name extends string = string> =
  | string
  | {
      /** The field that takes the value; absent: the field of the same name. */
      readonly field?: Name;
      /** Absent: the description of the field. */
      readonly text?: string;
      /** Placeholder of the value in `--help`. */
      readonly value?: string;
      readonly choices?: readonly string[];
      readonly parse?: (text: string, before?: never) => unknown;
      /** The default, and how `--help` shows it. */
      readonly usual?: readonly [value: unknown, shown?: string];
      readonly isRequired?: boolean;
      readonly takesEventNames?: true;
      /** Turns the flag's value into the field's. */
      readonly convert?: (value: never, context: Context) => unknown;
      /** Finds the id of what the value names. */
      readonly find?: (api: Api, text: string) => Promise<string>;
    };

/** Flags by name, in the order in which `--help` shows them. */
export type Flags<Name extends string = string> = Readonly<Record<string, Flag<Name>>>;
/** Values of parsed flags, by their names in camel case. */
export type FlagValues = Readonly<Record<string, unknown>>;

const numberOf = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
};

const isNumber = ({ type }: Field): boolean => type === 'number' || type === 'integer';

const placeholderOf = (field: Field): string =>
  field.type === 'array' ? '<values...>' : isNumber(field) ? '<number>' : '<text>';

const camelCase = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A flag with the field that takes its value. Throws TypeError where the operation has no such field. */
const resolve = (operation: string, flagName: string, entry: Flag) => {
  const flag = typeof entry === 'string' ? { text: entry } : entry;
  const { field: name = camelCase(flagName), ...rest } = flag;
  const described = operations[operation];
  const part = described && name in described.query ? 'query' : 'body';
  const field = described?.[part][name];
  if (field === undefined) throw new TypeError(`${operation} has no field ${name}`);
  return { ...rest, name, part, field } as const;
};

/** The options of flags. Throws TypeError for a field that the operation does not have. */
export const optionsOf = (operation: string, flags: Flags): Option[] =>
  Object.entries(flags).map(([flagName, entry]) => {
    const { field, parse, usual, takesEventNames, ...flag } = resolve(operation, flagName, entry);
    const { text = field.text, value, choices = field.choices, isRequired = field.isRequired === true } = flag;
    const isSwitch = field.type === 'boolean' && choices === undefined;
    const shown = isSwitch ? '' : ` ${value === undefined ? placeholderOf(field) : `<${value}>`}`;
    const option = new Option(`--${flagName}${shown}`, text);
    // Safe: a parser that collects values gets its own earlier result.
    if (parse) option.argParser((word, before) => parse(word, before as never));
    else if (isNumber(field)) option.argParser(numberOf);
    else if (choices && takesEventNames !== true) option.choices(choices);
    if (usual) option.default(...usual);
    if (isRequired) option.makeOptionMandatory();
    return takesEventNames ? namesEvents(option) : option;
  });

/** Query and body of parsed flags. Throws what a conversion throws. */
export const inputOf = async (
  context: Context,
  operation: string,
  flags: Flags,
  values: FlagValues,
): Promise<{ readonly query: Record<string, unknown>; readonly body: Record<string, unknown> }> => {
  const input: Record<'query' | 'body', Record<string, unknown>> = { query: {}, body: {} };
  for (const [flagName, entry] of Object.entries(flags)) {
    const value = values[camelCase(flagName)];
    if (value === undefined) continue;
    const { part, name, convert } = resolve(operation, flagName, entry);
    // Safe: the conversion stands beside the parser that made the value.
    input[part][name] = convert ? await convert(value as never, context) : value;
  }
  return input;
};

/** The query with ids in place of names. Throws what a search throws. */
export const withIds = async (
  api: Api,
  operation: string,
  flags: Flags,
  query: FlagValues,
): Promise<Record<string, unknown>> => {
  const ids = { ...query };
  for (const [flagName, entry] of Object.entries(flags)) {
    const { name, find } = resolve(operation, flagName, entry);
    if (find && ids[name] !== undefined) ids[name] = await find(api, String(ids[name]));
  }
  return ids;
};
