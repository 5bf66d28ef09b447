import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListFlags } from './layout.ts';

/** Flags of commands that import a list. */
export type ImportFlags = ListFlags & { readonly encoding?: string; readonly errors?: string };

// The last one is the constant NO_DELIMITER, which is not imported: it would load the parser with every command.
const DELIMITERS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
  none: '\u001e',
};

const delimiterOf = (text: string): string => {
  const found = DELIMITERS[text] ?? Object.values(DELIMITERS).find((delimiter) => delimiter === text);
  if (found === undefined) throw new InvalidArgumentError(`It is one of ${Object.keys(DELIMITERS).join(', ')}.`);
  return found;
};

/** The options of commands that import a list file. */
export const listOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'format of the file; found out unless told').choices(['csv', 'json', 'ndjson']),
    )
    .option('--column <name>', 'column to import, by its name or its number from 1; guessed where that is certain')
    .option('--header', 'line 1 names the columns')
    .option('--no-header', 'line 1 is a row like any other')
    .option(
      '--delimiter <name>',
      'what is between cells: comma, semicolon, tab, pipe, or none for one value a line',
      delimiterOf,
    )
    .option('--encoding <name>', 'encoding of a file that is neither UTF-8 nor UTF-16, such as windows-1252')
    .option('--errors <file>', 'write rejected rows to this CSV file, with the line and the reason');
