// Verbs with one operation: a list, or a call.

import { Argument } from 'commander';
import type { Answer, Api, FieldOf, Operation, RowOf } from '../api.ts';
import { type Screen, screenOf } from '../cells.ts';
import type { CommonFlags } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { operations } from '../generated/operations.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import { type Column, createOutput, type Line, type Output } from '../output.ts';
import { inApi } from '../scoped.ts';
import { type Flags, type FlagValues, inputOf, optionsOf, withIds } from './flags.ts';
import { type Head, type Level, ROWS, type Verb } from './noun.ts';

/** A positional argument, and the path parameter or body field of its value. */
export type Positional = {
  readonly arg: readonly [name: string, text: string] | Argument;
  readonly into: string;
  /** Resolves a name to an id. */
  readonly find?: (api: Api, text: string) => Promise<string>;
};

type Common<R extends Operation> = Head & {
  readonly args?: readonly Positional[];
  readonly flags?: Flags<FieldOf<R>>;
  readonly level?: Level;
  readonly environment?: 'prod' | 'test';
};

/** A list, printed as a table. */
export type ListSpec<R extends Operation> = Common<R> & {
  columns(screen: Screen): readonly Column<RowOf<R>>[];
  /** Note for an empty list. */
  readonly none?: (where: { readonly environment: string; readonly place: string }) => string;
  /** Fields of the query that depend on several flags. */
  readonly query?: (values: FlagValues) => object;
};

/** A call, whose result is printed as lines. */
export type CallSpec<R extends Operation> = Common<R> & {
  readonly lines?: (answer: Answer<R>, screen: Screen) => readonly Line[];
  /** Notes on stderr. */
  readonly notes?: (answer: Answer<R>, values: FlagValues) => readonly string[];
  readonly exit?: (answer: Answer<R>) => ExitCode | undefined;
  /** Constant fields of the body. */
  readonly body?: object;
  /** The command sends messages, so `prod` must be explicit. */
  readonly isSending?: boolean;
  /** Prints the result instead of `lines`, in every format. */
  readonly write?: (output: Output, answer: Answer<R>, screen: Screen) => void;
};

const isVariadic = ({ arg }: Positional): boolean => (arg instanceof Argument ? arg.variadic : arg[0].endsWith('...>'));

/** Path parameters and body fields of positional arguments. */
const argumentsOf = async (
  api: Api,
  operation: string,
  positionals: readonly Positional[],
  words: readonly string[],
) => {
  const params: Record<string, string> = {};
  const fields: Record<string, unknown> = {};
  for (const [index, positional] of positionals.entries()) {
    const { into, find = async (_: Api, text: string) => text } = positional;
    const word = words[index] ?? '';
    if (operation.includes(`{${into}}`)) params[into] = await find(api, word);
    else fields[into] = isVariadic(positional) ? words.slice(index) : word;
  }
  return { params, fields };
};

const base = ({ args = [], flags: _flags, ...head }: Common<never>, operation: string, flags: Flags) => ({
  ...head,
  args: args.map(({ arg }) => arg),
  options: optionsOf(operation, flags),
  isRemote: true,
});

/** The verb of an operation that lists. */
export const lists = <R extends Operation>(operation: R, spec: ListSpec<R>): Verb => {
  const { args = [], flags = {}, columns, none, query, ...common } = spec;
  const verb = base({ ...common, args }, operation, flags);
  return {
    ...verb,
    options: [...verb.options, limitOption()],
    forms: ROWS,
    run: async (context, values: CommonFlags & { readonly limit?: number }, words) => {
      const { limit = 0 } = values;
      const input = await inputOf(context, operation, flags, { ...values });
      return inApi(context, values, spec, async (api) => {
        const { params } = await argumentsOf(api, operation, args, words);
        const filters = { ...(await withIds(api, operation, flags, input.query)), ...query?.({ ...values }) };
        const { rows, hasMore } = await collect(limit, (page) =>
          // Safe: flags are resolved to fields of the operation, whose schema validates the values.
          api.page(operation, { params, query: { ...filters, ...page } as never }),
        );
        const output = createOutput(context.io, values);
        output.rows(rows, columns(screenOf(context.io)));
        if (none && output.form === 'table' && rows.length === 0)
          output.note(none({ environment: api.environment, place: context.place ?? '' }));
        noteMore(output, hasMore, limit);
        return undefined;
      });
    },
  };
};

/** The verb of an operation that returns one resource. */
export const calls = <R extends Operation>(operation: R, spec: CallSpec<R>): Verb => {
  const { args = [], flags = {}, lines, notes, exit, write, body: fixed, ...common } = spec;
  return {
    ...base({ ...common, args }, operation, flags),
    ...(write ? { forms: ROWS } : {}),
    run: async (context, values, words) => {
      const { query, body } = await inputOf(context, operation, flags, { ...values });
      return inApi(context, values, spec, async (api) => {
        const { params, fields } = await argumentsOf(api, operation, args, words);
        const takesBody = Object.keys(operations[operation]?.body ?? {}).length > 0;
        const answer = await api.call(operation, {
          params,
          // Safe: flags are resolved to fields of the operation, whose schema validates the values.
          query: query as never,
          ...(takesBody ? { body: { ...body, ...fields, ...fixed } as never } : {}),
        });
        const output = createOutput(context.io, values);
        const screen = screenOf(context.io);
        if (write) write(output, answer, screen);
        else output.answer(answer, lines?.(answer, screen) ?? []);
        for (const note of notes?.(answer, { ...values }) ?? []) output.note(note);
        return exit?.(answer);
      });
    },
  };
};
