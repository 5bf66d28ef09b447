import { expect, it } from 'vitest';
import { commit, counter, readCounters, tagged } from '../../../test/support/database/contract-database.ts';
import { onServer, openSample, postgresPlace } from '../../../test/support/database/open-sample.ts';

it('without names of prepared statements, PostgreSQL storage works and does not listen', async () => {
  const place = await postgresPlace();
  const database = await openSample(place.url, { preparedNames: false });
  database.storage.wake.subscribe(() => undefined);
  await commit(database.storage, tagged(database.hot.insertCounter, counter('a')));
  expect((await readCounters(database, 'a')).size).toBe(1);
  const listening = `select 1 from pg_stat_activity where datname = current_database() and query like 'listen %'`;
  expect(await onServer(listening, place.url)).toEqual([]);
  await database.close();
  await place.remove();
});
