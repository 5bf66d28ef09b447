/** Text of bytes as browsers send them: base64url without padding. */
export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * Bytes of base64url without padding. Null for any other spelling, so that two decoders cannot read different bytes. Throws
 * nothing.
 */
export const bytesOfBase64url = (text: string): Uint8Array<ArrayBuffer> | null => {
  if (!/^[\w-]+$/.test(text)) return null;
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'));
  return base64url(bytes) === text ? bytes : null;
};
