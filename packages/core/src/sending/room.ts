/** The room in one worker's hands, which its lanes share. */
export type Room = {
  /**
   * Takes room for some of the jobs that a lane would add, and answers for how many.
   *
   * @param held jobs of that lane that have room already
   * @param wanted jobs more; at least 0
   */
  take(held: number, wanted: number): number;
  /** Gives back the room of one job. */
  give(): void;
};

/** A lane may hold this many times what is still free; ours: one busy lane alone gets two thirds. */
const SHARE = 2;

/**
 * Room whose share shrinks as more lanes fill: however many providers hang at once, some is left for the next one.
 * Throws nothing. Source: Choudhury and Hahne, Dynamic queue length thresholds (1998).
 *
 * @param most jobs of all lanes together
 */
export const sharedRoom = (most: number): Room => {
  let free = most;
  return {
    take: (held, wanted) => {
      // As many that the lane holds its share of what is free once they are in.
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
