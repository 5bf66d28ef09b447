// `--help`: a command's own flags first, and those that many commands take in one line.

import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { isInherited } from './command-line.ts';

const WIDTH = 80;

/** The options that `--help` of a command explains: its own, then the environment. The program explains all of them. */
const explained = (command: Command, all: Option[]): Option[] => {
  if (command.parent === null) return all;
  const own = all.filter((option) => !isInherited(option) && option.long !== '--help');
  return [...own.filter(({ long }) => long !== '--env'), ...own.filter(({ long }) => long === '--env')];
};

/** The names of inherited options; empty: there are none. */
const inheritedLine = (command: Command): string => {
  const names = command.options.filter(isInherited).flatMap(({ short, long }) => short ?? long ?? []);
  // A program that is asked for colour says so by its environment; the line has no room for it.
  const shown = names.filter((name) => name !== '--no-color');
  return command.parent === null || shown.length === 0 ? '' : `\nGlobal options: ${shown.join(' ')}\n`;
};

/** A line in parts that fit, the later ones behind `indent`. Throws nothing. */
const parts = (line: string, indent: string, end: string): string[] => {
  if (line.length <= WIDTH) return [line];
  const at = line.lastIndexOf(' ', WIDTH - end.length);
  const rest = `${indent}${line.slice(at + 1)}`;
  return at < indent.length + 1 ? [line] : [`${line.slice(0, at)}${end}`, ...parts(rest, indent, end)];
};

/** Text in lines that fit a terminal. Throws nothing. */
export const wrapped = (text: string): string =>
  text
    .split('\n')
    .flatMap((line) => parts(line, '', ''))
    .join('\n');

/** A command line that goes on in the next line where it does not fit, before a flag. Throws nothing. */
export const wrappedCommand = (line: string): string => {
  if (line.length <= WIDTH) return line;
  const at = line.lastIndexOf(' --', WIDTH - 2);
  return at < 1 ? line : `${line.slice(0, at)} \\\n${wrappedCommand(`     ${line.slice(at)}`)}`;
};

/** How the parser writes `--help`. */
export const helpConfiguration: HelpConfiguration = {
  helpWidth: WIDTH,
  visibleOptions(command) {
    return explained(command, Help.prototype.visibleOptions.call(this, command));
  },
  formatHelp(command, helper) {
    return Help.prototype.formatHelp.call(this, command, helper) + inheritedLine(command);
  },
};
