import { type KeyObject, sign } from 'node:crypto';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Header and claims of a token in this order, without a signature. Source: RFC 7515, 3.1. */
export const unsignedJwt = (header: object, claims: object): string => `${base64url(header)}.${base64url(claims)}`;

/** A signed token: ES256 or RS256, by the type of the key. Source: RFC 7518, 3.3 and 3.4. */
export const signedJwt = (unsigned: string, key: KeyObject): string => {
  // Node ignores `dsaEncoding` for RSA keys.
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' });
  return `${unsigned}.${signature.toString('base64url')}`;
};
