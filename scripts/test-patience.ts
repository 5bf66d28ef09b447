import { vi } from 'vitest';

/** A machine whose cores are all busy stands still for longer than the second that vitest waits by itself. */
const PATIENCE_MS = 20_000;

const { waitFor } = vi;
const waitPatiently: typeof waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
// Files of one worker share `vi`, and each of them runs this file.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
