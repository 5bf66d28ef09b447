// Users in a file: one a line, a column of a table, or one JSON object or text a line.

/** How a column of userIds is called, without what is no letter. */
const NAMES = new Set(['userid', 'user', 'id', 'externalid', 'customerid']);
/** Characters of a userId. Source: contract, Ingest and profiles. */
const MAX_CHARACTERS = 256;

/** A user, and the line that it stands in, from 1. */
export type ListedUser = { readonly line: number; readonly userId: string };
/** A line that names nobody. */
export type RefusedLine = { readonly line: number; readonly message: string };
export type UserList = { readonly users: readonly ListedUser[]; readonly refused: readonly RefusedLine[] };

export type ListFormat = 'csv' | 'ndjson';

/** The cells of one line; quotes around a cell go. */
const cellsOf = (line: string): string[] => {
  const cells: string[] = [];
  for (const [, quoted, plain = ''] of line.matchAll(/(?:^|[,;\t])(?:"((?:[^"]|"")*)"|([^,;\t]*))/g))
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
  return cells;
};

const fromJson = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'userId' in value ? value.userId : value;
  } catch {
    return undefined;
  }
};

/** What a line says, or why it says nothing. */
const checked = (line: number, userId: unknown): ListedUser | RefusedLine => {
  if (typeof userId !== 'string' || userId === '') return { line, message: 'names no user' };
  if (userId.length > MAX_CHARACTERS) return { line, message: `is longer than ${MAX_CHARACTERS} characters` };
  return userId.includes('\0') ? { line, message: 'holds U+0000' } : { line, userId };
};

/** JSON by its first line; anything else is a table. Throws nothing. */
export const formatOf = (text: string): ListFormat =>
  /^\ufeff?\s*[{"]\s*"?userId"?\s*:/.test(text) ? 'ndjson' : 'csv';

/** The users of a file, each line by itself; empty lines, and a line of names above a table, are left out. Throws nothing. */
export const usersIn = (text: string, format: ListFormat = formatOf(text)): UserList => {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((content, at) => ({ line: at + 1, content }))
    .filter(({ content }) => content.trim() !== '');
  const table = format === 'csv' ? lines.map(({ line, content }) => ({ line, cells: cellsOf(content) })) : [];
  const head = table[0]?.cells.findIndex((cell) => NAMES.has(cell.toLowerCase().replaceAll(/[^a-z]/g, ''))) ?? -1;
  const told =
    format === 'csv'
      ? table.slice(head === -1 ? 0 : 1).map(({ line, cells }) => checked(line, cells[Math.max(head, 0)]))
      : lines.map(({ line, content }) => checked(line, fromJson(content)));
  return {
    users: told.filter((one) => 'userId' in one),
    refused: told.filter((one) => 'message' in one),
  };
};

/** A cell of a table. Throws nothing. */
export const cellOf = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
