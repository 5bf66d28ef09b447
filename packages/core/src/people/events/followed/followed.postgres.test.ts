import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { eventRow } from '../../../../test/support/events/event-row.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { followedLog } from './store.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
let home: TestDatabase;
beforeEach(async () => {
  home = await openTestDatabase();
});
afterEach(() => home.close());

it('the log reader does not skip an event whose transaction commits after a later one', async () => {
  const { storage, tables } = home;
  const log = followedLog({ storage, tables });
  const seen: number[] = [];
  const readAll = async (): Promise<void> => {
    const step = () =>
      log.next('test', 10, async (_, events) => {
        seen.push(...events.map(({ personKey }) => personKey));
      });
    while (await step());
  };
  const row = (n: number) => eventRow(scope, rowId(`event-${n}`), `u:${n}`, n);
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = storage.transaction(async (db) => {
    await db.insert(tables.events).values(row(1));
    begun.resolve();
    await ending.promise;
  });
  await begun.promise;
  await storage.db.insert(tables.events).values([row(2), row(3)]);
  await readAll();
  expect(seen).toEqual([]);
  ending.resolve();
  await slow;
  await readAll();
  expect(seen).toEqual([1, 2, 3]);
  await storage.db.insert(tables.events).values(row(4));
  await readAll();
  expect(seen).toEqual([1, 2, 3, 4]);
});
