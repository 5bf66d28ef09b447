import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Meter } from '../../foundation/meter.ts';
import type { CountPlaceholders, PlaceholderSource } from '../../foundation/placeholder-user-id.ts';

/** Chosen: a broken client sends thousands a minute, and one line reports all of them. */
const LOG_EVERY_MS = 60_000;

/**
 * Counts placeholder user ids of this process: each in the meter, and in the log at most once a minute. A log line has
 * the count since the previous line over all projects, by source, and the project of the last one.
 */
export const placeholderCounter = ({
  meter,
  log,
  clock,
}: {
  readonly meter: Meter;
  readonly log: Log;
  readonly clock: Clock;
}): CountPlaceholders => {
  let loggedAtMs: number | null = null;
  let unlogged = new Map<PlaceholderSource, number>();

  return ({ scopeId }, source, count) => {
    if (count === 0) return;
    meter.count('placeholders', count, { source });
    unlogged.set(source, (unlogged.get(source) ?? 0) + count);
    const nowMs = clock.now().getTime();
    // A clock that was set back must not silence the log.
    if (loggedAtMs !== null && nowMs >= loggedAtMs && nowMs < loggedAtMs + LOG_EVERY_MS) return;
    const bySource = Object.fromEntries(unlogged);
    loggedAtMs = nowMs;
    unlogged = new Map();
    log.warn(
      { scopeId, bySource },
      'clients sent placeholder user ids such as "undefined", the last of them in this project',
    );
  };
};
