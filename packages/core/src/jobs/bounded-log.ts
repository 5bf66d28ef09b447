import type { Clock } from '../foundation/clock.ts';

const MINUTE_MS = 60_000;
/** Chosen: a developer sees each line, and a busy service writes one per second. */
const LINES_PER_MINUTE = 60;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes at most 60 lines of one kind per minute. Further lines are counted: the next line reports them as `unlogged`.
 * The returned function throws nothing, since the logged event has happened in any case.
 */
export const boundedLog = (write: (fields: Fields) => void, clock: Clock): ((fields: Fields) => void) => {
  let windowMs: number | null = null;
  let lines = 0;
  let unlogged = 0;
  return (fields) => {
    const nowMs = clock.now().getTime();
    // A clock that was set back must not silence the log.
    if (windowMs === null || nowMs < windowMs || nowMs >= windowMs + MINUTE_MS) {
      windowMs = nowMs;
      lines = 0;
    }
    if (lines >= LINES_PER_MINUTE) {
      unlogged += 1;
      return;
    }
    lines += 1;
    const before = unlogged === 0 ? {} : { unlogged };
    unlogged = 0;
    try {
      write({ ...fields, ...before });
    } catch {
      // The host's log may throw.
    }
  };
};
