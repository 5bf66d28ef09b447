import { randomBytes as systemRandomBytes } from 'node:crypto';
import { sha256Hex } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import { base32 } from './base32.ts';

/** Recovery codes of one user. Source of these numbers: authentication design, Tokens. */
export const RECOVERY_CODES = 10;
/** Random bytes of a code: 80 bits, 16 characters of base32. */
const CODE_BYTES = 10;
const CODE_CHARACTERS = 16;
const GROUP_CHARACTERS = 4;
/** Characters of an input with separators. Chosen: a blank between all characters fits. */
const MAX_INPUT_CHARACTERS = 64;

const CODE = new RegExp(`^[A-Z2-7]{${CODE_CHARACTERS}}$`);
const SEPARATORS = /[\s\p{Pd}]/gu;

/** Ten new codes, such as `ABCD-EFGH-IJKL-MN23`, all different. Show them once. */
export const newRecoveryCodes = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES) {
    const text = base32(randomBytes(CODE_BYTES));
    const groups = Array.from({ length: CODE_CHARACTERS / GROUP_CHARACTERS }, (_, at) =>
      text.slice(at * GROUP_CHARACTERS, (at + 1) * GROUP_CHARACTERS),
    );
    codes.add(groups.join('-'));
  }
  return [...codes];
};

/**
 * Normalises a code as users type it: either case, with or without blanks and hyphens, 0 for O, 1 for I and 8 for B, which
 * base32 does not have.
 *
 * @returns 16 capitals and digits; null for anything else. Throws nothing.
 */
export const normaliseRecoveryCode = (input: unknown): string | null => {
  if (typeof input !== 'string' || input.length > MAX_INPUT_CHARACTERS) return null;
  const text = input
    .replaceAll(SEPARATORS, '')
    .toUpperCase()
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B');
  return CODE.test(text) ? text : null;
};

/**
 * The stored form of a code: SHA-256 over scope, user and code, in hex. It needs no key of the server, so codes survive a
 * restore without secrets; 80 random bits cannot be guessed from the hash.
 *
 * @param input a code as users type it
 * @returns null for a text that is no code. Throws nothing.
 */
export const recoveryCodeHash = ({
  scopeId,
  userId,
  code,
}: InScope & { readonly userId: string; readonly code: unknown }): string | null => {
  const text = normaliseRecoveryCode(code);
  // A scope is a number and a code has a fixed length, so no two inputs have the same text.
  return text === null ? null : sha256Hex(`${scopeId}|${userId}|${text}`);
};
