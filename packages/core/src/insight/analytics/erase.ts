import type { Storage } from '../../database/storage.ts';
import type { FollowedLog } from '../../people/events/followed/followed.ts';
import { personKey } from '../../people/events/person-key.ts';
import { type Eraser, SLICE } from '../../platform/erasure/eraser.ts';
import { MARK } from './roll-up.ts';
import { digestOf, withoutDigests } from './sample.ts';
import { analyticsStore } from './store.ts';
import type { AnalyticsTables } from './tables.ts';

export type SampleEraserDeps = {
  readonly storage: Storage;
  readonly tables: AnalyticsTables;
  readonly log: Pick<FollowedLog, 'lock'>;
};

/** Before the hour of any event. */
const FIRST_HOUR = -(2 ** 31);

/**
 * Removes users from the samples of all hours. Event counts identify nobody and stay. Runs after erasing the events: a
 * remaining event could still be rolled up.
 */
export const sampleEraser = ({ storage, tables, log }: SampleEraserDeps): Eraser => ({
  name: 'samples of active people',
  begin: ({ scope, people }) => {
    const digests = new Set(people.map((person) => digestOf(personKey(scope, person))));
    let after = FIRST_HOUR;
    return () =>
      storage.transaction(async (db) => {
        await log.lock(db, MARK);
        const store = analyticsStore({ db, tables });
        const hours = await store.peopleAfter(scope, after, SLICE);
        const changed = hours.flatMap((row) => {
          const left = withoutDigests(row.sample, digests);
          return left === row.sample ? [] : [{ ...row, sample: left }];
        });
        await store.putPeople(changed);
        after = hours.at(-1)?.hour ?? after;
        return { rows: changed.length, isMore: hours.length === SLICE };
      });
  },
});
