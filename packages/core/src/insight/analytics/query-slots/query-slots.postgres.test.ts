import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { type OpenDatabase, openDatabase } from '../../../database/open.ts';
import { querySlots } from './query-slots.ts';
import { sharedQuerySlots } from './store.ts';

describe('query slots that processes share', () => {
  let home: TestDatabase;
  let others: OpenDatabase[];
  beforeEach(async () => {
    home = await openTestDatabase();
    others = await Promise.all([1, 2].map(() => openDatabase({ url: home.url })));
  });
  afterEach(async () => {
    for (const { storage } of others) await storage.close();
    await home.close();
  });
  const turnsOf = ({ storage }: Pick<OpenDatabase, 'storage'>) => sharedQuerySlots({ storage, tables: home.tables });

  it('two queries run at once over all processes, and each query runs in the end', async () => {
    const processes = [home, ...others].map((database) => querySlots(turnsOf(database)));
    let [running, most, answered] = [0, 0, 0];
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      answered += 1;
    };
    await Promise.all(processes.flatMap((turn) => [1, 2, 3].map(() => turn('o', work))));
    console.log(`analytics over 3 processes: ${answered} questions, at most ${most} at once`);
    expect([most, answered]).toEqual([2, 9]);
    expect(await home.storage.db.select().from(home.tables.analyticsQuerySlots)).toEqual([]);
  });

  it('slots of a dead process expire by the clock of the database', async () => {
    const [mine, theirs] = [turnsOf(home), turnsOf(others[0] ?? home)];
    const [first, second] = [await mine.take('o', 2), await mine.take('o', 2)];
    expect([first === null, second === null, await theirs.take('o', 2)]).toEqual([false, false, null]);
    expect(await theirs.take('p', 2)).not.toBeNull();
    await home.storage.db.update(home.tables.analyticsQuerySlots).set({ expiresAt: new Date(0) });
    expect(await theirs.take('o', 2)).not.toBeNull();
    // A holder that lost its slot must not release the new holder's.
    await first?.();
    await second?.();
    expect(await theirs.take('o', 1)).toBeNull();
  });
});
