import { afterAll, afterEach, describe, inject } from 'vitest';
import { storageContract } from '../../test/support/database/contract.ts';
import type { OpenContractDatabase } from '../../test/support/database/contract-database.ts';
import {
  emptySample,
  openSample,
  type Place,
  postgresPlace,
  sqlitePlace,
} from '../../test/support/database/open-sample.ts';

if (inject('engine') === 'postgres') {
  // One database for the whole file: making one costs more than most of the cases.
  let place: Promise<Place> | undefined;
  afterAll(async () => (await place)?.remove());
  storageContract('storage on PostgreSQL', async (options) => {
    place ??= postgresPlace();
    const { url } = await place;
    const database = await openSample(url, options);
    await emptySample(url);
    return database;
  });
} else {
  storageContract('storage on SQLite in memory', (options) => openSample('sqlite::memory:', options));
  describe('with files', () => {
    const places: Place[] = [];
    afterEach(async () => {
      for (const place of places.splice(0)) await place.remove();
    });
    const open: OpenContractDatabase = (options) => {
      const place = sqlitePlace();
      places.push(place);
      return openSample(place.url, options);
    };
    storageContract('storage on a SQLite file', open);
  });
}
