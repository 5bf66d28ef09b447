import type { Entry } from './queue.ts';

/** Source: sdk, Batching; the service accepts 64 KB. */
export const MAX_BATCH_BYTES = 61_440;
const MAX_BATCH = 100;
/** `{"batch":[],"sentAt":"2026-01-01T00:00:00.000Z"}`, with a comma for each event. */
const FRAME_BYTES = 50;

/** Bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The entries of one batch: the oldest ones that fit, in order. At least one if there is any. */
export const takeBatch = (entries: readonly Entry[], most = MAX_BATCH): readonly Entry[] => {
  let bytes = FRAME_BYTES;
  const end = entries.findIndex(({ kind, body }, index) => {
    bytes += bytesOf(JSON.stringify(body)) + 1;
    return kind === 'identify' || index >= most || (index > 0 && bytes > MAX_BATCH_BYTES);
  });
  return end < 0 ? entries : entries.slice(0, end);
};
