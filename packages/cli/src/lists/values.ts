// Reads user ids, email addresses or phone numbers from a cell.

import type { Row } from './table.ts';

/** Content of a list. */
export type ListKind = 'user' | 'email' | 'phone';

/** Maximum characters of a user id. Source: contract, Ingest and profiles. */
const MAX_USER_ID = 256;
/** Separator of several values in one cell. Source: CSV exports of Google Contacts. */
const SEPARATOR = ' ::: ';

const EMAIL = /^[^\s@<>,;:"()[\]]+@[^\s@<>,;:"()[\]]+$/;
const PHONE = /^\+[1-9]\d{6,14}$/;

/** Nouns for messages. */
export const NOUNS: Readonly<
  Record<ListKind, { readonly one: string; readonly many: string; readonly empty: string }>
> = {
  user: { one: 'user id', many: 'user ids', empty: 'has no user id' },
  email: { one: 'email address', many: 'email addresses', empty: 'has no email address' },
  phone: { one: 'phone number', many: 'phone numbers', empty: 'has no phone number' },
};

/** The address of `Ann <ann@example.com>` and `mailto:ann@example.com`; other text unchanged. */
const bareEmail = (text: string): string => {
  const plain = text.replace(/^mailto:/i, '');
  const open = plain.lastIndexOf('<');
  if (open === -1 || !plain.endsWith('>')) return plain;
  const address = plain.slice(open + 1, -1).trim();
  // The display name may repeat the address. A different address would be a second recipient.
  const name = plain
    .slice(0, open)
    .replaceAll(/"[^"]*"/g, '')
    .trim();
  return name.includes('<') || (name.includes('@') && name !== address) ? plain : address;
};

// Separators are removed from a number with +. Source: contract, Addresses. Spreadsheets write an apostrophe before the
// plus sign, because + would start a formula.
const barePhone = (text: string): string => {
  const plain = text.replace(/^'(?=\+)/, '').replace(/^tel:/i, '');
  return plain.startsWith('+') ? plain.replaceAll(/[\s().-]/g, '') : plain;
};

/** True for a valid address or number of this kind; a user id may be any text. */
export const isValue = (kind: Exclude<ListKind, 'user'>, text: string): boolean =>
  text
    .split(SEPARATOR)
    .every((one) => (kind === 'email' ? EMAIL.test(bareEmail(one.trim())) : PHONE.test(barePhone(one.trim()))));

const addressesOf = (kind: 'email' | 'phone', cell: string): readonly string[] | string => {
  const values = cell.split(SEPARATOR).map((one) => (kind === 'email' ? bareEmail(one.trim()) : barePhone(one.trim())));
  if (values.some((value) => /[<>,;]/.test(value))) return `does not contain exactly one ${NOUNS[kind].one}`;
  return values;
};

/**
 * The values of a row in a column.
 *
 * @returns the values, or a string with the reason why there are none
 */
export const valuesOf = (
  kind: ListKind,
  { cells, hasStrayQuotes }: Row,
  column: number,
): readonly string[] | string => {
  const cell = cells[column] ?? (cells[column] === null ? null : '');
  if (cell === null) return `is not a ${NOUNS[kind].one}`;
  if (cell.trim() === '') return NOUNS[kind].empty;
  if (cell.includes('\0')) return 'contains U+0000';
  if (cell.includes('\ufffd')) return 'contains U+FFFD: an earlier conversion damaged it';
  if (kind !== 'user') return addressesOf(kind, cell);
  if (hasStrayQuotes && cell.includes('"')) return 'has a quote that is not closed';
  return cell.length > MAX_USER_ID ? `is longer than ${MAX_USER_ID} characters` : [cell];
};
