// Columns of a CSV file are the fields of a row, in camel case or with underscores.

import { flagOf, jsonOf, phoneOf, present, type Source, textOf, timeOf } from './values.ts';

type Reader = (value: unknown) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  id: textOf,
  externalId: textOf,
  email: textOf,
  emailVerified: flagOf,
  phone: phoneOf,
  name: textOf,
  locale: textOf,
  timezone: textOf,
  createdAt: timeOf,
  passwordHash: textOf,
  totpSecret: textOf,
  disabled: flagOf,
  // Text that is no JSON is passed on, so that the server names the row.
  metadata: (value) => jsonOf(value) ?? textOf(value),
  identities: (value) => jsonOf(value) ?? textOf(value),
};
const METADATA = 'metadata.';

const fieldOf = (column: string): string => column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Names of columns, for messages. */
export const CSV_COLUMNS: readonly string[] = [...Object.keys(READERS), 'metadata.KEY'];

/** True for a column that `csvRow` reads. Throws nothing. */
export const isCsvColumn = (column: string): boolean =>
  column.startsWith(METADATA) || Object.hasOwn(READERS, fieldOf(column));

/** A row of the cells of a CSV file. `metadata.plan` is the member `plan` of the metadata. Throws nothing. */
export const csvRow = (source: Source): { readonly row: Source } => {
  const row: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(source)) {
    const read = READERS[fieldOf(column)];
    if (column.startsWith(METADATA)) members[column.slice(METADATA.length)] = textOf(value);
    else if (read) row[fieldOf(column)] = read(value);
  }
  const metadata = present(members);
  return { row: { ...present(row), ...(metadata && { metadata: { ...Object(row['metadata'] ?? {}), ...metadata } }) } };
};
