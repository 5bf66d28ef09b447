import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWatching, type Watching, workflowOn } from '../../../test/support/events/watching.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Run } from './answers.generated.ts';

const EVENT = { module: 'm', eventType: 'go', userId: 'ann' };
const STARTED = 'workflow.run_started';
const NO_STEPS: readonly unknown[] = [];
const named = (count: number, eventType: string, steps: readonly unknown[] = NO_STEPS) =>
  Array.from({ length: count }, (_, at) => ({ ...workflowOn(eventType, steps), name: `${eventType} ${at}` }));

describe('the run budget of an event', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  const all = async (scope: Scope): Promise<readonly Run[]> => {
    const runs: Run[] = [];
    let cursor: string | undefined;
    do {
      const page = await world.beckon.runs.list(scope, { limit: 200, ...(cursor ? { cursor } : {}) });
      runs.push(...page.data);
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return runs;
  };
  const errors = (runs: readonly Run[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { error } of runs) counts[error ?? 'none'] = (counts[error ?? 'none'] ?? 0) + 1;
    return counts;
  };
  /** Reduces the budgets of existing runs to a size that tests can exhaust. */
  const shrink = async (runBudget: number): Promise<void> => {
    const { storage, tables } = world.database;
    await storage.db.update(tables.runs).set({ runBudget });
    await storage.db.update(tables.raisedEvents).set({ runBudget });
  };
  const begin = async (scope: Scope, runBudget: number): Promise<void> => {
    await world.beckon.events.track(scope, EVENT);
    await shrink(runBudget);
  };

  it('a run without a share fails with the reason fan_out in its step and as its error', async () => {
    const steps = [{ type: 'update_profile', config: { increment: { seen: 1 } } }];
    const scope = await world.project(...named(1, 'go'), ...named(3, STARTED, steps));
    await begin(scope, 2);
    await world.beckon.worker.drain();
    const runs = await all(scope);
    const failed = runs.filter(({ error }) => error === 'fan_out');
    expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(3);
    for (const { id } of failed)
      expect(await world.beckon.runs.get(scope, id)).toMatchObject({
        status: 'failed',
        outcome: 'error',
        error: 'fan_out',
        completedAt: world.clock.now(),
        next_step_at: null,
        steps: [{ path: '0', type: 'update_profile', outcome: 'error', reason: 'fan_out' }],
      });
    expect(failed).toHaveLength(1 + 2 * 3);
    expect((await world.beckon.profiles.get(scope, 'ann')).traits).toEqual({ seen: 2 });
  });

  it('runs of the same event have equal shares, and one cannot use up what another has', async () => {
    const scope = await world.project(...named(4, 'go'));
    await world.beckon.events.track(scope, EVENT);
    const { storage, tables } = world.database;
    const rows = await storage.db.select().from(tables.runs).where(eq(tables.runs.scopeId, scope.scopeId));
    expect(rows.map(({ runBudget, budgetRunId }) => [runBudget, budgetRunId])).toEqual(Array(4).fill([2_499, null]));
  });

  it('a run passes its share on, so that a chain of single runs ends at depth 10 and not before', async () => {
    const scope = await world.project(...named(1, 'go'), ...named(1, STARTED));
    await begin(scope, 10);
    await world.beckon.worker.drain();
    expect(errors(await all(scope))).toEqual({ none: 10, depth_exceeded: 1 });
  });

  it('a share is counted once for all events of a run, however many steps raise one', async () => {
    const steps = Array.from({ length: 30 }, () => ({ type: 'update_profile', config: { set: { a: 1 } } }));
    const scope = await world.project(...named(1, 'go', steps), ...named(2, 'workflow.step_executed', steps));
    await begin(scope, 100);
    await world.beckon.worker.drain();
    const { none, fan_out } = errors(await all(scope));
    expect([none, fan_out]).toEqual([1 + 100, 100]);
  });

  it('processes that take the events of one share at once start no more runs than it has', async () => {
    const scope = await world.project(...named(1, 'go'), ...named(10, STARTED), ...named(10, 'workflow.run_completed'));
    await begin(scope, 200);
    const others: readonly Beckon[] = [await world.start(), await world.start()];
    await Promise.all([world.beckon, ...others].map((one) => one.worker.drain()));
    await world.beckon.worker.drain();
    expect(errors(await all(scope))).toEqual({ none: 1 + 200, fan_out: 100 });
  });

  it('a process that is started again counts on where the one before it stopped', async () => {
    const scope = await world.project(
      ...named(1, 'go', [{ type: 'wait', config: { minutes: 10 } }]),
      ...named(3, STARTED),
    );
    const completed = named(3, 'workflow.run_completed', [{ type: 'wait', config: { minutes: 10 } }]);
    await Promise.all(completed.map((one) => world.beckon.workflows.create(scope, unchecked(one))));
    await begin(scope, 8);
    await world.beckon.worker.drain();
    await world.beckon.close();
    const second = await world.start();
    const own = await second.tenancy.scope(scope);
    for (let minutes = 0; minutes < 100; minutes += 10) {
      world.clock.advance(600_000);
      await second.worker.drain();
    }
    const runs = (await second.runs.list(own, { limit: 200 })).data;
    expect(errors(runs)['none']).toBe(1 + 8);
    expect(errors(runs)['fan_out']).toBeGreaterThan(0);
  });

  it('what a run sends draws from its share', async () => {
    const { beckon } = world;
    const steps = [{ type: 'send_push', config: { title: 'Hello' } }];
    const scope = await world.project(
      ...named(1, 'go', steps),
      ...named(3, 'push.sent'),
      ...named(3, 'push.send_requested'),
    );
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    await begin(scope, 2);
    await beckon.worker.drain();
    const runs = await all(scope);
    expect(runs.some(({ triggerEvent }) => triggerEvent.eventType === 'push.sent')).toBe(true);
    expect(errors(runs)).toEqual({ none: 1 + 2, fan_out: 4 });
  });

  it('audiences that a step changes draw from the share of its run', async () => {
    const { beckon } = world;
    const steps = [{ type: 'update_profile', config: { set: { plan: 'pro' } } }];
    const scope = await world.project(...named(1, 'go', steps), ...named(3, 'audience.entered'));
    for (let at = 0; at < 3; at += 1)
      await beckon.audiences.create(scope, { name: `A${at}`, predicate: { trait: 'plan', op: 'eq', value: 'pro' } });
    await beckon.worker.drain();
    world.clock.advance(120_000);
    await beckon.worker.drain();
    await begin(scope, 5);
    await beckon.worker.drain();
    expect(errors(await all(scope))).toEqual({ none: 1 + 5, fan_out: 4 });
  });

  it('audiences that an event from outside changes share its budget with the runs that it starts', async () => {
    const { beckon, database } = world;
    const scope = await world.project(...named(2, 'user.identified'), ...named(2, 'audience.entered'));
    for (let at = 0; at < 3; at += 1)
      await beckon.audiences.create(scope, { name: `A${at}`, predicate: { trait: 'plan', op: 'eq', value: 'pro' } });
    await beckon.worker.drain();
    world.clock.advance(120_000);
    await beckon.worker.drain();
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } });
    await beckon.worker.drain();
    const rows = await database.storage.db.select().from(database.tables.runs);
    expect(rows).toHaveLength(8);
    // A quarter for each of four events, half of that for each of two runs, minus the run itself.
    expect(new Set(rows.map(({ runBudget }) => runBudget))).toEqual(new Set([1_249]));
  });

  it('the explanation of an event says fan_out, with the run where one was written', async () => {
    const scope = await world.project(...named(1, 'go'), ...named(60, STARTED));
    // Beyond the age at which another process may not know the change yet.
    world.clock.advance(3_000);
    await begin(scope, 4);
    await world.beckon.worker.drain();
    const raised = (await world.beckon.events.list(scope, { limit: 200 })).data.filter(
      ({ source }) => source === 'system',
    );
    const verdicts = (
      await Promise.all(raised.map(async ({ id }) => (await world.beckon.events.get(scope, id)).workflows))
    ).flat();
    const of = (wanted: string) => verdicts.filter(({ verdict }) => verdict === wanted);
    expect([verdicts.length, of('started').length, of('fan_out').length]).toEqual([300, 4, 296]);
    expect(of('fan_out').filter(({ runId }) => runId !== undefined)).toHaveLength(100);
  });

  it('a run that failed by fan_out cannot be tried again', async () => {
    const scope = await world.project(...named(1, 'go'), ...named(3, STARTED));
    await begin(scope, 2);
    await world.beckon.worker.drain();
    const failed = (await all(scope)).find(({ error }) => error === 'fan_out');
    await expect(world.beckon.runs.retry(scope, failed?.id ?? '')).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'final' },
    });
  });

  it('what was drawn from a share is deleted with its run: when the person is erased and when the run has expired', async () => {
    const { beckon, clock } = world;
    const { storage, tables } = world.database;
    const scope = await world.project(...named(1, 'go'), ...named(2, STARTED));
    for (const userId of ['ann', 'bob']) await beckon.events.track(scope, { ...EVENT, userId });
    await shrink(2);
    await beckon.worker.drain();
    const drawn = async () => (await storage.db.select().from(tables.runBudgets)).length;
    expect(await drawn()).toBe(2);
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    expect(await drawn()).toBe(1);
    clock.advance(500 * 86_400_000);
    await beckon.worker.drain();
    expect([await drawn(), (await all(scope)).length]).toEqual([0, 0]);
  });

  it('an event starts at most 10,000 runs of a hundred workflows that trigger each other', async () => {
    const scope = await world.project(...named(1, 'go'), ...named(100, STARTED));
    await world.beckon.events.track(scope, EVENT);
    await world.beckon.worker.drain();
    const count = async (query: Parameters<typeof world.beckon.runs.list>[1]) =>
      (await world.beckon.runs.list(scope, { ...query, count: true, limit: 1 })).pagination.total;
    expect([await count({ status: 'completed' }), await count({ status: 'failed' })]).toEqual([10_000, 100]);
    expect(await world.database.storage.db.select().from(world.database.tables.raisedEvents)).toEqual([]);
  });
});
