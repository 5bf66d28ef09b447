// What the files of the hash formats share: the parsed forms, the limits, and decoding.

/** Why a stored hash is not accepted: `unsupported_hash`: not one of the formats; `hash_over_cap`: too expensive to verify. */
export type HashProblem = 'unsupported_hash' | 'hash_over_cap';

/** `stored`: the text to store. It is detected again as the same hash, and holds no signer key. */
type Stored = { readonly stored: string };

export type BcryptHash = Stored & { readonly algorithm: 'bcrypt'; readonly cost: number };

export type Argon2Hash = Stored & {
  readonly algorithm: 'argon2id' | 'argon2i' | 'argon2d';
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
};

/** Cost of scrypt: N iterations, block size r, parallelization p. Source: RFC 7914, section 2. */
export type ScryptCost = { readonly n: number; readonly r: number; readonly p: number };

export type ScryptHash = Stored &
  ScryptCost & { readonly algorithm: 'scrypt'; readonly salt: Uint8Array; readonly digest: Uint8Array };

/** `salt` is the user's salt followed by the project's separator. */
export type FirebaseHash = Stored &
  ScryptCost & {
    readonly algorithm: 'firebase-scrypt';
    readonly salt: Uint8Array;
    readonly digest: Uint8Array;
    /** Key of the Firebase project. Store it sealed, apart from `stored`, and pass it back as `HashConfig.signerKey`. */
    readonly signerKey: Uint8Array;
  };

export type Pbkdf2Hash = Stored & {
  readonly algorithm: 'pbkdf2-sha256' | 'pbkdf2-sha512';
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly digest: Uint8Array;
};

/** A hash of a known format within the caps. A plain object that can be passed to a thread. */
export type ParsedHash = BcryptHash | Argon2Hash | ScryptHash | FirebaseHash | Pbkdf2Hash;

/** The result of detecting a format. */
export type Detected<Hash extends ParsedHash = ParsedHash> =
  | { readonly hash: Hash }
  | { readonly problem: HashProblem };

/** Hash parameters of a Firebase project, as its console shows them; keys and separators in base64. */
export type HashConfig = {
  readonly signerKey: string;
  readonly saltSeparator?: string;
  readonly rounds?: number;
  readonly memoryCost?: number;
};

export const UNSUPPORTED = { problem: 'unsupported_hash' } as const;
export const OVER_CAP = { problem: 'hash_over_cap' } as const;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Decodes base64 or base64url, padded or not. Null unless the text is the only spelling of its bytes. Throws nothing. */
export const fromBase64 = (text: string): Uint8Array | null => {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  if (!BASE64.test(standard)) return null;
  const bytes = Buffer.from(standard, 'base64');
  // Decoding ignores unused bits and missing characters.
  return toBase64(bytes) === standard.replaceAll('=', '') ? new Uint8Array(bytes) : null;
};

/** Base64 without padding, as in PHC strings. Throws nothing. */
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');

/** True if a length in bytes is within the range. */
export const isWithin = (bytes: Uint8Array, min: number, max: number): boolean =>
  bytes.length >= min && bytes.length <= max;
