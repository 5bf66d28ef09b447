import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import { scopeLike } from '../../../test/support/scopes.ts';
import type { InScope } from '../../foundation/scope.ts';
import { LEASE_MS } from '../../jobs/registration.ts';
import { runControl } from './control.ts';
import { runStatements } from './statements.ts';

const adds = { type: 'update_profile', config: { increment: { count: 1 } } };
const wait = { type: 'wait', config: { minutes: 1 } };
const TO_NOBODY = { subject: 's', text: 't', to: '{{trait.address}}' };
const fails = { type: 'send_email', config: TO_NOBODY };
const stops = { type: 'send_email', config: { ...TO_NOBODY, onError: 'stop' } };
const ONCE = { name: 'begins', trigger: { eventType: 'begins' } };
const conflictOf = (reason: string) => ({ code: 'CONFLICT', details: { reason } });

describe('cancelling and retrying runs', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const { cancelRun, retryRun } = {
    cancelRun: (id: string, scope = world.scope) => world.beckon.runs.cancel(scope, id),
    retryRun: (id: string, scope = world.scope) => world.beckon.runs.retry(scope, id),
  };
  const countOf = async (userId = 'ann') => (await world.beckon.profiles.get(world.scope, userId)).traits['count'] ?? 0;
  const idOf = async (userId = 'ann') => (await world.run(userId)).id;
  /** Records events about runs that reach a workflow, with their properties. */
  const listening = (eventType: string) =>
    world.beckon.workflows.create(world.scope, {
      name: `hears ${eventType}`,
      // Excludes runs that it starts itself.
      trigger: { eventType, filters: { workflowName: 'W' } },
      steps: [],
      isActive: true,
    });
  const heard = async (eventType: string) =>
    (await world.beckon.runs.list(world.scope)).data
      .filter(({ triggerEvent }) => triggerEvent.eventType === eventType)
      .map(({ triggerEvent }) => triggerEvent.properties);

  /** Control whose read and commit are separated by another action. */
  const overtaken = (
    before: () => Promise<unknown>,
    userOf: (scope: InScope, anonymousId: string) => Promise<string | null> = async () => null,
  ) => {
    const { storage, tables } = world.database;
    let isFirst = true;
    const commit: typeof storage.commit = async (plan) => {
      if (isFirst) await before();
      isFirst = false;
      return storage.commit(plan);
    };
    const effects = { load: async () => ({ raise: () => undefined, change: async () => undefined }) };
    const context = { storage: { ...storage, commit }, tables, clock: world.clock, statements: runStatements(tables) };
    return runControl(context, { effects, userOf });
  };

  describe('cancelRun', () => {
    it('a cancelled waiting run executes nothing more', async () => {
      await world.start([adds, wait, adds]);
      await world.beckon.worker.drain();
      const cancelled = await cancelRun(await idOf());
      expect(cancelled).toMatchObject({
        status: 'cancelled',
        outcome: null,
        exitReason: null,
        error: null,
        cursor: '1',
        next_step_at: null,
        completedAt: world.clock.now(),
        steps: [{ path: '0', outcome: 'ok' }],
      });
      world.clock.advance(600_000);
      expect(await world.beckon.worker.drain()).toBe(0);
      expect(await countOf()).toBe(1);
    });

    it('a second cancel returns the same run', async () => {
      await world.start([wait]);
      const first = await cancelRun(await idOf());
      world.clock.advance(1_000);
      expect(await cancelRun(await idOf())).toEqual(first);
    });

    it('cancelling an ended run is rejected and changes nothing', async () => {
      await world.start([adds]);
      await world.beckon.worker.drain();
      const before = await world.run();
      await expect(cancelRun(before.id)).rejects.toMatchObject(conflictOf('final'));
      expect(await world.run()).toEqual(before);
    });

    it('a cancel is rejected if the run ends between read and commit', async () => {
      await world.start([adds]);
      const { cancel: late } = overtaken(() => world.beckon.worker.drain());
      await expect(late(world.scope, await idOf())).rejects.toMatchObject(conflictOf('final'));
      expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', steps: [{ path: '0' }] });
    });

    it('a cancel applies if the run continues between read and commit', async () => {
      await world.start([adds, wait]);
      const { cancel: late } = overtaken(() => world.beckon.worker.drain());
      expect(await late(world.scope, await idOf())).toMatchObject({
        status: 'cancelled',
        cursor: '1',
        steps: [{ path: '0' }],
      });
    });

    it('runs of other scopes cannot be cancelled', async () => {
      await world.start([wait]);
      const id = await idOf();
      const { orgId, projectId } = world.scope;
      const prod = await world.beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
      await expect(cancelRun(id, prod)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(retryRun(id, prod)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(cancelRun('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(cancelRun(id, scopeLike(world.scope, { orgId: 'other' }))).rejects.toThrow(TypeError);
      expect(await world.run()).toMatchObject({ status: 'running' });
    });

    it("a cancel invalidates the worker's lease, and its step is not written", async () => {
      await world.start([adds, adds]);
      const worker = world.hand();
      const late = await worker.claimAndHandle();
      await cancelRun(await idOf());
      await worker.commit(late);
      world.clock.advance(LEASE_MS);
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'cancelled', cursor: '0', steps: [] });
      expect(await countOf()).toBe(0);
    });

    it('a cancel raises run_completed once with the executed steps', async () => {
      await listening('workflow.run_completed');
      await world.start([adds, wait]);
      await world.beckon.worker.drain();
      const { id } = await world.run();
      await cancelRun(id);
      await cancelRun(id);
      await world.beckon.worker.drain();
      const steps = [{ path: '0', type: 'update_profile', outcome: 'ok' }];
      expect(await heard('workflow.run_completed')).toMatchObject([
        { runId: id, status: 'cancelled', outcome: null, steps },
      ]);
    });

    it('either a cancel or a step takes effect, over 200 runs and three workers', async () => {
      const RUNS = 200;
      const people = Array.from({ length: RUNS }, (_, at) => `p${at}`);
      await world.define([adds, adds, adds]);
      await Promise.all(people.map((userId) => world.trigger({ userId })));
      const ids = await Promise.all(people.map(idOf));
      const won = new Set<string>();
      const cancelling = async (): Promise<void> => {
        for (const id of ids.toReversed())
          await cancelRun(id).then(
            () => won.add(id),
            (error: unknown) => expect(error).toMatchObject(conflictOf('final')),
          );
      };
      const stepping = async (): Promise<void> => {
        const worker = world.hand();
        for (let idle = 0; idle < 3; ) {
          const outcomes = await worker.claimAndHandle();
          await worker.commit(outcomes);
          idle = outcomes.length === 0 ? idle + 1 : 0;
        }
      };
      await Promise.all([cancelling(), stepping(), stepping(), stepping()]);
      world.clock.advance(LEASE_MS);
      await world.beckon.worker.drain();
      let atOdds = 0;
      for (const userId of people) {
        const { id, status, steps } = await world.run(userId);
        expect(status).toBe(won.has(id) ? 'cancelled' : 'completed');
        const count = await countOf(userId);
        if (count !== steps.length || (status === 'completed' && count !== 3)) atOdds += 1;
      }
      process.stdout.write(`cancel against steps: ${RUNS} runs, ${won.size} cancelled, at odds = ${atOdds}\n`);
      expect(atOdds).toBe(0);
      expect(won.size).toBeGreaterThan(0);
    });
  });

  describe('retryRun', () => {
    const failed = async () => {
      await world.start([adds, stops, adds]);
      await world.beckon.worker.drain();
      return world.run();
    };
    const mend = () => world.beckon.events.identify(world.scope, { userId: 'ann', traits: { address: 'a@b.test' } });

    it('a retry continues at the failed step as its next attempt', async () => {
      const { id } = await failed();
      await mend();
      expect(await retryRun(id)).toMatchObject({
        status: 'running',
        outcome: null,
        exitReason: null,
        error: null,
        cursor: '1',
        attempt: 2,
        completedAt: null,
        next_step_at: world.clock.now(),
      });
      await world.beckon.worker.drain();
      const { steps, ...run } = await world.run();
      expect(run).toMatchObject({ id, status: 'completed', outcome: 'ok', attempt: 1 });
      expect(steps.map(({ path, attempt, outcome }) => [path, attempt, outcome])).toEqual([
        ['0', 1, 'ok'],
        ['1', 1, 'error'],
        ['1', 2, 'ok'],
        ['2', 1, 'ok'],
      ]);
      expect(await countOf()).toBe(2);
      expect((await world.beckon.outbox.list(world.scope)).data).toMatchObject([{ address: 'a@b.test' }]);
    });

    it('a retried run may fail and be retried again', async () => {
      const { id } = await failed();
      await retryRun(id);
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'completed', exitReason: 'on_error_stop', attempt: 2 });
      await retryRun(id);
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ attempt: 3, outcome: 'error' });
    });

    it('a dead-lettered run can be retried', async () => {
      await world.start([adds]);
      await world.hand().deadLetter('threw');
      await retryRun(await idOf());
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', error: null });
    });

    it('the outcome of a retried run includes earlier failed steps', async () => {
      await world.start([fails, stops]);
      await world.beckon.worker.drain();
      await mend();
      expect(await retryRun(await idOf())).toMatchObject({ outcome: 'partial' });
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'partial' });
    });

    it('a retried run keeps its version, even of a deleted workflow', async () => {
      const { id, workflowId } = await failed();
      await mend();
      await world.beckon.workflows.delete(world.scope, workflowId);
      await retryRun(id);
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', workflowVersion: 1 });
    });

    it('a run stopped for its depth cannot be retried', async () => {
      // Each run starts the next one up to the maximum depth.
      await world.beckon.workflows.create(world.scope, {
        name: 'again',
        trigger: { eventType: 'workflow.run_started' },
        steps: [],
        isActive: true,
      });
      await world.beckon.workflows.create(world.scope, { ...ONCE, steps: [], isActive: true });
      await world.beckon.events.track(world.scope, { module: 'shop', eventType: 'begins', userId: 'ann' });
      await world.beckon.worker.drain();
      const stopped = (await world.beckon.runs.list(world.scope, { status: 'failed' })).data;
      expect(stopped.map(({ error }) => error)).toContain('depth_exceeded');
      for (const { id } of stopped) await expect(retryRun(id)).rejects.toMatchObject(conflictOf('final'));
    });

    it('a retry of running, completed or cancelled runs is rejected', async () => {
      await world.start([wait]);
      const id = await idOf();
      await expect(retryRun(id)).rejects.toMatchObject(conflictOf('in_progress'));
      await cancelRun(id);
      await expect(retryRun(id)).rejects.toMatchObject(conflictOf('final'));
      await world.define([fails]);
      await world.trigger({ userId: 'bob' });
      await world.beckon.worker.drain();
      await expect(retryRun(await idOf('bob'))).rejects.toMatchObject(conflictOf('final'));
    });

    it('of many concurrent retries exactly one succeeds', async () => {
      const { id } = await failed();
      const settled = await Promise.allSettled(Array.from({ length: 8 }, () => retryRun(id)));
      const refused = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
      expect(refused).toHaveLength(7);
      for (const reason of refused) expect(reason).toMatchObject(conflictOf('in_progress'));
      expect(await world.run()).toMatchObject({ attempt: 2 });
    });

    it('a worker with an older lease does not overwrite a retry', async () => {
      await world.start([adds]);
      const late = world.hand();
      const outcomes = await late.claimAndHandle();
      world.clock.advance(LEASE_MS);
      await world.hand().deadLetter('threw');
      await retryRun(await idOf());
      await late.commit(outcomes);
      expect(await world.run()).toMatchObject({ status: 'running', attempt: 2, steps: [] });
      await world.beckon.worker.drain();
      expect(await countOf()).toBe(1);
    });

    it('a retried run belongs to the user into which its profile was merged', async () => {
      await world.start([stops, adds], { anonymousId: 'visitor' });
      await world.beckon.worker.drain();
      const [run] = (await world.beckon.runs.list(world.scope)).data;
      expect(run).toMatchObject({ anonymousId: 'visitor', exitReason: 'on_error_stop' });
      const traits = { address: 'a@b.test' };
      await world.beckon.events.identify(world.scope, { userId: 'ann', anonymousId: 'visitor', traits });
      expect(await retryRun(run?.id ?? '')).toMatchObject({ userId: 'ann', anonymousId: null });
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok' });
      expect(await countOf()).toBe(1);
    });

    it('a merge between read and commit of a retry is applied too', async () => {
      await world.start([stops, adds], { anonymousId: 'visitor' });
      await world.beckon.worker.drain();
      const [run] = (await world.beckon.runs.list(world.scope)).data;
      let isMerged = false;
      const merge = async () => {
        const traits = { address: 'a@b.test' };
        await world.beckon.events.identify(world.scope, { userId: 'ann', anonymousId: 'visitor', traits });
        isMerged = true;
      };
      const { retry: late } = overtaken(merge, async () => (isMerged ? 'ann' : null));
      expect(await late(world.scope, run?.id ?? '')).toMatchObject({ userId: 'ann', status: 'running' });
    });

    it('the end of a retried run is raised again', async () => {
      await listening('workflow.run_completed');
      await failed();
      const runs = (await world.beckon.runs.list(world.scope)).data;
      const id = runs.find(({ workflowName }) => workflowName === 'W')?.id ?? '';
      await mend();
      world.clock.advance(1_000);
      await retryRun(id);
      await world.beckon.worker.drain();
      expect(await heard('workflow.run_completed')).toMatchObject([
        { runId: id, outcome: 'ok' },
        { runId: id, outcome: 'error' },
      ]);
    });
  });
});
