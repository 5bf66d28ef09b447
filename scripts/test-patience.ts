import { vi } from 'vitest';

/**
 * How long `vi.waitFor` and `vi.waitUntil` poll, in milliseconds. Vitest's own default of one second fails on a busy machine. The limit only
 * ends a test that hangs; runs of mutants set a shorter one.
 */
const PATIENCE_MS = Number(process.env['BECKON_TEST_PATIENCE_MS'] ?? 540_000);

const { waitFor, waitUntil } = vi;
const waitPatiently: typeof waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
const waitUntilPatiently: typeof waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
// Files of one worker share `vi`, and each of them runs this file.
if (waitFor.name !== waitPatiently.name) {
  vi.waitFor = waitPatiently;
  vi.waitUntil = waitUntilPatiently;
}
