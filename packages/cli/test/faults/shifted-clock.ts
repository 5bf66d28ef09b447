/** The system clock plus skipped time. */
export type ShiftedClock = { now(): Date; skip(ms: number): void };

/** A clock that skips long waits, such as the minutes of an open circuit. */
export const shiftedClock = (): ShiftedClock => {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    skip: (ms) => {
      aheadMs += ms;
    },
  };
};
