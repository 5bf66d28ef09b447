// Flags derived from the fields of an operation: type, choices, description and whether they are required come from the
// field, unless the table overrides them.

import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api.ts';
import type { Context } from '../command-line.ts';
import { namesEvents } from '../event-names.ts';
import { type Field, operations } from '../generated/operations.ts';

/** Overrides of a field; a string is the description. */
export type Flag<Name extends string = string> =
  | string
  | {
      /** The field of the value; absent: the field with the flag's name. */
      readonly field?: Name;
      /** Description; absent: that of the field. */
      readonly text?: string;
      /** Placeholder of the value in `--help`. */
      readonly value?: string;
      readonly choices?: readonly string[];
      readonly parse?: (text: string, before?: never) => unknown;
      /** Default value, and its text in `--help`. */
      readonly usual?: readonly [value: unknown, shown?: string];
      readonly isRequired?: boolean;
      readonly takesEventNames?: true;
      /** Converts the flag's value to the field's. */
      readonly convert?: (value: never, context: Context) => unknown;
      /** Resolves a name to an id. */
      readonly find?: (api: Api, text: string) => Promise<string>;
    };

/** Flags by name, in the order of `--help`. */
export type Flags<Name extends string = string> = Readonly<Record<string, Flag<Name>>>;
/** Values of parsed flags by camel-case name. */
export type FlagValues = Readonly<Record<string, unknown>>;

const numberOf = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Pass a number.');
};

const isNumber = ({ type }: Field): boolean => type === 'number' || type === 'integer';

const placeholderOf = (field: Field): string =>
  field.type === 'array' ? '<values...>' : isNumber(field) ? '<number>' : '<text>';

const camelCase = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A flag with its field. Throws TypeError if the operation has no such field. */
const resolve = (operation: string, flagName: string, entry: Flag) => {
  const flag = typeof entry === 'string' ? { text: entry } : entry;
  const { field: name = camelCase(flagName), ...rest } = flag;
  const described = operations[operation];
  const part = described && name in described.query ? 'query' : 'body';
  const field = described?.[part][name];
  if (field === undefined) throw new TypeError(`${operation} has no field ${name}`);
  return { ...rest, name, part, field } as const;
};

/** The options of flags. Throws TypeError if the operation has no such field. */
export const optionsOf = (operation: string, flags: Flags): Option[] =>
  Object.entries(flags).map(([flagName, entry]) => {
    const { field, parse, usual, takesEventNames, ...flag } = resolve(operation, flagName, entry);
    const { text = field.text, value, choices = field.choices, isRequired = field.isRequired === true } = flag;
    const isSwitch = field.type === 'boolean' && choices === undefined;
    const shown = isSwitch ? '' : ` ${value === undefined ? placeholderOf(field) : `<${value}>`}`;
    const option = new Option(`--${flagName}${shown}`, text);
    // Safe: a collecting parser receives its own previous result.
    if (parse) option.argParser((word, before) => parse(word, before as never));
    else if (isNumber(field)) option.argParser(numberOf);
    else if (choices && takesEventNames !== true) option.choices(choices);
    if (usual) option.default(...usual);
    if (isRequired) option.makeOptionMandatory();
    return takesEventNames ? namesEvents(option) : option;
  });

/** Query and body of parsed flags. Throws the errors of conversions. */
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
    // Safe: parser and conversion are defined together in the table.
    input[part][name] = convert ? await convert(value as never, context) : value;
  }
  return input;
};

/** The query with names replaced by ids. Throws the errors of lookups. */
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
