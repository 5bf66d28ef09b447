// `--help`: the description, the usage, a command's own options, then inherited options in one line.

import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { isInherited } from './command-line.ts';

const WIDTH = 80;

/** Options that `--help` explains: the command's own, then `--env`. The program explains all of them. */
const explained = (command: Command, all: Option[]): Option[] => {
  if (command.parent === null) return all;
  const own = all.filter((option) => !isInherited(option) && option.long !== '--help');
  return [...own.filter(({ long }) => long !== '--env'), ...own.filter(({ long }) => long === '--env')];
};

/** The names of inherited options; empty: there are none. */
const inheritedLine = (command: Command): string => {
  const names = command.options.filter(isInherited).flatMap(({ short, long }) => short ?? long ?? []);
  // NO_COLOR does the same, and the line has no room.
  const shown = names.filter((name) => name !== '--no-color');
  return command.parent === null || shown.length === 0 ? '' : `\nGlobal options: ${shown.join(' ')}\n`;
};

/** Splits a line at spaces; later parts are indented. Throws nothing. */
const parts = (line: string, indent: string): string[] => {
  if (line.length <= WIDTH) return [line];
  const at = line.lastIndexOf(' ', WIDTH);
  return at < indent.length + 1 ? [line] : [line.slice(0, at), ...parts(`${indent}${line.slice(at + 1)}`, indent)];
};

/** Text in lines that fit a terminal. Throws nothing. */
export const wrapped = (text: string): string =>
  text
    .split('\n')
    .flatMap((line) => parts(line, ''))
    .join('\n');

/** A command line that continues after a backslash, before a flag, if it is too long. Throws nothing. */
export const wrappedCommand = (line: string): string => {
  if (line.length <= WIDTH) return line;
  const at = line.lastIndexOf(' --', WIDTH - 2);
  return at < 1 ? line : `${line.slice(0, at)} \\\n${wrappedCommand(`     ${line.slice(at)}`)}`;
};

const argumentText = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/**
 * Arguments and options of a command for its usage line. Throws nothing.
 *
 * @param alternatives options of which one is required, such as `(--user <id> | --to <address>)`
 */
export const usageOf = (command: Command, alternatives = ''): string => {
  if (command.commands.length > 0) return command.parent === null ? '<command> [options]' : '<command>';
  const required = command.options.filter(({ mandatory, defaultValue }) => mandatory && defaultValue === undefined);
  const words = [
    ...command.registeredArguments.map(argumentText),
    ...required.map(({ flags }) => flags),
    alternatives,
    command.options.length > required.length ? '[options]' : '',
  ];
  return words.filter((word) => word !== '').join(' ');
};

/** `push, email or sms`. */
const listText = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ');

/** A description with choices and default in one pair of parentheses: `Channel (email or sms; default: email)`. */
const describedText = ({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option | Argument): string => {
  const [, text = description, described] = /^(.*) \(default: (.*)\)$/s.exec(description) ?? [];
  const usual =
    described ??
    defaultValueDescription ??
    (typeof defaultValue === 'boolean' ? undefined : shownDefault(defaultValue));
  const notes = [
    ...(argChoices === undefined ? [] : [listText(argChoices)]),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
  ];
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`;
};

/** A default value: text with spaces or capitals is content and quoted, names and numbers are not. */
const shownDefault = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  return typeof value === 'string' && !/^[a-z]+$/.test(value) ? JSON.stringify(value) : String(value);
};

/** How the parser writes `--help`. */
export const helpConfiguration: HelpConfiguration = {
  helpWidth: WIDTH,
  visibleOptions(command) {
    return explained(command, Help.prototype.visibleOptions.call(this, command));
  },
  optionDescription: describedText,
  argumentDescription: describedText,
  subcommandTerm(command) {
    const names = [command.name(), ...command.aliases()].join('|');
    return [names, ...command.registeredArguments.map(argumentText)].join(' ');
  },
  formatHelp(command, helper) {
    const usual = Help.prototype.formatHelp.call(this, command, helper);
    const [usage = '', about = '', ...rest] = usual.split('\n\n');
    const usageLines = parts(usage, ' '.repeat('Usage: '.length)).join('\n');
    // Without arguments and options the description is last and ends with a line feed.
    const end = rest.length === 0 ? '\n' : '';
    return [about.trimEnd(), usageLines, ...rest].join('\n\n') + end + inheritedLine(command);
  },
};
