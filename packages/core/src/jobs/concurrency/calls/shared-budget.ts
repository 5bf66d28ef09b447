/** How many jobs one worker may have in hand, shared by its limiters. */
export type SharedBudget = {
  /**
   * Takes a share for some of the jobs that a limiter would add, and answers for how many.
   *
   * @param held jobs that the limiter holds already
   * @param wanted jobs more; at least 0
   */
  take(held: number, wanted: number): number;
  /** Gives back the share of one job. */
  give(): void;
};

/** A limiter may hold this many times what is still free; ours: one busy limiter alone gets two thirds. */
const SHARE = 2;

/**
 * A budget whose shares shrink as more limiters fill: however many providers hang at once, some is left for the next
 * one. Throws nothing. Source: Choudhury and Hahne, Dynamic queue length thresholds (1998).
 *
 * @param most jobs of all limiters together
 */
export const sharedBudget = (most: number): SharedBudget => {
  let free = most;
  return {
    take: (held, wanted) => {
      // As many that the limiter holds its share of what is free once they are in.
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
