// What one cell says: user ids, email addresses or phone numbers.

import type { Row } from './table.ts';

/** What a list is of. */
export type ListKind = 'user' | 'email' | 'phone';

/** Characters of a user id. Source: contract, Ingest and profiles. */
const MAX_USER_ID = 256;
/** Between several values of one cell. Source: Google Contacts, its CSV exports. */
const SEVERAL = ' ::: ';

const EMAIL = /^[^\s@<>,;:"()[\]]+@[^\s@<>,;:"()[\]]+$/;
const PHONE = /^\+[1-9]\d{6,14}$/;

/** What a list holds, for messages. */
export const NOUNS: Readonly<
  Record<ListKind, { readonly one: string; readonly many: string; readonly empty: string }>
> = {
  user: { one: 'user id', many: 'user ids', empty: 'names no user' },
  email: { one: 'email address', many: 'email addresses', empty: 'has no email address' },
  phone: { one: 'phone number', many: 'phone numbers', empty: 'has no phone number' },
};

/** `Ann <ann@example.com>` and `mailto:ann@example.com` as the address alone; anything else as it is. */
const bareEmail = (text: string): string => {
  const plain = text.replace(/^mailto:/i, '');
  const open = plain.lastIndexOf('<');
  if (open === -1 || !plain.endsWith('>')) return plain;
  const address = plain.slice(open + 1, -1).trim();
  // A name may be an address, too; two that differ are two recipients.
  const name = plain
    .slice(0, open)
    .replaceAll(/"[^"]*"/g, '')
    .trim();
  return name.includes('<') || (name.includes('@') && name !== address) ? plain : address;
};

// A number that begins with + is read without what is written between its digits. Source: contract, Addresses. Spreadsheets
// put an apostrophe before the plus sign, which would else begin a formula.
const barePhone = (text: string): string => {
  const plain = text.replace(/^'(?=\+)/, '').replace(/^tel:/i, '');
  return plain.startsWith('+') ? plain.replaceAll(/[\s().-]/g, '') : plain;
};

/** True for a text that is an address or a number of this kind; a user id may be any text. */
export const isValue = (kind: Exclude<ListKind, 'user'>, text: string): boolean =>
  text
    .split(SEVERAL)
    .every((one) => (kind === 'email' ? EMAIL.test(bareEmail(one.trim())) : PHONE.test(barePhone(one.trim()))));

const addressesOf = (kind: 'email' | 'phone', cell: string): readonly string[] | string => {
  const values = cell.split(SEVERAL).map((one) => (kind === 'email' ? bareEmail(one.trim()) : barePhone(one.trim())));
  if (values.some((value) => /[<>,;]/.test(value))) return `does not hold one ${NOUNS[kind].one}`;
  return values;
};

/**
 * The values of the cell that a row has in a column.
 *
 * @returns a text that says why it has none
 */
export const valuesOf = (
  kind: ListKind,
  { cells, hasStrayQuotes }: Row,
  column: number,
): readonly string[] | string => {
  const cell = cells[column] ?? (cells[column] === null ? null : '');
  if (cell === null) return `holds something else than a ${NOUNS[kind].one}`;
  if (cell.trim() === '') return NOUNS[kind].empty;
  if (cell.includes('\0')) return 'holds U+0000';
  if (cell.includes('\ufffd')) return 'holds U+FFFD, so an earlier conversion damaged it';
  if (kind !== 'user') return addressesOf(kind, cell);
  if (hasStrayQuotes && cell.includes('"')) return 'has a quote that is not closed';
  return cell.length > MAX_USER_ID ? `is longer than ${MAX_USER_ID} characters` : [cell];
};
