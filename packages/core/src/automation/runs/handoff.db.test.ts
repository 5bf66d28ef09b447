import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { newDraft } from '../../people/events/pipeline.ts';
import { startRuns } from './start.ts';
import { runStatements } from './statements.ts';
import type { RunRow } from './store.ts';

const START = '2026-03-01T10:00:00.000Z';
const ASKED = { module: 'm', eventType: 'asked' };

describe('local handoff of started runs', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let written: Record<string, number> = {};
  const clock = virtualClock(START);
  let folder: string;
  beforeAll(async () => {
    // A file: in-memory SQLite has one connection only, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-adoption-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
    const statement = (id: string, rows: number): void => {
      written[id] = (written[id] ?? 0) + rows;
    };
    const options = { db: database.url, masterKey: newMasterKey(), clock, pollMs: 60_000 };
    beckon = await createBeckon(options, { observer: { statement } });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const step = (delayMinutes: number) => ({
      type: 'update_profile' as const,
      config: { increment: { n: 1 } },
      delayMinutes,
    });
    const flow = (eventType: string, delayMinutes: number) => ({
      ...{ name: eventType, description: null, isActive: true, trigger: { eventType } },
      steps: [step(delayMinutes)],
    });
    const workflows = [flow('asked', 0), flow('asked later', 5)];
    await beckon.workflows.importBundle(scope, { version: 1, exportedAt: START, workflows });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    written = {};
  });

  const runsOf = async (userId: string) => (await beckon.runs.list(scope, { userId })).data;
  const completed = async (userId: string) => (await runsOf(userId)).filter(({ status }) => status === 'completed');
  /** Waits until its worker has polled and found nothing. */
  const idle = async () => {
    beckon.worker.start();
    await vi.waitFor(async () => {
      written = {};
      await beckon.events.track(scope, { ...ASKED, userId: 'idle' });
      expect(written['runs.adopt']).toBe(1);
    });
    await vi.waitFor(async () => expect(await completed('idle')).toHaveLength((await runsOf('idle')).length));
    written = {};
  };

  it('a started run has the lease of its process and is not claimed', async () => {
    await idle();
    await beckon.events.track(scope, { ...ASKED, userId: 'ann' });
    await vi.waitFor(async () => expect(await completed('ann')).toHaveLength(1));
    expect(written).toMatchObject({ 'runs.adopt': 1, 'runs.advance': 1, 'runs.record_step': 1 });
    expect(written).not.toHaveProperty('runs.start');
    expect(written).not.toHaveProperty('runs.claim');
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({ n: 1 });
    await beckon.worker.stop();
  });

  it('runs beyond the capacity are claimed, and each is stepped once', async () => {
    await idle();
    const batch = Array.from({ length: 300 }, (_, at) => ({ ...ASKED, userId: `user ${at}` }));
    await beckon.events.batch(scope, batch);
    const { 'runs.adopt': adopted = 0, 'runs.start': left = 0 } = written;
    expect(adopted + left).toBe(300);
    expect(adopted).toBeGreaterThan(0);
    // PostgreSQL runs two flushes at a time, each of which may see the full capacity.
    expect(adopted).toBeLessThanOrEqual(database.dialect === 'postgres' ? 256 : 128);
    await vi.waitFor(async () => {
      for (const at of batch.keys()) expect(await completed(`user ${at}`)).toHaveLength(1);
    });
    for (const at of batch.keys()) expect((await beckon.profiles.get(scope, `user ${at}`)).traits).toEqual({ n: 1 });
    await beckon.worker.stop();
  });

  it('a run with a delayed first step is not handed over', async () => {
    await idle();
    await beckon.events.track(scope, { ...ASKED, eventType: 'asked later', userId: 'later' });
    expect(written).toMatchObject({ 'runs.start': 1 });
    expect(await runsOf('later')).toMatchObject([{ status: 'waiting' }]);
    await beckon.worker.stop();
  });

  it('a process whose worker is stopped hands over no run', async () => {
    await beckon.events.track(scope, { ...ASKED, userId: 'still' });
    expect(written).toMatchObject({ 'runs.start': 1 });
    await beckon.worker.drain();
    expect(await completed('still')).toHaveLength(1);
  });

  describe('the handed over run in memory', () => {
    const own = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
    const taken: Claimed<RunRow>[] = [];
    const reactionOf = () => {
      const workflow = {
        ...{ id: rowId('w'), name: 'W', version: 3, firstDelayMinutes: 0 },
        firstStepType: 'update_profile' as const,
      };
      return startRuns({
        storage: database.storage,
        hot: runStatements(database.tables),
        ids: uuidV7Ids(clock),
        emitter: {
          load: async () => ({
            hasSubscribers: () => false,
            emit: () => ({ writes: [], wakes: [] }),
            publish: () => ({ writes: [], wakes: [] }),
          }),
        },
        handoff: { capacity: () => 5, take: (rows) => void taken.push(...rows) },
        loadTriggers: async () => () => [{ starts: workflow, units: 1 }],
      });
    };
    const itemOf = (name: string) => ({
      ...{ scope: own, kind: 'event' as const, id: rowId(name), userId: name, anonymousId: 'anon', module: 'm' },
      ...{ eventType: 'asked', properties: { list: [1, { a: null }], text: 'x' }, traits: null, context: null },
      ...{ sessionId: null, messageId: null, timestamp: clock.now(), receivedAt: clock.now(), depth: 2 },
    });
    const planned = async (hasHooks: boolean) => {
      const draft = newDraft([itemOf('ann')], clock.now());
      for (const entry of draft.entries) entry.person = 'u:ann';
      const reaction = reactionOf();
      const loaded = await reaction.load([itemOf('ann')], { isFirstTry: true, isJoined: !hasHooks, hasHooks });
      await reaction.plan(draft, loaded);
      return draft;
    };

    it('a handed over run equals its database row', async () => {
      const { writes, hooks } = await planned(true);
      expect(taken).toEqual([]);
      expect(await database.storage.commit({ writes, hooks })).toEqual({ ok: true });
      expect(taken).toHaveLength(1);
      const found = await database.storage.select(runStatements(database.tables).ofIds, [
        [scopeKey(own), taken[0]?.id ?? ''],
      ]);
      expect(taken).toStrictEqual(found);
    });

    it("a run in a host's transaction is not handed over, because its commit is unknown", async () => {
      const { writes, hooks, wakes } = await planned(false);
      expect(hooks).toEqual([]);
      expect(writes.map(({ bulk }) => bulk.id)).toEqual(['runs.start']);
      expect([...wakes]).toEqual(['runs']);
    });
  });
});
