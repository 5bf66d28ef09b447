// Ids that clients give are mostly random UUIDs, of which an index holds millions: 16 bytes as 22 characters of base64url
// behind a mark, where the text has 36. A text that begins with the mark gets another one, so every text comes back.

import { isRowId } from '../foundation/ids.ts';

const MARK = '~';

/** The text that is stored. UUIDs in lower case are packed; equal ids stay equal. Throws nothing. */
export const packClientId = (id: string): string => {
  if (isRowId(id)) return MARK + Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return id.startsWith(MARK) ? MARK + id : id;
};

/** The id that `packClientId` made a stored text of. Throws nothing. */
export const unpackClientId = (stored: string): string => {
  if (!stored.startsWith(MARK)) return stored;
  if (stored.startsWith(MARK, 1)) return stored.slice(1);
  const hex = Buffer.from(stored.slice(1), 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
