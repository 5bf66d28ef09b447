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
