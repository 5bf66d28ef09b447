/** The jobs that one worker may have in hand, shared by its limiters. */
export type SharedBudget = {
  /**
   * Reserves budget for some of the jobs that a limiter would add, and returns for how many.
   *
   * @param held jobs that the limiter already has
   * @param requested further jobs; at least 0
   */
  take(held: number, requested: number): number;
  /** Returns the budget of one job. */
  give(): void;
};

/** A limiter may hold this multiple of the free budget. Chosen: a single busy limiter gets two thirds. */
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
    take: (held, requested) => {
      // The number with which the limiter holds its share of what is free afterwards.
      const fitting = Math.floor((SHARE * free - held) / (1 + SHARE));
      const granted = Math.min(requested, Math.max(fitting, 0));
      free -= granted;
      return granted;
    },
    give: () => {
      free += 1;
    },
  };
};
