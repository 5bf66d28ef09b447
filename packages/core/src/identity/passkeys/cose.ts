// Reads public keys of passkeys (COSE) that another system has stored. Registrations are read by @simplewebauthn/server,
// which is slow to load; an import needs only to know that a key is whole. Source: RFC 9053, sections 2 and 7; RFC 8812.

import { createPublicKey } from 'node:crypto';
import type { PasskeyAlgorithm } from './options.ts';

type Value = number | Buffer;
type Jwk = { readonly kty: string; readonly [member: string]: string };

/** Integers and byte strings of CBOR, which keys consist of. Null: anything else, or cut off. Source: RFC 8949. */
const valuesOf = (bytes: Buffer): { readonly head: number; readonly values: readonly Value[] } | null => {
  let at = 1;
  const values: Value[] = [];
  while (at < bytes.length) {
    const first = bytes[at] ?? 0;
    const [major, info] = [first >> 5, first & 31];
    const size = info < 24 ? 0 : info === 24 ? 1 : info === 25 ? 2 : null;
    if (size === null || major > 2 || at + 1 + size > bytes.length) return null;
    const argument = size === 0 ? info : bytes.readUIntBE(at + 1, size);
    at += 1 + size;
    if (major < 2) values.push(major === 0 ? argument : -1 - argument);
    else {
      if (at + argument > bytes.length) return null;
      values.push(bytes.subarray(at, at + argument));
      at += argument;
    }
  }
  return { head: bytes[0] ?? 0, values };
};

const text = (value: Value | undefined, size?: number): string | null =>
  Buffer.isBuffer(value) && (size === undefined || value.length === size) ? value.toString('base64url') : null;

const jwkOf = (key: ReadonlyMap<Value, Value>): { readonly alg: PasskeyAlgorithm; readonly jwk: Jwk } | null => {
  const [kty, alg] = [key.get(1), key.get(3)];
  if (kty === 2 && alg === -7 && key.get(-1) === 1) {
    const [x, y] = [text(key.get(-2), 32), text(key.get(-3), 32)];
    return x !== null && y !== null ? { alg, jwk: { kty: 'EC', crv: 'P-256', x, y } } : null;
  }
  if (kty === 1 && alg === -8 && key.get(-1) === 6) {
    const x = text(key.get(-2), 32);
    return x !== null ? { alg, jwk: { kty: 'OKP', crv: 'Ed25519', x } } : null;
  }
  if (kty === 3 && alg === -257) {
    const [n, e] = [text(key.get(-1)), text(key.get(-2))];
    return n !== null && e !== null ? { alg, jwk: { kty: 'RSA', n, e } } : null;
  }
  return null;
};

/** The algorithm of a key; null: it is no whole key of an algorithm that passkeys use. Throws nothing. */
export const algorithmOf = (publicKey: Uint8Array): PasskeyAlgorithm | null => {
  const read = valuesOf(Buffer.from(publicKey));
  // A map whose head counts its pairs.
  if (!read || read.head >> 5 !== 5 || (read.head & 31) * 2 !== read.values.length) return null;
  const key = new Map<Value, Value>();
  for (let place = 0; place < read.values.length; place += 2)
    key.set(read.values[place] ?? 0, read.values[place + 1] ?? 0);
  const found = jwkOf(key);
  try {
    // Refuses points that are not on the curve.
    return found && createPublicKey({ key: found.jwk, format: 'jwk' }) && found.alg;
  } catch {
    return null;
  }
};
