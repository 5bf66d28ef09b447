// PostgreSQL runs on another machine than this process. Engines take the database's time, so that work is due for every
// worker at the moment that its writer meant, however wrong the clock of the writer's host is.

import { type Clock, systemClock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';
import { withoutDeadline } from '../foundation/deadline.ts';
import type { Log } from '../foundation/log.ts';
import { type ClockReading, remoteClock } from '../foundation/remote-clock.ts';
import type { Storage } from './storage.ts';

/** Time between two readings, in milliseconds. Chosen: clocks drift apart by less than a millisecond meanwhile. */
const READ_MS = 10_000;
/** How often the process looks whether its own clock was set or the machine slept, which asks for a reading at once. */
const LOOK_MS = 1_000;
/** Readings before the first use. Chosen: the fastest counts, and one may meet a busy moment. */
const FIRST_READINGS = 3;
/**
 * Difference between a host's clock and the database's that is reported, in milliseconds. Source: reliability design
 * (doctor and readyz name a skew above 5 s).
 */
export const MAX_SKEW_MS = 5_000;

/** The database's clock in this process. */
export type DatabaseClock = Clock & {
  /** How far this host's wall clock is ahead of the database's, in milliseconds; negative: behind. */
  hostAheadMs(): number;
  /** Stops reading; waits for the reading that is under way. Throws nothing. */
  close(): Promise<void>;
};

/** A difference between clocks in words: `2.0 h ahead of`. Throws nothing. */
export const skewInWords = (aheadMs: number): string => {
  const tenths = (unitMs: number): number => Math.round(Math.abs(aheadMs) / (unitMs / 10)) / 10;
  const [seconds, minutes, hours] = [tenths(1_000), tenths(60_000), tenths(3_600_000)];
  const [amount, unit] = seconds < 120 ? [seconds, 's'] : minutes < 120 ? [minutes, 'min'] : [hours, 'h'];
  return `${amount.toFixed(1)} ${unit} ${aheadMs < 0 ? 'behind' : 'ahead of'}`;
};

/**
 * Reads the database's clock, and again every 10 s. A reading that fails leaves the clock as it is. Throws what the database
 * throws for the first readings.
 */
export const databaseClock = async (
  storage: Pick<Storage, 'now'>,
  log: Pick<Log, 'warn' | 'info'>,
  {
    host = systemClock,
    monotonicMs = () => performance.now(),
  }: { readonly host?: Clock; readonly monotonicMs?: () => number } = {},
): Promise<DatabaseClock> => {
  const reading = async (): Promise<ClockReading> => {
    const requestedMs = monotonicMs();
    const at = await storage.now();
    return { at, requestedMs, receivedMs: monotonicMs() };
  };
  const wallMs = (): number => host.now().getTime();
  const clock = remoteClock(await reading(), monotonicMs);
  for (let taken = 1; taken < FIRST_READINGS; taken += 1) clock.addReading(await reading());

  let wallAheadMs = 0;
  let readAtMs = 0;
  let isSkewed = false;
  const hostAheadMs = (): number => Math.round(wallMs() - clock.now().getTime());
  const report = (): void => {
    wallAheadMs = wallMs() - monotonicMs();
    readAtMs = monotonicMs();
    const aheadMs = hostAheadMs();
    const was = isSkewed;
    isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS;
    if (isSkewed && !was)
      log.warn({ aheadMs }, `this host's clock is ${skewInWords(aheadMs)} the database's; the database's time is used`);
    else if (was && !isSkewed) log.info({ aheadMs }, "this host's clock agrees with the database's again");
  };
  report();

  let running: Promise<void> | undefined;
  const readAgain = async (): Promise<void> => {
    try {
      clock.addReading(await reading());
    } catch {
      // The database is away, which every other call says louder.
    } finally {
      running = undefined;
      report();
    }
  };
  const look = contained(() => {
    const isMoved = Math.abs(wallMs() - monotonicMs() - wallAheadMs) > LOOK_MS;
    if (running === undefined && (isMoved || monotonicMs() - readAtMs >= READ_MS)) running = readAgain();
  });
  const timer = withoutDeadline(() => setInterval(look, LOOK_MS).unref());
  return {
    now: clock.now,
    hostAheadMs,
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
