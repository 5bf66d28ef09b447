import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { dueRun } from '../../test/support/jobs/due-run.ts';
import { rowId, rowName } from '../../test/support/row-ids.ts';
import { testScope } from '../../test/support/scopes.ts';
import { runStatements } from '../automation/runs/statements.ts';
import type { RunRow } from '../automation/runs/store.ts';
import { write } from '../database/commit/write-set.ts';
import { type Claimed, claimable } from '../database/statements/claim.ts';
import { virtualClock } from '../foundation/clock.ts';
import { localHandoff } from './local-handoff.ts';
import { LEASE_MS, type Registration } from './registration.ts';
import { queue, worker } from './worker.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

describe('local handoff', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let database: TestDatabase;
  let claims = 0;
  beforeEach(async () => {
    claims = 0;
    const statement = (id: string): void => {
      claims += id === 'runs.claim' ? 1 : 0;
    };
    database = await openTestDatabase({ clock, observer: { statement } });
  });
  afterEach(() => database.close());

  const work = (maxInHand = 3) => {
    const adopted = localHandoff<RunRow>();
    const handled: string[] = [];
    const gate = Promise.withResolvers<void>();
    const registration: Registration<RunRow, string> = {
      name: 'runs',
      claim: claimable('runs', database.tables.runs),
      maxInHand,
      localHandoff: adopted,
      process: async (rows, done) => {
        handled.push(...rows.map(({ id }) => rowName(id)));
        await gate.promise;
        for (const row of rows) done(row, row.id);
      },
      commit: async () => undefined,
      deadLetter: async () => undefined,
    };
    const one = worker([queue({ storage: database.storage, log, pollMs: 60_000 }, registration)]);
    return { adopted, handled, one, open: () => gate.resolve() };
  };
  /** Writes rows with a lease and returns them as the handler gets them. */
  const make = async (...names: readonly string[]): Promise<Claimed<RunRow>[]> => {
    const hot = runStatements(database.tables);
    const writes = names.map((name) => {
      const { dueAt, ...row } = dueRun(scope, name, clock.now());
      return write(hot.startLeased, { ...row, fence: 1 });
    });
    await database.storage.commit({ writes });
    const { runs } = database.tables;
    return database.storage.db.select().from(runs).where(eq(runs.fence, 1));
  };
  const due = () => database.storage.claim(claimable('runs', database.tables.runs), 10, LEASE_MS);
  /** A worker that has looked for work and found none. */
  const idle = async (adopted: { capacity(): number }) => {
    await vi.waitFor(() => expect(adopted.capacity()).toBe(3));
    claims = 0;
  };

  it('handed-off rows are processed without a claim, up to the capacity', async () => {
    const { adopted, handled, one, open } = work();
    one.start();
    await idle(adopted);
    adopted.take(await make('a', 'b'));
    await vi.waitFor(() => expect(handled).toEqual(['a', 'b']));
    expect([adopted.capacity(), claims]).toEqual([1, 0]);
    open();
    await vi.waitFor(() => expect(adopted.capacity()).toBe(3));
    await one.stop();
  });

  it('the handoff capacity is 0 before a worker connects, before it starts and once it stops', async () => {
    expect(localHandoff<RunRow>().capacity()).toBe(0);
    const { adopted, one } = work();
    expect(adopted.capacity()).toBe(0);
    one.start();
    await idle(adopted);
    const stopped = one.stop();
    expect(adopted.capacity()).toBe(0);
    await stopped;
  });

  it('the handoff capacity is 0 while other rows may be due first', async () => {
    const { adopted, one } = work();
    one.start();
    expect(adopted.capacity()).toBe(0);
    await idle(adopted);
    const capacities: number[] = [];
    // Delivered after the worker's listener, which then knows that there may be work.
    const end = database.storage.wake.subscribe(() => capacities.push(adopted.capacity()));
    await vi.waitFor(() => {
      database.storage.wake.signal(['runs']);
      expect(capacities.length).toBeGreaterThan(0);
    });
    end();
    expect(new Set(capacities)).toEqual(new Set([0]));
    await idle(adopted);
    await one.stop();
  });

  it('handed-off rows are free at once if the worker has stopped meanwhile', async () => {
    const { adopted, handled, one } = work();
    one.start();
    await idle(adopted);
    const rows = await make('a');
    await one.stop();
    expect(await due()).toEqual([]);
    adopted.take(rows);
    await vi.waitFor(async () => expect(await due()).toMatchObject([{ id: rowId('a'), fence: 2 }]));
    expect(handled).toEqual([]);
  });

  it('handed-off rows are free after their lease if no handler takes them', async () => {
    await make('a');
    clock.advance(LEASE_MS - 1);
    expect(await due()).toEqual([]);
    clock.advance(1);
    expect(await due()).toMatchObject([{ id: rowId('a'), fence: 2 }]);
  });
});
