import { InvalidArgumentError, Option } from 'commander';
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
export const listOptions = (): Option[] => [
  new Option('--format <format>', 'Format of the file (default: detected)').choices(['csv', 'json', 'ndjson']),
  new Option('--column <name>', 'Column to import, by its name or its number from 1 (default: detected)'),
  new Option('--header', 'Line 1 names the columns'),
  new Option('--no-header', 'Line 1 is a row like any other'),
  new Option(
    '--delimiter <name>',
    'Between cells: comma, semicolon, tab, pipe, or none for one value a line',
  ).argParser(delimiterOf),
  new Option('--encoding <name>', 'Encoding of a file that is neither UTF-8 nor UTF-16, such as windows-1252'),
  new Option('--errors <file>', 'Write rejected rows to this CSV file, with the line and the reason'),
];
