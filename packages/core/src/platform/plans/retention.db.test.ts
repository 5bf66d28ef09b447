import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lt } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { runExpiry } from '../../automation/runs/erase.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { firstIdOf } from '../../foundation/derived-id.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { sendingExpiry } from '../../messaging/sends/erase/expire.ts';
import { eventExpiry } from '../../people/events/expiry/store.ts';
import { scopeDirectory } from '../tenancy/scope-directory.ts';
import { tenancyStatements } from '../tenancy/statements.ts';
import { planTable } from './plan.ts';
import { retention, SLICE } from './retention.ts';

const DAY_MS = 86_400_000;
const OLD = 3_000;

describe('retention', () => {
  const clock = virtualClock('2026-01-01T10:00:00.000Z');
  let folder: string;
  let database: TestDatabase;
  let beckon: Beckon;
  beforeEach(async () => {
    clock.set(new Date('2026-01-01T10:00:00.000Z'));
    // A file, since SQLite in memory allows one connection, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-retention-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const tenant = async (): Promise<Scope> => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    return beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  };
  const live = async (scope: Scope): Promise<void> => {
    await beckon.events.track(scope, { module: 'm', eventType: 'opened', userId: 'ann' });
    await beckon.email.send(scope, { to: 'ann@example.com', subject: 's', text: 't' });
    await beckon.worker.drain();
  };
  const workflow = (scope: Scope) =>
    beckon.workflows.create(scope, {
      name: 'On opened',
      isActive: true,
      trigger: { eventType: 'opened' },
      steps: [{ type: 'update_profile', config: { set: { seen: true } } }],
    });
  const below = async (days: number, scope: Scope) => {
    const { events, messages, sends, runs } = database.tables;
    const first = firstIdOf(clock.now().getTime() - days * DAY_MS);
    const { db } = database.storage;
    const rows = await Promise.all([
      db.select({ scopeId: events.scopeId }).from(events).where(lt(events.id, first)),
      db.select({ scopeId: messages.scopeId }).from(messages).where(lt(messages.id, first)),
      db.select({ scopeId: sends.scopeId }).from(sends).where(lt(sends.id, first)),
      db.select({ scopeId: runs.scopeId }).from(runs).where(lt(runs.id, first)),
    ]);
    return rows.map((some) => some.filter(({ scopeId }) => scopeId === scope.scopeId).length);
  };

  it('rows are deleted once they exceed the retention of their plan, and nothing else is', async () => {
    const [short, long] = [await tenant(), await tenant()];
    for (const scope of [short, long]) {
      await workflow(scope);
      await live(scope);
    }
    const event = (at: number) => ({ module: 'm', eventType: 'seen', userId: `user-${at % 50}` });
    for (let at = 0; at < OLD; at += 500)
      await beckon.events.batch(
        short,
        Array.from({ length: 500 }, (_, one) => event(at + one)),
      );
    const later = { to: 'bob@example.com', subject: 's', text: 't', scheduledFor: '2026-12-01T00:00:00.000Z' };
    await beckon.email.send(short, later);
    // Ids of one moment run ahead of it.
    clock.advance(30 * DAY_MS + 1_000);
    await live(short);
    await beckon.plans.set(short.orgId, 'free');
    expect(await below(30, short)).toEqual([OLD + 1, 1, 2, 1]);

    const { storage, tables } = database;
    const scopes = scopeDirectory({ storage, hot: tenancyStatements(tables) });
    const table = planTable();
    const sending = sendingExpiry({ storage, tables });
    const upkeep = retention({
      ...{ clock, scopes },
      list: [
        { name: 'events', expire: eventExpiry({ storage, tables }) },
        { name: 'messages', expire: sending.messages },
        { name: 'sends', expire: sending.sends },
        { name: 'runs', expire: runExpiry({ storage, tables }) },
      ],
      scopeIdsOfAll: async () => [short.scopeId, long.scopeId],
      plans: { of: async (orgId) => table.find(orgId === short.orgId ? 'free' : 'unlimited') ?? table.least },
    });
    const slices: number[] = [];
    const expire = eventExpiry({ storage, tables });
    const first = firstIdOf(clock.now().getTime() - 30 * DAY_MS);
    // Maintenance deletes the last of them.
    for (let at = 0; at < OLD - SLICE; at += SLICE) {
      const began = performance.now();
      await expire(short, first, SLICE);
      slices.push(performance.now() - began);
    }
    while (await upkeep.run());
    const left = await below(30, short);
    const half = slices.toSorted((a, b) => a - b).at(slices.length >> 1) ?? 0;
    console.log(
      `retention on ${database.dialect}: ${OLD} old events, rows past their limit ${left.join('/')} ` +
        `(the send is for later), ${slices.length} slices, half of them within ${half.toFixed(1)} ms`,
    );
    // Unsent rows stay.
    expect(left).toEqual([0, 0, 1, 0]);
    expect(await below(30, long)).toEqual([1, 1, 1, 1]);
    expect((await beckon.profiles.events(short, 'ann')).data.length).toBeGreaterThan(0);
    expect((await beckon.sends.list(short, 'email')).data).toHaveLength(2);
    expect((await beckon.runs.list(short)).data).toHaveLength(1);
    const someone = await beckon.profiles.events(short, 'user-7');
    expect(someone.data).toEqual([]);
    // Positions of the last deleted events are reused.
    await beckon.events.track(short, event(7));
    expect((await beckon.profiles.events(short, 'user-7')).data).toHaveLength(1);
  });

  it('new events are stored after all old ones were deleted', async () => {
    const scope = await tenant();
    await beckon.plans.set(scope.orgId, 'free');
    const seen = { module: 'm', eventType: 'seen', userId: 'ann' };
    await beckon.events.batch(scope, [seen, seen, seen]);
    await beckon.worker.drain();
    clock.advance(31 * DAY_MS);
    const { events } = database.tables;
    while ((await database.storage.db.select({ id: events.id }).from(events)).length > 0) await beckon.worker.drain();
    const from = clock.now();
    // SQLite reuses their positions.
    await beckon.events.track(scope, seen);
    await beckon.worker.drain();
    expect((await beckon.profiles.events(scope, 'ann')).data).toHaveLength(1);
    expect((await beckon.analytics.events(scope, { eventType: 'seen', from })).totals).toMatchObject({ events: 1 });
  });
});
