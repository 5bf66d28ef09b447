// Maintains event roll-ups in slices of the log. The cursor advances in the same transaction, so each event is counted
// once however often a process stops, and another process continues from there.

import type { Db } from '../../database/storage.ts';
import type { FollowedLog } from '../../people/events/followed/followed.ts';
import { readEntries, sampleOf, writeSample } from './sample.ts';
import { analyticsStore } from './store.ts';
import type { AnalyticsTables } from './tables.ts';
import { type HourPeople, tallyOf } from './tally.ts';

/** Name of the roll-ups' cursor. */
export const MARK = 'analytics';
/** Events per transaction, which ingest waits for. Chosen: some 20 ms on SQLite. */
const SLICE = 2_500;
/** Slices per step of maintenance. Chosen. */
const SLICES = 4;
/** Maximum users counted exactly per hour. Chosen: 24 KB, and an error of some per cent beyond. */
export const PEOPLE_PER_HOUR = 4_096;

export type RollUpDeps = {
  readonly log: FollowedLog;
  readonly tables: AnalyticsTables;
  readonly slice?: number | undefined;
};

const addPeople = async (db: Db, tables: AnalyticsTables, hours: readonly HourPeople[]): Promise<void> => {
  const store = analyticsStore({ db, tables });
  for (const [scopeId, ofScope] of Map.groupBy(hours, (one) => one.scopeId)) {
    const there = await store.peopleAt(
      { scopeId },
      ofScope.map(({ hour }) => hour),
    );
    const known = new Map(there.map((row) => [row.hour, row]));
    const changed = ofScope.flatMap(({ hour, people }) => {
      const sample = sampleOf(PEOPLE_PER_HOUR);
      const row = known.get(hour);
      if (row) {
        sample.raise(row.sampleLevel);
        readEntries(row.sample, sample.add);
      }
      for (const [digest, flags] of people) sample.add(digest, flags);
      const text = writeSample(sample);
      return row?.sample === text ? [] : [{ scopeId, hour, sampleLevel: sample.level, sample: text }];
    });
    await store.putPeople(changed);
  }
};

/** One step of the roll-up; true if more is left. Throws database errors. */
export const rollUp =
  ({ log, tables, slice = SLICE }: RollUpDeps) =>
  async (): Promise<boolean> => {
    for (let done = 0; done < SLICES; done += 1) {
      const isMore = await log.next(MARK, slice, async (db, events) => {
        const { counts, people } = tallyOf(events);
        await analyticsStore({ db, tables }).add(counts);
        await addPeople(db, tables, people);
      });
      if (!isMore) return false;
    }
    return true;
  };
