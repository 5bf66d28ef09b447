import { InvalidArgumentError, Option } from 'commander';
import type { ListFlags } from './layout.ts';

/** Flags of commands that import a list. */
export type ImportFlags = ListFlags & { readonly encoding?: string; readonly errors?: string };

// The last value equals NO_DELIMITER. It is not imported, because that would load the parser with every command.
const DELIMITERS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
  none: '\u001e',
};

const delimiterOf = (text: string): string => {
  const found = DELIMITERS[text] ?? Object.values(DELIMITERS).find((delimiter) => delimiter === text);
  if (found === undefined) throw new InvalidArgumentError(`Allowed: ${Object.keys(DELIMITERS).join(', ')}.`);
  return found;
};

/** The options of commands that import a list file. */
export const listOptions = (): Option[] => [
  new Option('--format <format>', 'File format (default: detected)').choices(['csv', 'json', 'ndjson']),
  new Option('--column <name>', 'Column name, or number from 1 (default: detected)'),
  new Option('--header', 'Line 1 is a header'),
  new Option('--no-header', 'Line 1 is data'),
  new Option('--delimiter <name>', 'comma, semicolon, tab, pipe or none (default: detected)').argParser(delimiterOf),
  new Option('--encoding <name>', 'Encoding, such as windows-1252 (default: UTF-8 or UTF-16)'),
  new Option('--errors <file>', 'Write rejected rows with line and reason to a CSV file'),
];
