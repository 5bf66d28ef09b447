import type { Io } from './io.ts';
import type { OutputFlags } from './output.ts';

/** Shares of the whole after which a line is due, and the silence after which one is due anyway. Source: cli design, section 6. */
const LINES = 10;
const SILENCE_MS = 5_000;

/** Hears how far something is, and says so now and then: one line per tenth, or per 5 s. */
export type Progress = (at: { readonly done: number; readonly of: number }) => void;

/**
 * Lines such as `sealed anew: 30 % (300 of 1000)`. What is done with its first word says nothing: nobody waits for it.
 *
 * @param say takes one line
 */
export const progressLines = (what: string, now: () => Date, say: (line: string) => void): Progress => {
  let [tenth, saidAt] = [0, now().getTime()];
  return ({ done, of }) => {
    if (of === 0 || done >= of) return;
    const reached = Math.floor((done / of) * LINES);
    const at = now().getTime();
    if (reached <= tenth && at - saidAt < SILENCE_MS) return;
    [tenth, saidAt] = [Math.max(tenth, reached), at];
    say(`${what}: ${Math.floor((done / of) * 100)} % (${done} of ${of})`);
  };
};

/** What a person waits for without asking what goes on; then the seconds are counted. Source: cli design, section 6. */
const TICK_MS = 1_000;

/**
 * Does the work, and says on stderr how long it has been under way: to a person from the first second on, in one line that
 * is gone once the work has ended, to a program one line per 5 s. Throws what `work` throws.
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
    // Spaces and not an escape sequence: it has to go on every terminal.
    if (stderr.isTTY && shown !== '') stderr.write(`\r${' '.repeat(shown.length)}\r`);
  }
};
