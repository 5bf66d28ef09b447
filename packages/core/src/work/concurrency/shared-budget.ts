/** The budget in one worker's hands, which its limiters share. */
export type SharedBudget = {
  /**
   * Takes budget for some of the jobs that a callLimiter would add, and answers for how many.
   *
   * @param held jobs of that callLimiter that have budget already
   * @param wanted jobs more; at least 0
   */
  take(held: number, wanted: number): number;
  /** Gives back the budget of one job. */
  give(): void;
};

/** A callLimiter may hold this many times what is still free; ours: one busy callLimiter alone gets two thirds. */
const SHARE = 2;

/**
 * SharedBudget whose share shrinks as more limiters fill: however many providers hang at once, some is left for the next one.
 * Throws nothing. Source: Choudhury and Hahne, Dynamic queue length thresholds (1998).
 *
 * @param most jobs of all limiters together
 */
export const sharedBudget = (most: number): SharedBudget => {
  let free = most;
  return {
    take: (held, wanted) => {
      // As many that the callLimiter holds its share of what is free once they are in.
      const fitting = Math.floor((SHARE * free - held) / (1 + SHARE));
      const taken = Math.min(wanted, Math.max(fitting, 0));
      free -= taken;
      return taken;
    },
    give: () => {
      free += 1;
    },
  };
};
