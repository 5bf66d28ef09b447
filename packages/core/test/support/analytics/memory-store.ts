import { sampleOf, writeSample } from '../../../src/insight/analytics/sample.ts';
import type { ActiveHour, AnalyticsStore, UnitSums } from '../../../src/insight/analytics/store.ts';
import { type EventHour, tallyOf } from '../../../src/insight/analytics/tally.ts';
import type { FollowedEvent } from '../../../src/people/events/followed/followed.ts';

/** Roll-ups in memory, read like the database: for rules that need no database. */
export const memoryStore = (events: readonly FollowedEvent[]): Pick<AnalyticsStore, 'sums' | 'peopleIn'> => {
  const { counts, people } = tallyOf(events);
  const hours = people
    .map(({ people: those, ...row }): ActiveHour => {
      const sample = sampleOf(100_000);
      for (const [digest, flags] of those) sample.add(digest, flags);
      return { ...row, sampleLevel: 0, sample: writeSample(sample) };
    })
    .sort((a, b) => a.hour - b.hour);
  return {
    peopleIn: async (_, { from, to }, limit) => hours.filter(({ hour }) => hour >= from && hour < to).slice(0, limit),
    sums: async (_, { from, to }, { length, offset }, { eventType, source, among }, by) => {
      const units = new Map<string, UnitSums>();
      const isMeant = (row: EventHour): boolean =>
        row.hour >= from &&
        row.hour < to &&
        (eventType === undefined || row.eventType === eventType) &&
        (source === undefined || row.source === source) &&
        (among === undefined || among.names.includes(row[among.by]));
      for (const row of counts.filter(isMeant)) {
        const unitAt = (part: number): number => Math.trunc((row.hour * 4 + offset + part) / length);
        const name = by === null ? null : row[by];
        const [first, last] = [unitAt(0), unitAt(3)];
        const key = JSON.stringify([first, last, name]);
        const there = units.get(key) ?? { first, last, name, quarter0: 0, quarter1: 0, quarter2: 0, quarter3: 0 };
        const { quarter0, quarter1, quarter2, quarter3 } = there;
        units.set(key, {
          ...there,
          quarter0: quarter0 + row.quarter0,
          quarter1: quarter1 + row.quarter1,
          quarter2: quarter2 + row.quarter2,
          quarter3: quarter3 + row.quarter3,
        });
      }
      return [...units.values()];
    },
  };
};
