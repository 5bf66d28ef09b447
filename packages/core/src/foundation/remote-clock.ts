import type { Clock } from './clock.ts';

/** One reading of another machine's clock, with the monotonic times at which it was requested and received. */
export type ClockReading = { readonly at: Date; readonly requestedMs: number; readonly receivedMs: number };

/** The clock of another machine, as far as readings tell. */
export type RemoteClock = Clock & {
  /** Takes a reading into account. Readings come in the order in which they were received. */
  read(reading: ClockReading): void;
};

/**
 * A clock that shows another machine's time. The local monotonic clock carries it on between readings, so a step of the
 * local wall clock does not move it.
 *
 * It never runs ahead of the other machine by more than the two clocks drift between readings: the other machine answered
 * before the answer arrived, so its time at that moment is the least that its clock can show. It is behind by the time that
 * the fastest answer took to arrive.
 *
 * @param first a reading taken before the clock is used
 */
export const remoteClock = (first: ClockReading, monotonicMs: () => number = () => performance.now()): RemoteClock => {
  const leastAheadMs = ({ at, receivedMs }: ClockReading): number => at.getTime() - receivedMs;
  let aheadMs = leastAheadMs(first);
  return {
    now: () => new Date(Math.floor(monotonicMs() + aheadMs)),
    read: (reading) => {
      const least = leastAheadMs(reading);
      const most = reading.at.getTime() - reading.requestedMs;
      // An answer that took long tells less than an earlier one that was fast and still fits.
      if (aheadMs < least || aheadMs > most) aheadMs = least;
    },
  };
};
