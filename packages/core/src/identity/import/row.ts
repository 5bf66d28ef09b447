// Reads one row of an import. A row that is not valid fails alone, so nothing here throws.

import { BeckonError, fieldErrorsOf } from '../../foundation/errors.ts';
import { phoneNumber } from '../../foundation/phone-number.ts';
import { type AccountEmail, accountEmailOf } from '../accounts/email-norm.ts';
import { accountMetadataOf } from '../accounts/metadata.ts';
import { requireStorable } from '../auth-settings/stored-text.ts';
import { type ImportRow, importRow } from './bodies.ts';
import type { ImportCall, ImportContributor, ImportProblem } from './contributor.ts';

/** What a contributor has read of a row. */
export type Contribution = { readonly contributor: ImportContributor; readonly value: unknown };

/** A valid row with normalised fields. */
export type ReadRow = {
  readonly index: number;
  readonly row: ImportRow;
  readonly email: AccountEmail | null | undefined;
  readonly phone: string | null | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly contributions: readonly Contribution[];
  /** Algorithm of the password hash; undefined: the row has none. */
  readonly algorithm: string | undefined;
  /** Texts that no other row of the same commit may share. */
  readonly keys: readonly string[];
};

const invalid = (message: string): { readonly problem: ImportProblem } => ({ problem: { reason: 'invalid', message } });

const firstOf = (fieldErrors: Readonly<Record<string, readonly string[]>>): string => {
  const [[field = '', [message = '']] = ['', []]] = Object.entries(fieldErrors);
  return field === '' ? message : `${field}: ${message}`;
};

/** False: a text holds a character that only one of the databases can store. */
const isStorable = (row: ImportRow): boolean => {
  try {
    requireStorable(row);
    return true;
  } catch (error) {
    if (error instanceof BeckonError) return false;
    throw error;
  }
};

type Metadata = { readonly metadata: Readonly<Record<string, unknown>> | undefined };

const metadataIn = ({ metadata }: ImportRow): Metadata | { readonly problem: ImportProblem } => {
  if (metadata === undefined) return { metadata };
  try {
    return { metadata: accountMetadataOf(metadata, false).metadata };
  } catch (error) {
    if (error instanceof BeckonError) return invalid('metadata: contains a text that cannot be stored');
    throw error;
  }
};

const keysOf = ({ id, externalId }: ImportRow, email: AccountEmail | null | undefined): readonly string[] => [
  ...(id === undefined ? [] : [`user ${id}`]),
  ...(externalId === undefined ? [] : [`user ${externalId}`]),
  ...(email ? [`email ${email.emailNorm}`] : []),
];

/** Checks and normalises a row. Throws nothing that the row causes. */
export const readRow = (
  contributors: readonly ImportContributor[],
  call: ImportCall,
  input: unknown,
  index: number,
): ReadRow | { readonly problem: ImportProblem } => {
  const parsed = importRow.safeParse(input);
  if (!parsed.success) return invalid(firstOf(fieldErrorsOf(parsed.error)));
  const row = parsed.data;
  if (!isStorable(row)) return invalid('a text contains the character U+0000');
  const email = typeof row.email === 'string' ? accountEmailOf(row.email) : row.email;
  if (typeof row.email === 'string' && email === null)
    return invalid('email: must be an email address such as ann@example.com');
  const phone = typeof row.phone === 'string' ? phoneNumber(row.phone) : row.phone;
  if (typeof row.phone === 'string' && phone === null)
    return invalid('phone: must be a phone number in E.164, such as +14155550123');
  const keys = keysOf(row, email);
  if (keys.length === 0) return invalid('email: is required without externalId and id');
  const clean = metadataIn(row);
  if ('problem' in clean) return clean;

  const contributions: Contribution[] = [];
  let algorithm: string | undefined;
  for (const contributor of contributors) {
    const read = contributor.parse(row, call);
    if (read === null) continue;
    if ('problem' in read) return read;
    contributions.push({ contributor, value: read.value });
    algorithm ??= read.algorithm;
  }
  return { index, row, email, phone, ...clean, contributions, algorithm, keys };
};

/** Most rows of one commit. Source: authentication design, Bulk import. */
export const SLICE = 100;

/** Cuts rows into commits, in their order; rows of one commit share no key, so one look-up decides for all of them. */
export const slicesOf = (rows: readonly ReadRow[]): readonly (readonly ReadRow[])[] => {
  const slices: ReadRow[][] = [];
  let keys = new Set<string>();
  for (const row of rows) {
    const last = slices.at(-1);
    if (!last || last.length === SLICE || row.keys.some((key) => keys.has(key))) {
      slices.push([row]);
      keys = new Set(row.keys);
    } else {
      last.push(row);
      for (const key of row.keys) keys.add(key);
    }
  }
  return slices;
};
