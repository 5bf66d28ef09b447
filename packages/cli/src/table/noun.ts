// Commands as data: a noun holds verbs, and one builder gives each its flags, its help and its action.

import { Argument, type Command, type Option } from 'commander';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  orgOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { wrapped, wrappedCommand } from '../help-text.ts';
import type { Form } from '../output.ts';

/** Whose rows a command is about, which decides the flags that it inherits; `none`: it opens no database. */
export type Level = 'none' | 'database' | 'org' | 'project' | 'environment';

/** What any verb says of itself. */
export type Head = {
  /** What it does: an imperative and its object, at most 60 characters. */
  readonly about: string;
  /** Arguments after the command's name in its examples. */
  readonly examples: readonly string[];
  /** Exit codes that mean something of this command alone. */
  readonly exits?: string;
  /** More text below the options. */
  readonly help?: string;
};

/** A verb with its flags and its work. */
export type Verb = Head & {
  readonly args?: readonly (Argument | readonly [name: string, text: string])[];
  readonly options?: readonly Option[];
  /** Forms of its answer; none: it writes in one form. */
  readonly forms?: readonly Form[];
  readonly level?: Level;
  /** It can be asked of a running service. */
  readonly isRemote?: boolean;
  /** The environment without `--env`, where it is not the configuration's. */
  readonly environment?: 'prod' | 'test';
  run(context: Context, flags: CommonFlags, args: readonly string[]): Promise<ExitCode | undefined>;
};

/** Forms of an answer with rows. */
export const ROWS: readonly Form[] = ['table', 'json', 'ndjson', 'yaml'];

const inherit = (command: Command, { level = 'environment', isRemote, environment, forms }: Verb): void => {
  if (level === 'environment') command.addOption(environmentOption(environment));
  if (level === 'org') command.addOption(orgOption());
  else if (level === 'project' || level === 'environment') scopeOptions(command);
  if (isRemote) remoteOptions(command);
  if (level !== 'none') databaseOptions(command);
  outputOptions(command, forms);
};

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : '') + command.name();

/** Adds the description and the examples of a command. */
export const described = (command: Command, about: string, ...examples: readonly string[]): Command => {
  const shown = examples.map((one) => wrappedCommand(`  $ ${pathOf(command)} ${one}`.trimEnd()));
  return command.description(about).addHelpText('after', `\nExamples:\n${shown.join('\n')}`);
};

/** Adds a verb to its noun, or to any other group. */
export const addVerb = (group: Command, context: Context, name: string, verb: Verb): void => {
  const { about, examples, exits, help, args = [], options = [], run } = verb;
  const command = group.command(name);
  if (help !== undefined) command.addHelpText('after', wrapped(help));
  described(command, about, ...examples);
  for (const arg of args) command.addArgument(arg instanceof Argument ? arg : new Argument(...arg));
  for (const option of options) command.addOption(option);
  inherit(command, verb);
  if (exits !== undefined) command.addHelpText('after', wrapped(`\nExit codes: ${exits}`));
  command.action(act(context, (flags, given) => run(context, flags, given)));
};

/** Adds a command by hand where the table stands. */
export type ByHand = (group: Command, context: Context) => void;

/** A noun with its verbs, in the order in which `--help` shows them; a function adds its own command. */
export const noun =
  (name: string, about: string, verbs: Readonly<Record<string, Verb | ByHand>>): Register =>
  (program, context) => {
    const group = program.command(name).description(about);
    for (const [verb, entry] of Object.entries(verbs))
      if (typeof entry === 'function') entry(group, context);
      else addVerb(group, context, verb, entry);
  };
