import type { Io } from './io.ts';
import type { OutputFlags } from './output.ts';

/** Number of progress lines, and the maximum time between two lines. Source: cli design, section 6. */
const LINES = 10;
const SILENCE_MS = 5_000;

/** Receives progress and prints one line per tenth, or per 5 s. */
export type Progress = (at: { readonly done: number; readonly of: number }) => void;

/**
 * Prints lines such as `Re-encrypted: 30 % (300 of 1000)`; nothing for work that is done at its first report.
 *
 * @param print prints one line
 */
export const progressLines = (what: string, now: () => Date, print: (line: string) => void): Progress => {
  let [tenth, printedAt] = [0, now().getTime()];
  return ({ done, of }) => {
    if (of === 0 || done >= of) return;
    const reached = Math.floor((done / of) * LINES);
    const at = now().getTime();
    if (reached <= tenth && at - printedAt < SILENCE_MS) return;
    [tenth, printedAt] = [Math.max(tenth, reached), at];
    print(`${what}: ${Math.floor((done / of) * 100)} % (${done} of ${of})`);
  };
};

/** Time until elapsed seconds are shown, and between updates. Source: cli design, section 6. */
const TICK_MS = 1_000;

/**
 * Runs `work` and prints the elapsed seconds on stderr: on a terminal in one line that disappears at the end, in a pipe one
 * line per 5 s. Throws the errors of `work`.
 */
export const whileWaiting = async <T>(
  { stderr, now, after }: Pick<Io, 'stderr' | 'now' | 'after'>,
  { quiet }: Pick<OutputFlags, 'quiet'>,
  what: string,
  work: () => Promise<T>,
): Promise<T> => {
  if (quiet === true) return work();
  const everyMs = stderr.isTTY ? TICK_MS : SILENCE_MS;
  const startedAt = now().getTime();
  let [shown, stop] = ['', (): void => undefined];
  const tick = (): void => {
    const text = `${what}: ${Math.floor((now().getTime() - startedAt) / 1_000)} s`;
    stderr.write(stderr.isTTY ? `\r${text}` : `${text}\n`);
    shown = text;
    stop = after(everyMs, tick);
  };
  stop = after(everyMs, tick);
  try {
    return await work();
  } finally {
    stop();
    // Spaces instead of an escape sequence, because they work on every terminal.
    if (stderr.isTTY && shown !== '') stderr.write(`\r${' '.repeat(shown.length)}\r`);
  }
};
