import type { Clock } from './clock.ts';

/** One reading of another machine's clock, with the monotonic times at which it was requested and received. */
export type ClockReading = { readonly at: Date; readonly requestedMs: number; readonly receivedMs: number };

/** The clock of another machine, estimated from readings. */
export type RemoteClock = Clock & {
  /** Adds a reading. Readings must be added in the order in which they were received. */
  addReading(reading: ClockReading): void;
};

/**
 * A clock that estimates another machine's time. Between readings it follows the local monotonic clock, so a step of
 * the local wall clock does not move it.
 *
 * It is ahead of the other machine at most by the drift of the two clocks between readings: the response was sent
 * before it arrived, so its time is a lower bound. It is behind by the time that the fastest response took to arrive.
 *
 * @param first a reading taken before the clock is used
 */
export const remoteClock = (first: ClockReading, monotonicMs: () => number = () => performance.now()): RemoteClock => {
  const minAheadMs = ({ at, receivedMs }: ClockReading): number => at.getTime() - receivedMs;
  let aheadMs = minAheadMs(first);
  return {
    now: () => new Date(Math.floor(monotonicMs() + aheadMs)),
    addReading: (reading) => {
      const min = minAheadMs(reading);
      const max = reading.at.getTime() - reading.requestedMs;
      // A slow response is less exact than an earlier fast one that is still consistent with it.
      if (aheadMs < min || aheadMs > max) aheadMs = min;
    },
  };
};
