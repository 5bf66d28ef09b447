import type { ParsedHash } from './parsed.ts';

const zeros = (characters: number): string => 'A'.repeat(characters);
/** Base64 of 16 and of 32 zero bytes, without padding. */
const [SALT, DIGEST] = [zeros(22), zeros(43)];
/** Base64 of 64 zero bytes: the length of a signer key and of its digest. */
const SIGNED = zeros(86);

/**
 * A hash that no password is known to fit and that takes as long to verify: the same algorithm and cost, with salt and
 * digest replaced by zeros. Equal for all hashes of one algorithm and cost, and free of secrets. `detectHash` reads it.
 * Throws nothing.
 */
export const standInOf = (hash: ParsedHash): string => {
  switch (hash.algorithm) {
    case 'bcrypt':
      return `$2b$${String(hash.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return `$${hash.algorithm}$v=19$m=${hash.memoryKiB},t=${hash.passes},p=${hash.lanes}$${SALT}$${DIGEST}`;
    case 'scrypt':
      return `$scrypt$ln=${Math.log2(hash.n)},r=${hash.r},p=${hash.p}$${SALT}$${DIGEST}`;
    case 'firebase-scrypt':
      return `$fbscrypt$v=1,n=${Math.log2(hash.n)},r=${hash.r},p=${hash.p},ss=,sk=${SIGNED}$${SALT}$${SIGNED}`;
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512': {
      // PBKDF2 repeats its work for each block of the digest.
      const bytes = hash.digest.length;
      const digest = zeros(Math.ceil((bytes * 4) / 3));
      return `$${hash.algorithm}$i=${hash.iterations},l=${bytes}$${SALT}$${digest}`;
    }
  }
};
