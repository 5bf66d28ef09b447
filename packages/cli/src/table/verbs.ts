// The two kinds of verbs that are one operation: a list, and a call.

import { Argument, Option } from 'commander';
import type { Answer, Api, FieldOf, Operation, RowOf } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { operations } from '../generated/operations.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput, type Line, type Output } from '../output.ts';
import { inApi } from '../scoped.ts';
import { type Flags, found, inputOf, optionsOf } from './flags.ts';
import { type Head, type Level, ROWS, type Verb } from './noun.ts';
import { type Screen, screenOf } from './screen.ts';

/** A positional argument and the part of the path, or the field, that takes it. */
export type Positional = {
  readonly arg: readonly [name: string, text: string] | Argument;
  readonly into: string;
  /** The id of what it names. */
  readonly find?: (api: Api, given: string) => Promise<string>;
};

type Common<R extends Operation> = Head & {
  readonly args?: readonly Positional[];
  readonly flags?: Flags<FieldOf<R>>;
  readonly level?: Level;
  readonly environment?: 'prod' | 'test';
};

/** A list: its rows as a table. */
export type ListSpec<R extends Operation> = Common<R> & {
  columns(screen: Screen): readonly Column<RowOf<R>>[];
  /** Said of an empty list: what there is none of, as the object of "There is no". */
  readonly none?: (where: { readonly environment: string; readonly place: string }) => string;
  /** Text of `--limit`. */
  readonly limitText?: string;
  /** Query fields that flags do not say by themselves. */
  readonly query?: (flags: Readonly<Record<string, unknown>>) => object;
};

/** A call: its answer as lines. */
export type CallSpec<R extends Operation> = Common<R> & {
  readonly lines?: (answer: Answer<R>, screen: Screen, api: Api) => readonly Line[];
  /** Beside the answer, on stderr. */
  readonly notes?: (answer: Answer<R>, flags: Readonly<Record<string, unknown>>) => readonly string[];
  readonly exit?: (answer: Answer<R>) => ExitCode | undefined;
  /** Members of the body that no flag says. */
  readonly body?: object;
  /** It sends to people, so that `prod` has to be named. */
  readonly isSending?: boolean;
  /** Writes the answer in place of the lines, in every form. */
  readonly write?: (output: Output, answer: Answer<R>, screen: Screen) => void;
};

const isRest = ({ arg }: Positional): boolean => (arg instanceof Argument ? arg.variadic : arg[0].endsWith('...>'));

/** Puts positional arguments where they belong. */
const place = async (
  api: Api,
  operation: string,
  args: readonly Positional[],
  given: readonly string[],
  body: Record<string, unknown>,
): Promise<Record<string, string>> => {
  const params: Record<string, string> = {};
  for (const [index, one] of args.entries()) {
    const text = given[index] ?? '';
    const { into, find = async (_: Api, whole: string) => whole } = one;
    if (operation.includes(`{${into}}`)) params[into] = await find(api, text);
    else body[into] = isRest(one) ? given.slice(index) : text;
  }
  return params;
};

const base = (operation: string, { args = [], flags = {}, level, environment, ...head }: Common<never>) => ({
  ...head,
  args: args.map(({ arg }) => arg),
  options: optionsOf(operation, flags),
  isRemote: true,
  ...(level === undefined ? {} : { level }),
  ...(environment === undefined ? {} : { environment }),
});

/** The verb of an operation that lists. */
export const lists = <R extends Operation>(operation: R, spec: ListSpec<R>): Verb => {
  const { args = [], flags = {}, columns, none, query, limitText = 'Maximum number of rows' } = spec;
  // Safe: what names of fields stand in the type has been checked where the spec was written.
  const parts = base(operation, spec as Common<never>);
  const limit = new Option('--limit <number>', limitText).argParser(limitOf).default(DEFAULT_LIMIT);
  return {
    ...parts,
    options: [...parts.options, limit],
    forms: ROWS,
    run: async (context: Context, said: CommonFlags & { readonly limit?: number }, given) => {
      const input = await inputOf(context, operation, flags, said);
      return inApi(context, said, spec, async (api) => {
        const params = await place(api, operation, args, given, input.body);
        const most = said.limit ?? DEFAULT_LIMIT;
        const narrowed = { ...(await found(api, operation, flags, input.query)), ...query?.({ ...said }) };
        const { rows, hasMore } = await collect(most, (page) =>
          // Safe: the fields are those of the operation, which refuses what they must not hold.
          api.page(operation, { params, query: { ...narrowed, ...page } as never }),
        );
        const output = createOutput(context.io, said);
        output.rows(rows, columns(screenOf(context.io)));
        if (none && output.form === 'table' && rows.length === 0)
          output.note(none({ environment: api.environment, place: context.place ?? '' }));
        noteMore(output, hasMore, most);
        return undefined;
      });
    },
  };
};

/** The verb of an operation that answers one thing. */
export const calls = <R extends Operation>(operation: R, spec: CallSpec<R>): Verb => {
  const { args = [], flags = {}, lines, notes, exit, write, body } = spec;
  return {
    // Safe: as above.
    ...base(operation, spec as unknown as Common<never>),
    ...(write ? { forms: ROWS } : {}),
    run: async (context, said, given) => {
      const input = await inputOf(context, operation, flags, { ...said });
      return inApi(context, said, spec, async (api) => {
        const params = await place(api, operation, args, given, input.body);
        const whole = { ...input.body, ...body };
        const hasBody = Object.keys(operations[operation]?.body ?? {}).length > 0;
        // Safe: the fields are those of the operation, whose schema looks at them.
        const sent = { params, query: input.query as never, ...(hasBody ? { body: whole as never } : {}) };
        const answer = await api.call(operation, sent);
        const output = createOutput(context.io, said);
        const screen = screenOf(context.io);
        if (write) write(output, answer, screen);
        else output.answer(answer, lines?.(answer, screen, api) ?? []);
        for (const note of notes?.(answer, { ...said }) ?? []) output.note(note);
        return exit?.(answer);
      });
    },
  };
};
