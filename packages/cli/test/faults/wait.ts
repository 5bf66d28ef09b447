import { setTimeout as sleep } from 'node:timers/promises';

/** Polling interval. Chosen: short compared to any wait. */
const LOOK_MS = 5;
/** Timeout for something that hangs. */
const HANGS_AFTER_MS = 540_000;

/**
 * Resolves once `holds` does.
 *
 * @param what completes "it did not happen that ..."
 * @throws (rejects with) that sentence when it takes too long
 */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = HANGS_AFTER_MS, everyMs = LOOK_MS }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it did not happen within ${withinMs} ms that ${what}`);
    await sleep(everyMs);
  }
};
