// The work of a hash thread. It blocks its thread, which does nothing else. It imports only the formats, since each
// thread loads what it imports again.

import { hashPassword, verifyHash } from './formats/formats.ts';
import type { ParsedHash } from './formats/parsed.ts';

/** Work of one call: a new hash, or a comparison. */
export type HashTask = { readonly password: string; readonly hash?: ParsedHash };

export const hash = ({ password }: HashTask): Promise<string> => hashPassword(password);

/** False without a hash to compare with. */
export const verify = async ({ password, hash }: HashTask): Promise<boolean> =>
  hash !== undefined && verifyHash(hash, password);
