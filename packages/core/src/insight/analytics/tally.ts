import type { FollowedEvent } from '../../people/events/followed/followed.ts';
import { hourOf, QUARTERS, quarterOf } from './quarters.ts';
import { digestOf } from './sample.ts';
import type { AnalyticsTables } from './tables.ts';

export type EventHour = AnalyticsTables['eventHours']['$inferSelect'];
/** Active users of an hour of a scope, by digest, with a bit for each quarter. */
export type HourPeople = {
  readonly scopeId: number;
  readonly hour: number;
  readonly people: ReadonlyMap<number, number>;
};

/** Columns of the quarters, in order. */
const COLUMNS = ['quarter0', 'quarter1', 'quarter2', 'quarter3'] as const;

/**
 * Increases of the roll-ups by a slice of the log, one row per key, ordered by key. Only customers' events count as
 * activity, not events that Beckon raised.
 */
export const tallyOf = (
  events: readonly FollowedEvent[],
): { readonly counts: readonly EventHour[]; readonly people: readonly HourPeople[] } => {
  const counts = new Map<string, EventHour>();
  const people = new Map<string, HourPeople & { readonly people: Map<number, number> }>();
  for (const { scopeId, personKey, module, eventType, source, timestamp } of events) {
    const quarter = quarterOf(timestamp.getTime());
    const hour = hourOf(quarter);
    const part = quarter - hour * QUARTERS;
    const key = JSON.stringify([scopeId, hour, eventType, module, source]);
    const row = counts.get(key) ?? {
      scopeId,
      hour,
      eventType,
      module,
      source,
      quarter0: 0,
      quarter1: 0,
      quarter2: 0,
      quarter3: 0,
    };
    const column = COLUMNS[part] ?? 'quarter0';
    counts.set(key, { ...row, [column]: row[column] + 1 });
    if (source !== 'customer') continue;
    const at = `${scopeId}/${hour}`;
    const there = people.get(at) ?? { scopeId, hour, people: new Map<number, number>() };
    const digest = digestOf(personKey);
    there.people.set(digest, (there.people.get(digest) ?? 0) | (1 << part));
    people.set(at, there);
  }
  return {
    counts: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    people: [...people].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
  };
};
