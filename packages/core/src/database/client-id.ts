// Ids from clients are mostly random UUIDs, and an index holds millions of them. A UUID is stored as a mark and 22
// characters of base64url (16 bytes) instead of 36 characters. A text that begins with the mark gets a second mark, so
// every text can be restored.

import { isRowId } from '../foundation/ids.ts';

const MARK = '~';

/** The stored text of a client id. UUIDs in lower case are packed; equal ids stay equal. Throws nothing. */
export const packClientId = (id: string): string => {
  if (isRowId(id)) return MARK + Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return id.startsWith(MARK) ? MARK + id : id;
};

/** Restores the id from the text of `packClientId`. Throws nothing. */
export const unpackClientId = (stored: string): string => {
  if (!stored.startsWith(MARK)) return stored;
  if (stored.startsWith(MARK, 1)) return stored.slice(1);
  const hex = Buffer.from(stored.slice(1), 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
