import type { Clock } from '../foundation/clock.ts';

const MINUTE_MS = 60_000;
/** Chosen: a developer sees each line, and a busy service writes one a second. */
const LINES_PER_MINUTE = 60;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes lines of one kind, 60 a minute at most. Those beyond are counted: the next line says by `unlogged` how many there
 * were. What it returns throws nothing: what it tells of has happened, whatever becomes of the line.
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
      // A log of the host's that throws.
    }
  };
};
