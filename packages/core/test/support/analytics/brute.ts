// Brute-force evaluation of events, and random events.

import { intervalOf } from '../../../src/automation/runs/figures/interval.ts';
import { digest48 } from '../../../src/foundation/hash.ts';
import { zoneClock } from '../../../src/foundation/zone-clock.ts';
import { QUARTER_MS } from '../../../src/insight/analytics/quarters.ts';
import type { QueryRange } from '../../../src/insight/analytics/range.ts';
import type { FollowedEvent } from '../../../src/people/events/followed/followed.ts';

/**
 * Offsets of whole, half and quarter hours, clock changes of half an hour and at midnight, and beyond the date line.
 */
export const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Australia/Eucla', 'Pacific/Chatham', 'Pacific/Apia', 'America/Sao_Paulo'],
  ...['Africa/Cairo', 'Africa/Casablanca', 'Asia/Tehran', 'Pacific/Marquesas', 'Asia/Beirut'],
] as const;
const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
const TYPES = ['app.opened', 'cart.filled', 'order.placed', 'page.viewed'] as const;
const MODULES = ['app', 'web'] as const;
const DAY_MS = 86_400_000;

type Random = () => number;
export const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new RangeError('nothing to choose from');
  return found;
};

/** Events of some users within days before a time, often close together. */
export const randomEvents = (
  random: Random,
  { count, days, endMs, scopeId = 1 }: { count: number; days: number; endMs: number; scopeId?: number },
): FollowedEvent[] => {
  let ms = endMs;
  return Array.from({ length: count }, () => {
    ms =
      random() < 0.5
        ? Math.min(endMs, ms + Math.floor(random() * 1_200_000))
        : endMs - Math.floor(random() * days * DAY_MS);
    return {
      scopeId,
      personKey: digest48(`u:${Math.floor(random() * 60)}`, scopeId),
      module: pick(random, MODULES),
      eventType: pick(random, TYPES),
      source: random() < 0.9 ? 'customer' : 'system',
      timestamp: new Date(ms),
    };
  });
};

/** A random query about days before a time. */
export const randomRange = (
  random: Random,
  { days, endMs, timezone = pick(random, ZONES) }: { days: number; endMs: number; timezone?: string },
): QueryRange & { name: string } => {
  const last = Math.ceil((endMs + DAY_MS) / QUARTER_MS);
  const from = last - Math.floor(random() * days * 96);
  const to = from + Math.floor(random() * (last - from) + 1);
  const interval = pick(random, INTERVALS);
  const zone = zoneClock(timezone);
  if (!zone) throw new TypeError(`no zone ${timezone}`);
  return { from, to, isClamped: false, interval, zone, name: `${interval} ${timezone} ${from} to ${to}` };
};

/** Counts events and users by interval, one by one. */
export const bruteOf = (events: readonly FollowedEvent[], { from, to, interval, zone }: QueryRange) => {
  const counts = new Map<string, number>();
  const people = new Map<string, Set<number>>();
  const everybody = new Set<number>();
  for (const { timestamp, personKey, source } of events) {
    const ms = timestamp.getTime();
    if (ms < from * QUARTER_MS || ms >= to * QUARTER_MS) continue;
    const at = intervalOf(ms, interval, zone);
    counts.set(at, (counts.get(at) ?? 0) + 1);
    if (source !== 'customer') continue;
    people.set(at, (people.get(at) ?? new Set()).add(personKey));
    everybody.add(personKey);
  }
  return {
    counts,
    people: new Map([...people].map(([at, those]) => [at, those.size])),
    everybody: everybody.size,
  };
};
