// Keys that sign access tokens: generation, RFC 7638 thumbprints and import into `KeyObject`s of node:crypto.

import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { lru } from '../../foundation/lru.ts';

/** Algorithms of access tokens. Source: auth settings, `token.alg`. */
export const SIGNING_ALGS = ['ES256', 'EdDSA', 'RS256'] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** The public part of a key, with the members of its thumbprint only. Binary members are base64url. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string };

/** The private part of a key, as node:crypto exports it. Store it sealed. */
export type PrivateJwk = { readonly kty: string; readonly [member: string]: unknown };

/** A public key with its id. */
export type PublicKeyRecord = { readonly kid: string; readonly alg: SigningAlg; readonly publicJwk: PublicJwk };
/** A new key. `kid` is the RFC 7638 thumbprint of `publicJwk`. */
export type GeneratedSigningKey = PublicKeyRecord & { readonly privateJwk: PrivateJwk };

/** A public key ready to verify signatures. */
export type VerificationKey = { readonly kid: string; readonly alg: SigningAlg; readonly publicKey: KeyObject };
/** A private key ready to sign. */
export type SigningKey = { readonly kid: string; readonly alg: SigningAlg; readonly privateKey: KeyObject };

/** Bits of an RSA modulus. Source: RFC 7518, section 3.3 (2,048 or more). */
const RSA_BITS = 2_048;

const generatePair = promisify(generateKeyPair);

const pairOf = (alg: SigningAlg): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> => {
  switch (alg) {
    case 'ES256':
      return generatePair('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return generatePair('ed25519');
    case 'RS256':
      return generatePair('rsa', { modulusLength: RSA_BITS });
  }
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Members of a JWK that are read. */
type JwkMembers = { readonly [Name in 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e']?: unknown };

/** Reduces a JWK to the members of its thumbprint. @returns null if it is no key for this algorithm. Throws nothing. */
export const publicJwkOf = (alg: SigningAlg, jwk: JwkMembers): PublicJwk | null => {
  const { kty, crv, x, y, n, e } = jwk;
  switch (alg) {
    case 'ES256':
      return kty === 'EC' && crv === 'P-256' && isText(x) && isText(y) ? { kty, crv, x, y } : null;
    case 'EdDSA':
      return kty === 'OKP' && crv === 'Ed25519' && isText(x) ? { kty, crv, x } : null;
    case 'RS256':
      return kty === 'RSA' && isText(n) && isText(e) ? { kty, n, e } : null;
  }
};

/** The thumbprint of a public key: SHA-256 in base64url, 43 characters. Throws nothing. Source: RFC 7638, section 3. */
export const thumbprintOf = (jwk: PublicJwk): string => {
  // Required members only, in the order of their names, without white space.
  const required =
    jwk.kty === 'EC'
      ? { crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }
      : jwk.kty === 'OKP'
        ? { crv: jwk.crv, kty: jwk.kty, x: jwk.x }
        : { e: jwk.e, kty: jwk.kty, n: jwk.n };
  return hash('sha256', JSON.stringify(required), 'base64url');
};

/**
 * Generates a key outside of the event loop: a new RSA key takes up to a second of CPU.
 *
 * Throws what node:crypto throws.
 */
export const generateSigningKey = async (alg: SigningAlg): Promise<GeneratedSigningKey> => {
  const { publicKey, privateKey } = await pairOf(alg);
  const publicJwk = publicJwkOf(alg, publicKey.export({ format: 'jwk' }));
  const { kty, ...members } = privateKey.export({ format: 'jwk' });
  if (!publicJwk || !kty) throw new TypeError(`node:crypto exported no ${alg} key.`);
  return { kid: thumbprintOf(publicJwk), alg, publicJwk, privateJwk: { kty, ...members } };
};

const checkedJwk = ({ kid, alg, publicJwk }: PublicKeyRecord): PublicJwk => {
  const jwk = publicJwkOf(alg, publicJwk);
  if (!jwk || thumbprintOf(jwk) !== kid) throw new TypeError(`The signing key ${kid} is no ${alg} key with this id.`);
  return jwk;
};

/** Imports stored keys and caches them. Import is the larger part of the cost of a signature check. */
export type KeyImporter = {
  /** @throws TypeError if the key does not belong to `alg` or `kid` is not its thumbprint */
  verificationKey(key: PublicKeyRecord): VerificationKey;
  /** As `verificationKey`. @throws TypeError also if the private part belongs to another key */
  signingKey(key: PublicKeyRecord & { readonly privateJwk: PrivateJwk }): SigningKey;
};

/** Keys that one process caches. Chosen: two keys for each of 500 busy scopes; an entry takes about 2 KB. */
const MAX_CACHED_KEYS = 1_000;

/**
 * Creates an importer with its own cache. A `kid` is a hash of the key, so cached keys never become stale.
 *
 * @param maxKeys public and private keys that are cached, each
 */
export const keyImporter = (maxKeys = MAX_CACHED_KEYS): KeyImporter => {
  const publicKeys = lru<string, VerificationKey>(maxKeys);
  const privateKeys = lru<string, SigningKey>(maxKeys);
  return {
    verificationKey: (key) => {
      const { kid, alg } = key;
      const cached = publicKeys.get(kid);
      if (cached && cached.alg === alg) return cached;
      const imported = { kid, alg, publicKey: createPublicKey({ key: { ...checkedJwk(key) }, format: 'jwk' }) };
      publicKeys.set(kid, imported);
      return imported;
    },
    signingKey: (key) => {
      const { kid, alg } = key;
      const cached = privateKeys.get(kid);
      if (cached && cached.alg === alg) return cached;
      checkedJwk(key);
      const privateKey = createPrivateKey({ key: { ...key.privateJwk }, format: 'jwk' });
      const own = publicJwkOf(alg, privateKey.export({ format: 'jwk' }));
      if (!own || thumbprintOf(own) !== kid)
        throw new TypeError(`The private part of the signing key ${kid} belongs to another key.`);
      const imported = { kid, alg, privateKey };
      privateKeys.set(kid, imported);
      return imported;
    },
  };
};
