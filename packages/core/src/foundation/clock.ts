/** The only source of time in core. `now()` returns a new Date, so a caller may change it. */
export type Clock = { now(): Date };

/** The machine's clock. It may jump in either direction; order by id where order matters. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that moves only by `advance` and `set`. */
export type VirtualClock = Clock & {
  /** Moves by `ms` milliseconds; negative goes back. */
  advance(ms: number): void;
  /** Jumps to an instant; a string is read as ISO 8601. */
  set(date: Date | string): void;
};

const instant = (date: Date | string | number): number => {
  const ms = new Date(date).getTime();
  if (Number.isNaN(ms)) throw new TypeError('A virtual clock needs a valid date.');
  return ms;
};

/**
 * A clock for tests and simulations.
 *
 * @param start first instant; a string is read as ISO 8601
 * @throws TypeError here, in `set` and in `advance` when the instant would not be a valid date
 */
export const virtualClock = (start: Date | string): VirtualClock => {
  let current = instant(start);
  return {
    now: () => new Date(current),
    advance: (ms) => {
      current = instant(current + ms);
    },
    set: (date) => {
      current = instant(date);
    },
  };
};
