import { payloadTooLarge } from '@beckon/core';

/** Collects the chunks of a body under a cap. */
export type Gathering = {
  /** Throws BeckonError PAYLOAD_TOO_LARGE once the cap is exceeded, and then releases the chunks. */
  add(chunk: Uint8Array): void;
  /** Bytes so far. Throws nothing. */
  size(): number;
  /** All bytes; a body of one chunk is that chunk, not a copy. Throws nothing. */
  bytes(): Uint8Array;
};

/**
 * Counts bytes as they arrive: a chunked body has no length, and a Content-Length is only the sender's claim.
 *
 * @param maxBytes the most that `bytes()` may hold
 */
export const gather = (maxBytes: number): Gathering => {
  let chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add: (chunk) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        chunks = [];
        throw payloadTooLarge(maxBytes);
      }
      chunks.push(chunk);
    },
    size: () => size,
    bytes: () => {
      const [first] = chunks;
      return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
    },
  };
};
