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
