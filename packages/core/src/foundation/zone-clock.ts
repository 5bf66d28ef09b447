// What clocks on the wall show, by the runtime's own time-zone data. Asking Intl costs as much as judging a message, so
// each zone remembers in which stretches of time its offset holds: a change of clocks ends a stretch, midnight does not.

import { LRUCache } from 'lru-cache';

/** A stretch of time in which a zone's offset does not change, in milliseconds since 1970; `to` is the first after it. */
export type OffsetSpan = { readonly from: number; readonly to: number; readonly offsetMs: number };

/** The clock of one zone. */
export type ZoneClock = {
  /** A stretch that holds this moment; the offset may be the same before and after it. Throws nothing for a valid date. */
  spanAt(atMs: number): OffsetSpan;
};

/** The version of the time-zone data that this process has, such as `2026c`: it comes with the runtime. */
export const timeZoneData: string = process.versions.tz ?? 'unknown';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/**
 * Two moments so far apart that have one offset have it all the while: no zone changed twice within six days since the
 * year 2000. Ours, by the data of 2026c; a change that came and went within it would be missed.
 */
const STEP_MS = 2 * DAY_MS;
/** How far a stretch is looked for ahead, in steps; ours: a deferral looks a day ahead. */
const STEPS_AHEAD = 4;
/** Stretches that a zone remembers; ours: now, and around a change of clocks to come. */
const MAX_SPANS = 6;
/** Zones whose clocks are kept; ours: more than there are, at some kilobytes each. */
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

  /** The first second of the second part of a stretch in which the offset changes once. */
  const changeIn = (fromMs: number, toMs: number): number => {
    const before = offsetAt(fromMs);
    let [last, first] = [fromMs, toMs];
    while (first - last > SECOND_MS) {
      const middle = Math.floor((last + first) / 2 / SECOND_MS) * SECOND_MS;
      if (offsetAt(middle) === before) last = middle;
      else first = middle;
    }
    return first;
  };

  const look = (atMs: number): OffsetSpan => {
    const second = Math.floor(atMs / SECOND_MS) * SECOND_MS;
    const offsetMs = offsetAt(second);
    const early = second - STEP_MS;
    const from = offsetAt(early) === offsetMs ? early : changeIn(early, second);
    let to = second;
    for (let step = 0; step < STEPS_AHEAD; step += 1) {
      const next = to + STEP_MS;
      if (offsetAt(next) !== offsetMs) return { from, to: changeIn(to, next), offsetMs };
      to = next;
    }
    return { from, to, offsetMs };
  };

  return {
    spanAt: (atMs) => {
      for (const span of spans) if (atMs >= span.from && atMs < span.to) return span;
      const found = look(atMs);
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
