// Candidates for shell completion, from the command tree. No database is opened.

import type { Argument, Command, Option } from 'commander';
import { takesEventNames } from './event-names.ts';
import { EVENT_NAMES } from './names.ts';

const groupsOf = (command: Command): Command[] =>
  command.parent === null ? [command] : [command, ...groupsOf(command.parent)];

const isShown = (command: Command): boolean => !command.name().startsWith('_');

const namesOf = ({ commands }: Command): string[] =>
  commands.filter(isShown).flatMap((one) => [one.name(), ...one.aliases()]);

const optionOf = (command: Command, flag: string): Option | undefined =>
  groupsOf(command)
    .flatMap(({ options }) => options)
    .find(({ long, short }) => flag === long || flag === short);

/** Values of an option or argument with choices; in a comma-separated list, values of the last part. */
const valuesOf = (parameter: Option | Argument, partial: string): readonly string[] => {
  if (parameter.argChoices) return parameter.argChoices;
  if (!takesEventNames(parameter)) return [];
  const before = partial.slice(0, partial.lastIndexOf(',') + 1);
  return EVENT_NAMES.map((name) => `${before}${name}`);
};

const flagsOf = (command: Command): string[] => [
  ...groupsOf(command).flatMap(({ options }) =>
    options.flatMap(({ long, hidden }) => (long === undefined || long === null || hidden ? [] : [long])),
  ),
  '--help',
];

type Position = { readonly command: Command; readonly args: readonly string[]; readonly option: Option | undefined };

/** The command that the words before the last one select, its arguments so far, and an option without its value. */
const positionOf = (program: Command, words: readonly string[]): Position => {
  let command = program;
  let option: Option | undefined;
  const args: string[] = [];
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-') && word !== '-') {
      const found = optionOf(command, word);
      option = found !== undefined && (found.required || found.optional) ? found : undefined;
      continue;
    }
    const sub =
      args.length === 0 ? command.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) : undefined;
    if (sub) command = sub;
    else args.push(word);
  }
  return { command, args, option };
};

const candidates = (program: Command, before: readonly string[], partial: string): readonly string[] => {
  const { command, args, option } = positionOf(program, before);
  if (option !== undefined) return valuesOf(option, partial);
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(partial) ?? [];
  if (flag !== undefined && value !== undefined) {
    const named = optionOf(command, flag);
    return named === undefined ? [] : valuesOf(named, value).map((one) => `${flag}=${one}`);
  }
  if (partial.startsWith('-')) return flagsOf(command);
  const declared = command.registeredArguments;
  const argument = declared[args.length] ?? declared.findLast(({ variadic }) => variadic);
  return [...(args.length === 0 ? namesOf(command) : []), ...(argument ? valuesOf(argument, partial) : [])];
};

/**
 * Candidates for the last word. bash passes `--env=pr` as three words and completes only the last.
 *
 * @param words the words after the program's name; the last one is being typed and may be empty
 * @returns sorted and unique; empty if a file or free text may follow. Throws nothing.
 */
export const completions = (program: Command, words: readonly string[]): string[] => {
  const isSplit = words.at(-2) === '=' || words.at(-1) === '=';
  const before = words.slice(0, words.at(-1) === '=' ? -1 : isSplit ? -2 : -1);
  const partial = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const fitting = candidates(program, before, partial).filter((one) => one.startsWith(partial));
  return [...new Set(fitting)].sort();
};
