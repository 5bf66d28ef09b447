import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContractDatabase, outcomeOf } from '../../../test/support/database/contract-database.ts';
import { openSample, type Place, postgresPlace } from '../../../test/support/database/open-sample.ts';
import { withDeadline } from '../../foundation/deadline.ts';
import { timeoutOf } from '../errors.ts';

const DEADLINE_MS = 300;

describe('long reads', () => {
  let place: Place;
  let database: ContractDatabase;
  const workers = () =>
    database.storage.readOnlyConnection
      .select({ most: sql<string>`current_setting('max_parallel_workers_per_gather')` })
      .from(sql`(select 1) as t`);
  const readAll = async () => database.storage.readOnlyConnection.select().from(database.tables.counters);

  beforeAll(async () => {
    place = await postgresPlace();
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    database = await openSample(place.url, { poolSize: 2 });
  });
  afterEach(() => database.close());

  it('a long read uses one processor of the server and leaves its connection unchanged', async () => {
    expect(await workers()).toEqual([{ most: '0' }]);
    const [after] = await database.storage.db
      .select({ most: sql<string>`current_setting('max_parallel_workers_per_gather')` })
      .from(sql`(select 1) as t`);
    expect(after?.most).not.toBe('0');
  });

  it('a long read takes no locks and is rolled back if it fails', async () => {
    const locking = async () =>
      database.storage.readOnlyConnection.select().from(database.tables.counters).for('update');
    expect(await outcomeOf(locking())).toMatchObject({ error: expect.anything() });
    expect(await workers()).toEqual([{ most: '0' }]);
  });

  it('a long read ends at its deadline and returns its connection', async () => {
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query('begin; lock table counters in access exclusive mode');
    const outcome = await outcomeOf(withDeadline(DEADLINE_MS, readAll));
    expect('error' in outcome && timeoutOf(outcome.error)).not.toBeNull();
    await holder.end();
    expect(await readAll()).toEqual([]);
  });

  it("a long read within the host's transaction sees its uncommitted rows", async () => {
    const host = new pg.Client({ connectionString: place.url });
    await host.connect();
    await host.query('begin');
    const pid = (await host.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    const [own] = await database.storage.join(host, async () =>
      database.storage.readOnlyConnection.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as t`),
    );
    expect(own?.pid).toBe(pid);
    await host.query('rollback');
    await host.end();
  });
});
