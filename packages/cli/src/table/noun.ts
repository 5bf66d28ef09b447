// Commands as data: a noun has verbs, and one builder adds flags, help and action to each.

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
import { usageOf, wrapped, wrappedCommand } from '../help-text.ts';
import type { Form } from '../output.ts';

/** Scope of a command, which determines its inherited flags; `none`: it opens no database. */
export type Level = 'none' | 'database' | 'org' | 'project' | 'environment';

/** Help of a verb. */
export type Head = {
  /** Description: an imperative verb and its object, at most 60 characters, no period. */
  readonly about: string;
  /** Arguments after the command's name in its examples. */
  readonly examples: readonly string[];
  /** Exit codes with a meaning specific to this command. */
  readonly exits?: string;
  /** More text below the options. */
  readonly help?: string;
  /** Options of which one is required, for the usage line: `(--user <id> | --to <address>)`. */
  readonly alternatives?: string;
};

/** A verb with its flags and its action. */
export type Verb = Head & {
  readonly args?: readonly (Argument | readonly [name: string, text: string])[];
  readonly options?: readonly Option[];
  /** Output formats; empty: it has only one. */
  readonly forms?: readonly Form[];
  readonly level?: Level;
  /** Supports `--url`. */
  readonly isRemote?: boolean;
  /** Default environment, if it is not that of the configuration. */
  readonly environment?: 'prod' | 'test';
  run(context: Context, flags: CommonFlags, args: readonly string[]): Promise<ExitCode | undefined>;
};

/** Output formats of lists. */
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

/** Adds a verb to a group. */
export const addVerb = (group: Command, context: Context, name: string, verb: Verb): void => {
  const { about, alternatives, examples, exits, help, args = [], options = [], run } = verb;
  const command = group.command(name);
  if (help !== undefined) command.addHelpText('after', wrapped(help));
  described(command, about, ...examples);
  for (const arg of args) command.addArgument(arg instanceof Argument ? arg : new Argument(...arg));
  for (const option of options) command.addOption(option);
  inherit(command, verb);
  command.usage(usageOf(command, alternatives));
  if (exits !== undefined) command.addHelpText('after', wrapped(`\nExit codes: ${exits}`));
  command.action(act(context, (flags, words) => run(context, flags, words)));
};

/** Adds a command that is not in the table. */
export type ByHand = (group: Command, context: Context) => void;

/** A noun with its verbs, in the order of `--help`; a function adds its own command. */
export const noun =
  (name: string, about: string, verbs: Readonly<Record<string, Verb | ByHand>>): Register =>
  (program, context) => {
    const group = program.command(name).description(about);
    for (const [verb, entry] of Object.entries(verbs))
      if (typeof entry === 'function') entry(group, context);
      else addVerb(group, context, verb, entry);
  };
