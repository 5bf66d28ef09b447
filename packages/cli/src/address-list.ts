// Addresses in a file: one a line, or a column of a table as spreadsheets and mail providers write them.

/** How a column of addresses is called, without what is no letter. */
const NAMES = new Set(['address', 'email', 'emailaddress', 'recipient', 'phone', 'phonenumber', 'number', 'to']);

/** An address, and the line that it stands in, from 1. */
export type ListedAddress = { readonly line: number; readonly address: string };

/** The cells of one line; quotes around a cell go. */
const cellsOf = (line: string): string[] => {
  const cells: string[] = [];
  for (const [, quoted, plain = ''] of line.matchAll(/(?:^|[,;\t])(?:"((?:[^"]|"")*)"|([^,;\t]*))/g))
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
  return cells;
};

const isAddress = (text: string): boolean => text.includes('@') || /^\+\d/.test(text);

/** The addresses of a file; lines without one, and a line of names above them, are left out. Throws nothing. */
export const addressesIn = (text: string): readonly ListedAddress[] => {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, at) => ({ line: at + 1, cells: cellsOf(line) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const [first] = lines;
  const isHead = first !== undefined && !first.cells.some(isAddress);
  const named = isHead ? first.cells.findIndex((cell) => NAMES.has(cell.toLowerCase().replaceAll(/[^a-z]/g, ''))) : -1;
  const column = Math.max(named, 0);
  return lines
    .slice(isHead ? 1 : 0)
    .flatMap(({ line, cells }) => (cells[column] ? [{ line, address: cells[column] }] : []));
};
