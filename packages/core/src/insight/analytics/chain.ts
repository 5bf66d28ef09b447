// How far somebody got in a funnel, from what they did. Pure.

/** Something of a funnel that somebody did: its moment, and a bit for each step that has its name. */
export type Did = { readonly ms: number; readonly steps: number };
/** The last step that was done within the window, from 0 on, and when the first one was. */
export type Reached = { readonly step: number; readonly startMs: number };

export type Window = {
  readonly steps: number;
  readonly windowMs: number;
  /** The first step is in it: from the first on, before the second. */
  readonly fromMs: number;
  readonly toMs: number;
};

/**
 * The furthest that somebody got, from the latest beginning that got so far first; null: they did not begin. One
 * deed is one step; of one moment those of earlier steps come first. Throws nothing.
 */
export const reachedOf = (did: readonly Did[], { steps, windowMs, fromMs, toMs }: Window): Reached | null => {
  /** Of each step the latest beginning from which it was reached. */
  const starts: (number | undefined)[] = [];
  let best: Reached | null = null;
  for (const { ms, steps: bits } of [...did].sort((a, b) => a.ms - b.ms || a.steps - b.steps)) {
    // From the last step on, so that nothing is two steps at once.
    for (let step = steps - 1; step >= 0; step -= 1) {
      if ((bits & (1 << step)) === 0) continue;
      const startMs = step === 0 ? (ms >= fromMs && ms < toMs ? ms : undefined) : starts[step - 1];
      if (startMs === undefined || ms - startMs > windowMs) continue;
      starts[step] = startMs;
      if (step > (best?.step ?? -1)) best = { step, startMs };
    }
  }
  return best;
};
