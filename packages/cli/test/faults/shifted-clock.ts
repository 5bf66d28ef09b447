/** The machine's clock, moved ahead by what has been skipped. */
export type ShiftedClock = { now(): Date; skip(ms: number): void };

/** A clock for waits that a test cannot afford, such as the minutes for which a circuit is open. */
export const shiftedClock = (): ShiftedClock => {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    skip: (ms) => {
      aheadMs += ms;
    },
  };
};
