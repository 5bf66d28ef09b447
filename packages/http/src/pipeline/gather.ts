import { payloadTooLarge } from '@beckon/core';

/** Collects the chunks of a body under a cap. */
export type Gathering = {
  /** Throws BeckonError PAYLOAD_TOO_LARGE once there is more than the cap; what came before is let go. */
  add(chunk: Uint8Array): void;
  /** Bytes so far. Throws nothing. */
  size(): number;
  /** All bytes; a body of one chunk is that chunk, not a copy. Throws nothing. */
  bytes(): Uint8Array;
};

/**
 * Counts bytes as they arrive: a chunked body states no length, and a stated one is the sender's word.
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
