const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_PER_CHARACTER = 5;

/** Base32 in capitals, without padding. Throws nothing. Source: RFC 4648, section 6. */
export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    // Bits that were read move out at the left.
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= BITS_PER_CHARACTER) {
      bits -= BITS_PER_CHARACTER;
      text += ALPHABET.charAt((pending >>> bits) & 31);
    }
  }
  return bits > 0 ? text + ALPHABET.charAt((pending << (BITS_PER_CHARACTER - bits)) & 31) : text;
};

/**
 * Reads base32 in either case, with blanks, hyphens and padding. Unused bits of the last character are dropped.
 *
 * @returns null for any other character. Throws nothing.
 */
export const bytesOfBase32 = (text: string): Uint8Array | null => {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const character of text.replace(/[\s-]|=+$/g, '').toUpperCase()) {
    const value = ALPHABET.indexOf(character);
    if (value === -1) return null;
    pending = (pending << BITS_PER_CHARACTER) | value;
    bits += BITS_PER_CHARACTER;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >>> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
};
