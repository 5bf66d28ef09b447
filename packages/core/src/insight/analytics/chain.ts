// Evaluates how far a user got in a funnel. Pure.

/** An event of a funnel: its time, and a bit for each step with its name. */
export type Did = { readonly ms: number; readonly steps: number };
/** Last step within the window, from 0, and the time of the first step. */
export type Reached = { readonly step: number; readonly startMs: number };

export type Window = {
  readonly steps: number;
  readonly windowMs: number;
  /** Range of the first step: `fromMs` inclusive, `toMs` exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
};

/**
 * The furthest step of a user, with the latest start that reached it first; null: the first step is missing. An event
 * counts for one step only; at the same time earlier steps come first. Throws nothing.
 */
export const reachedOf = (did: readonly Did[], { steps, windowMs, fromMs, toMs }: Window): Reached | null => {
  /** By step: the latest start from which it was reached. */
  const starts: (number | undefined)[] = [];
  let best: Reached | null = null;
  for (const { ms, steps: bits } of [...did].sort((a, b) => a.ms - b.ms || a.steps - b.steps)) {
    // From the last step down, so that an event counts for one step only.
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
