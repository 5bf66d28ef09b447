// Local time of a zone, by the runtime's time-zone data. A call of Intl costs as much as evaluating a message, so each
// zone caches the spans of time in which its offset is constant. A change of clocks ends a span; midnight does not.

import { LRUCache } from 'lru-cache';

/** A span of time with a constant offset, in milliseconds since 1970; `to` is exclusive. */
export type OffsetSpan = { readonly from: number; readonly to: number; readonly offsetMs: number };

/** The clock of one zone. */
export type ZoneClock = {
  /** A span that contains this moment; the adjacent spans may have the same offset. Throws nothing for a valid date. */
  spanAt(atMs: number): OffsetSpan;
};

/** The version of the runtime's time-zone data, such as `2026c`. */
export const timeZoneData: string = process.versions.tz ?? 'unknown';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/**
 * If two moments this far apart have the same offset, it is constant between them. Measured on the data of 2026c: no
 * zone changed twice within six days since the year 2000. Two changes within one step would be missed.
 */
const STEP_MS = 2 * DAY_MS;
/** Steps to search ahead. Chosen: a deferral needs one day ahead. */
const STEPS_AHEAD = 4;
/** Cached spans per zone. Chosen: the current one and those around the next change of clocks. */
const MAX_SPANS = 6;
/** Cached zone clocks. Chosen: more than there are zones, at some kilobytes each. */
const MAX_ZONES = 1_000;

const formatterOf = (zone: string): Intl.DateTimeFormat | null => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      // h24 shows midnight as 24:00 of the day before.
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    return null;
  }
};

const clockOf = (formatter: Intl.DateTimeFormat): ZoneClock => {
  const spans: OffsetSpan[] = [];

  /** @param atMs whole seconds */
  const offsetAt = (atMs: number): number => {
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = formatter
      .format(atMs)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - atMs;
  };

  /** The first second after the change, in a range in which the offset changes once. */
  const findChange = (fromMs: number, toMs: number): number => {
    const before = offsetAt(fromMs);
    let [beforeMs, afterMs] = [fromMs, toMs];
    while (afterMs - beforeMs > SECOND_MS) {
      const middle = Math.floor((beforeMs + afterMs) / 2 / SECOND_MS) * SECOND_MS;
      if (offsetAt(middle) === before) beforeMs = middle;
      else afterMs = middle;
    }
    return afterMs;
  };

  const findSpan = (atMs: number): OffsetSpan => {
    const second = Math.floor(atMs / SECOND_MS) * SECOND_MS;
    const offsetMs = offsetAt(second);
    const early = second - STEP_MS;
    const from = offsetAt(early) === offsetMs ? early : findChange(early, second);
    let to = second;
    for (let step = 0; step < STEPS_AHEAD; step += 1) {
      const next = to + STEP_MS;
      if (offsetAt(next) !== offsetMs) return { from, to: findChange(to, next), offsetMs };
      to = next;
    }
    return { from, to, offsetMs };
  };

  return {
    spanAt: (atMs) => {
      for (const span of spans) if (atMs >= span.from && atMs < span.to) return span;
      const found = findSpan(atMs);
      if (spans.unshift(found) > MAX_SPANS) spans.pop();
      return found;
    },
  };
};

const NONE = 'none';
const clocks = new LRUCache<string, ZoneClock | typeof NONE>({ max: MAX_ZONES });

/** The clock of an IANA zone; null for a name that the runtime's time-zone data does not have. Throws nothing. */
export const zoneClock = (zone: string): ZoneClock | null => {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    const formatter = formatterOf(zone);
    clock = formatter === null ? NONE : clockOf(formatter);
    clocks.set(zone, clock);
  }
  return clock === NONE ? null : clock;
};
