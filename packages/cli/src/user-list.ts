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

/** One cell with what ends it. In quotes it is kept to the letter, line breaks and separators too. */
const CELL = /(?:"((?:[^"]|"")*)" *|([^,;\t\r\n]*))(,|;|\t|\r?\n|\r|$)/y;

/** A row of a table, and the line that it begins in; a cell is null whose quote is not closed. */
type Row = { readonly line: number; readonly cells: readonly (string | null)[] };

const rowsOf = (text: string): Row[] => {
  const rows: Row[] = [];
  let cells: (string | null)[] = [];
  let [at, line, begins] = [0, 1, 1];
  while (at < text.length) {
    CELL.lastIndex = at;
    const [whole = '', quoted, plain = '', end = ''] = CELL.exec(text) ?? [];
    at += whole.length;
    line += whole.match(/\r?\n|\r/g)?.length ?? 0;
    cells.push(quoted?.replaceAll('""', '"') ?? (plain.startsWith('"') ? null : plain.trim()));
    if (at < text.length && !/[\r\n]/.test(end)) continue;
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: begins, cells });
    [cells, begins] = [[], line];
  }
  return rows;
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

const fromTable = (rows: readonly Row[]): (ListedUser | RefusedLine)[] => {
  const isName = (cell: string | null): boolean => NAMES.has(cell?.toLowerCase().replaceAll(/[^a-z]/g, '') ?? '');
  const head = rows[0]?.cells.findIndex(isName) ?? -1;
  return rows.slice(head === -1 ? 0 : 1).map(({ line, cells }) => {
    const cell = cells[Math.max(head, 0)];
    return cell === null ? { line, message: 'has a quote that is not closed' } : checked(line, cell);
  });
};

const fromLines = (text: string): (ListedUser | RefusedLine)[] =>
  text.split(/\r?\n/).flatMap((content, at) => (content.trim() === '' ? [] : [checked(at + 1, fromJson(content))]));

/** JSON by its first line; anything else is a table. Throws nothing. */
export const formatOf = (text: string): ListFormat =>
  /^\ufeff?\s*[{"]\s*"?userId"?\s*:/.test(text) ? 'ndjson' : 'csv';

/** The users of a file, each line by itself; empty lines, and a line of names above a table, are left out. Throws nothing. */
export const usersIn = (text: string, format: ListFormat = formatOf(text)): UserList => {
  const given = text.replace(/^\ufeff/, '');
  const told = format === 'csv' ? fromTable(rowsOf(given)) : fromLines(given);
  return {
    users: told.filter((one) => 'userId' in one),
    refused: told.filter((one) => 'message' in one),
  };
};

/** A cell of a table. Throws nothing. */
export const cellOf = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
