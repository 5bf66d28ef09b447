import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newPostgresDatabase, openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { tablesOf } from '../../app/tables.ts';
import { openDatabase } from '../../database/open.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { HOST_SLOTS, QUOTA_SLOT } from '../../platform/plans/slots.ts';
import { planUsage } from '../../platform/plans/usage.ts';

/** Engines, each of which acts as a process. */
const PROCESSES = 4;
const WRITERS = 16;
const QUOTA = 10_000;
const LEFT = 400;

describe('quotas on PostgreSQL', () => {
  const clock = virtualClock('2026-03-10T10:00:00.000Z');
  const masterKey = newMasterKey();
  let database: TestDatabase;
  let processes: Beckon[];
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
    processes = [];
    for (let one = 0; one < PROCESSES; one += 1)
      processes.push(await createBeckon({ db: database.url, masterKey, clock, poolSize: 4 }));
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.close()));
    await database.close();
  });

  it('16 writers of several processes use a quota completely and never exceed it', async () => {
    const [first] = processes;
    if (!first) throw new Error('there is no process');
    const { id: orgId } = await first.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await first.tenancy.createProject({ orgId, name: 'App' });
    await first.plans.set(orgId, 'free');
    const { eventUsage, events } = database.tables;
    const row = { orgId, month: '2026-03', slot: QUOTA_SLOT, maxEvents: QUOTA };
    await database.storage.db.insert(eventUsage).values({ ...row, events: QUOTA - LEFT });
    const told = { accepted: 0, quota: 0, overloaded: 0 };
    const writing = async (writer: number): Promise<void> => {
      const beckon = processes[writer % PROCESSES] ?? first;
      const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
      for (let turn = 0; ; turn += 1) {
        const event = { module: 'app', eventType: 'opened', userId: `user-${writer}-${turn}` };
        const size = 1 + (writer % 5);
        try {
          if (size === 1) await beckon.events.track(scope, event);
          else await beckon.events.batch(scope, Array(size).fill(event));
          told.accepted += size;
        } catch (error) {
          if (isBeckonError(error, 'OVERLOADED')) told.overloaded += 1;
          else if (!isBeckonError(error, 'RATE_LIMITED')) throw error;
          else {
            told.quota += 1;
            // Sends one event at a time until the quota is used up.
            return;
          }
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writing(writer)));
    const stored = (await database.storage.db.select({ id: events.id }).from(events)).length;
    const counted = await first.plans.usageOf(orgId, '2026-03');
    console.log(
      `quota: ${WRITERS} writers, room ${LEFT}, stored ${stored}, counted ${counted} of ${QUOTA}, over 0`,
      told,
    );
    expect([stored, counted, told.accepted]).toEqual([LEFT, QUOTA, LEFT]);
    expect(told.quota).toBe(WRITERS);
  });
});

describe("counting in a host's transaction", () => {
  it("a count in a host's transaction blocks nobody, and maintenance merges it", async () => {
    const clock = virtualClock('2026-03-10T10:00:00.000Z');
    const { url, drop } = await newPostgresDatabase();
    const pool = new pg.Pool({ connectionString: url });
    pool.on('error', () => undefined);
    const beckon = await createBeckon({ db: pool, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const event = (userId: string) => ({ module: 'app', eventType: 'opened', userId });
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    try {
      for (const [at, client] of clients.entries()) {
        await client.query('begin');
        await beckon.events.track(scope, event(`in ${at}`), { client });
      }
      for (let at = 0; at < 20; at += 1) await beckon.events.track(scope, event(`out ${at}`));
      expect(await beckon.plans.usageOf(orgId, '2026-03')).toBe(20);
      await clients[0]?.query('commit');
      await clients[1]?.query('rollback');
      expect(await beckon.plans.usageOf(orgId, '2026-03')).toBe(21);
      const slots = async (): Promise<number[]> =>
        (await pool.query('select slot from event_usage')).rows.map(({ slot }) => slot);
      expect((await slots()).filter((slot) => slot >= HOST_SLOTS)).toHaveLength(1);
      const { storage } = await openDatabase({ url });
      expect(await planUsage({ storage, tables: tablesOf('postgres'), clock }).sweep()).toBe(false);
      await storage.close();
      const isFolded = (await slots()).every((slot) => slot < HOST_SLOTS);
      expect([isFolded, await beckon.plans.usageOf(orgId, '2026-03')]).toEqual([true, 21]);
    } finally {
      for (const client of clients) client.release();
      await beckon.close();
      await pool.end();
      await drop();
    }
  });
});
