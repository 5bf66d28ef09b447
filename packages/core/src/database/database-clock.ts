// PostgreSQL runs on another machine than this process. Modules use the database's time, so work is due for every
// worker at the intended moment, even if the writer's host has a wrong clock.

import { type Clock, systemClock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';
import { withoutDeadline } from '../foundation/deadline.ts';
import type { Log } from '../foundation/log.ts';
import { type ClockReading, remoteClock } from '../foundation/remote-clock.ts';
import type { Storage } from './storage.ts';

/** Time between two readings, in milliseconds. Chosen: clocks drift less than a millisecond in this time. */
const READ_INTERVAL_MS = 10_000;
/** How often to check whether the host's clock was set or the machine slept, which causes an immediate reading. */
const CHECK_MS = 1_000;
/** Readings before the first use. Chosen: the fastest one counts, and a single one may be slow. */
const FIRST_READINGS = 3;
/**
 * Difference between a host's clock and the database's that is reported, in milliseconds. Source: reliability design
 * (doctor and readyz name a skew above 5 s).
 */
export const MAX_SKEW_MS = 5_000;

/** The database's clock in this process. */
export type DatabaseClock = Clock & {
  /** How far this host's wall clock is ahead of the database's, in milliseconds; negative if it is behind. */
  hostAheadMs(): number;
  /** Stops reading and waits for the current reading. Throws nothing. */
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
 * Reads the database's clock, and again every 10 s. A failed reading leaves the clock as it is. Throws the database's
 * errors for the first readings.
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
  for (let count = 1; count < FIRST_READINGS; count += 1) clock.addReading(await reading());

  let wallAheadMs = 0;
  let readAtMs = 0;
  let isSkewed = false;
  const hostAheadMs = (): number => Math.round(wallMs() - clock.now().getTime());
  const report = (): void => {
    wallAheadMs = wallMs() - monotonicMs();
    readAtMs = monotonicMs();
    const aheadMs = hostAheadMs();
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS;
    if (isSkewed && !wasSkewed)
      log.warn({ aheadMs }, `this host's clock is ${skewInWords(aheadMs)} the database's; the database's time is used`);
    else if (wasSkewed && !isSkewed) log.info({ aheadMs }, "this host's clock agrees with the database's again");
  };
  report();

  let running: Promise<void> | undefined;
  const readAgain = async (): Promise<void> => {
    try {
      clock.addReading(await reading());
    } catch {
      // The database is unavailable; other calls report it.
    } finally {
      running = undefined;
      report();
    }
  };
  const check = contained(() => {
    const hasJumped = Math.abs(wallMs() - monotonicMs() - wallAheadMs) > CHECK_MS;
    if (running === undefined && (hasJumped || monotonicMs() - readAtMs >= READ_INTERVAL_MS)) running = readAgain();
  });
  const timer = withoutDeadline(() => setInterval(check, CHECK_MS).unref());
  return {
    now: clock.now,
    hostAheadMs,
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
