// `?k=` in the URL that a project configures at its provider: identifies the project before the body is read. It proves
// nothing: requests must be signed all the same.

import { constantTimeEqual, hmacSha256 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';

/** Purpose for which their keys are derived. */
export const CALLBACK_PURPOSE = 'callback urls';

const SCOPE_BYTES = 4;
/** 128 bits of HMAC: enough against guessing, and short enough for a provider's form. */
const MAC_BYTES = 16;

export type PathTokens = {
  /** 27 letters, digits, `_` and `-`. Does not expire, because it is part of a provider's settings. */
  sign(scope: InScope): string;
  /** Null for a token that `sign` did not make with one of the keys. Throws nothing. */
  read(token: string): InScope | null;
};

/** @param keys the first signs, each verifies */
export const pathTokens = (keys: DerivedKeys): PathTokens => {
  const codeOf = (key: Uint8Array, head: Uint8Array): Uint8Array => hmacSha256(key, head).subarray(0, MAC_BYTES);
  return {
    sign: ({ scopeId }) => {
      const head = Buffer.alloc(SCOPE_BYTES);
      head.writeUInt32BE(scopeId);
      return Buffer.concat([head, codeOf(keys[0], head)]).toString('base64url');
    },
    read: (token) => {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== SCOPE_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return null;
      const head = bytes.subarray(0, SCOPE_BYTES);
      const isOurs = keys.some((key) => constantTimeEqual(codeOf(key, head), bytes.subarray(SCOPE_BYTES)));
      return isOurs ? { scopeId: head.readUInt32BE() } : null;
    },
  };
};
