import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import { LEASE_MS } from '../../jobs/registration.ts';

const MINUTE_MS = 60_000;
const waits = (over: Readonly<Record<string, unknown>> = {}) => ({
  type: 'wait',
  config: {
    event: { eventType: 'answered', filters: { ok: 'true' }, timeoutMinutes: 60, onTimeout: 'continue', ...over },
    saveAs: 'answer',
  },
});
const adds = { type: 'update_profile', config: { increment: { n: 1 } } };

describe('a step that waits for an event', () => {
  let world: RunsWorld;
  beforeAll(async () => {
    world = await openRuns();
  });
  afterAll(() => world.close());

  const drain = () => world.beckon.worker.drain();
  const answer = (who: { userId?: string; anonymousId?: string }, properties: Record<string, unknown> = { ok: true }) =>
    world.beckon.events.track(world.scope, { module: 'm', eventType: 'answered', ...who, properties });
  /** Runs of these steps that have started to wait. */
  const waiting = async (
    who: { userId?: string; anonymousId?: string },
    steps: readonly unknown[] = [waits(), adds],
  ) => {
    await world.start(steps, who);
    await drain();
  };

  it('a wait ends with a matching event and saves its properties', async () => {
    await waiting({ userId: 'ann' });
    expect(await world.run('ann')).toMatchObject({ status: 'waiting', cursor: '0', steps: [] });
    await answer({ userId: 'ann' }, { ok: false });
    await answer({ userId: 'bob' });
    await drain();
    expect((await world.run('ann')).status).toBe('waiting');
    world.clock.advance(MINUTE_MS);
    await answer({ userId: 'ann' }, { ok: true, text: 'yes' });
    expect(await world.run('ann')).toMatchObject({ next_step_at: world.clock.now() });
    await drain();
    const event = { ok: true, text: 'yes' };
    expect(await world.run('ann')).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      context: { answer: { event } },
      steps: [
        { path: '0', outcome: 'ok', output: { event }, startedAt: new Date(world.clock.now().getTime() - MINUTE_MS) },
        { path: '1', outcome: 'ok' },
      ],
    });
  });

  it('filters compare with the values from the start of the wait', async () => {
    await world.define([
      waits({
        filters: { order: '{{event.order}}', plan: '{{trait.plan}}', item: '{{event.items.0.id}}', kind: 'paid' },
      }),
      adds,
    ]);
    await world.beckon.events.identify(world.scope, { userId: 'cora', traits: { plan: 'pro' } });
    await world.beckon.events.track(world.scope, {
      module: 'm',
      eventType: 'asked',
      userId: 'cora',
      properties: { order: 17, items: [{ id: 'mug' }] },
    });
    await drain();
    // A profile change during the wait does not change the filters.
    await world.beckon.events.identify(world.scope, { userId: 'cora', traits: { plan: 'free' } });
    const fits = { order: '17', plan: 'pro', item: 'mug', kind: 'paid' };
    for (const other of [
      { order: 18 },
      { order: '{{event.order}}' },
      { plan: 'free' },
      { item: 'hat' },
      { kind: 'due' },
    ])
      await answer({ userId: 'cora' }, { ...fits, ...other });
    await drain();
    expect((await world.run('cora')).status).toBe('waiting');
    await answer({ userId: 'cora' }, { ...fits, order: 17 });
    await drain();
    expect(await world.run('cora')).toMatchObject({
      status: 'completed',
      steps: [{ outcome: 'ok' }, { outcome: 'ok' }],
    });
  });

  it('a filter that is too large ends the step as an error', async () => {
    await world.define([waits({ filters: { order: '{{event.order}}' } }), adds]);
    await world.beckon.events.track(world.scope, {
      module: 'm',
      eventType: 'asked',
      userId: 'large',
      properties: { order: 'x'.repeat(2_000) },
    });
    await drain();
    expect(await world.run('large')).toMatchObject({
      status: 'completed',
      steps: [{ outcome: 'error', reason: 'too_large' }, { outcome: 'ok' }],
    });
  });

  it('after the timeout the run continues, whatever event follows', async () => {
    await waiting({ userId: 'late' });
    world.clock.advance(60 * MINUTE_MS);
    await answer({ userId: 'late' });
    await drain();
    expect(await world.run('late')).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      exitReason: null,
      context: {},
      steps: [{ outcome: 'timed_out', output: null }, { outcome: 'ok' }],
    });
  });

  it('a wait for a very distant date blocks nothing', async () => {
    const until = { type: 'wait', config: { until: '{{event.day}}', offsetMinutes: 525_600 } };
    await world.define([until, adds]);
    const start = (userId: string, day: string) =>
      world.beckon.events.track(world.scope, { module: 'm', eventType: 'asked', userId, properties: { day } });
    await start('never', '9999-12-31');
    await start('now', '2020-01-01');
    await drain();
    expect(await world.run('never')).toMatchObject({
      status: 'waiting',
      next_step_at: new Date('9999-12-31T23:59:59.999Z'),
    });
    expect(await world.run('now')).toMatchObject({ status: 'completed' });
    expect(world.logged).toEqual([]);
  });

  it('a timeout ends the run if onTimeout is exit', async () => {
    await waiting({ userId: 'gone' }, [waits({ onTimeout: 'exit' }), adds]);
    world.clock.advance(60 * MINUTE_MS);
    await drain();
    expect(await world.run('gone')).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      exitReason: 'wait_timed_out',
      steps: [{ outcome: 'timed_out' }],
    });
  });

  it('an event before the wait does not count, even while a worker has the run in process', async () => {
    await world.start([waits(), adds], { userId: 'early' });
    await answer({ userId: 'early' });
    const hand = world.hand();
    const outcomes = await hand.claimAndHandle();
    await answer({ userId: 'early' });
    await hand.commit(outcomes);
    await drain();
    expect(await world.run('early')).toMatchObject({ status: 'waiting', steps: [] });
  });

  it('an event of the user resumes a wait of the merged anonymous profile', async () => {
    await waiting({ anonymousId: 'x' });
    await world.beckon.events.identify(world.scope, { anonymousId: 'x', userId: 'xena', traits: {} });
    await answer({ userId: 'xena' });
    await drain();
    expect(await world.run('xena')).toMatchObject({
      status: 'completed',
      steps: [{ outcome: 'ok' }, { outcome: 'ok' }],
    });
    await waiting({ userId: 'xena' });
    await answer({ anonymousId: 'x' });
    await drain();
    expect((await world.run('xena')).status).toBe('completed');
  });

  it('a cancelled run or an erased user is not resumed', async () => {
    await waiting({ userId: 'quit' });
    await world.beckon.runs.cancel(world.scope, (await world.run('quit')).id);
    await waiting({ userId: 'erased' });
    await world.beckon.profiles.erase(world.scope, 'erased');
    await drain();
    await answer({ userId: 'quit' });
    await answer({ userId: 'erased' });
    await drain();
    expect(await world.run('quit')).toMatchObject({ status: 'cancelled', steps: [] });
    expect((await world.beckon.runs.list(world.scope, { userId: 'erased' })).data).toEqual([]);
  });

  it('an event ingested here resumes a wait that began in another process', async () => {
    await world.define([waits(), adds]);
    const other = await world.another();
    try {
      await answer({ userId: 'far' });
      await other.events.track(other.scope, { module: 'm', eventType: 'asked', userId: 'far' });
      await other.worker.drain();
      await answer({ userId: 'far' });
      await other.worker.drain();
    } finally {
      await other.close();
    }
    expect(await world.run('far')).toMatchObject({
      status: 'completed',
      steps: [{ outcome: 'ok' }, { outcome: 'ok' }],
    });
  });

  it('raised events resume waits', async () => {
    const workflow = (name: string, eventType: string, steps: readonly unknown[]) => ({
      name,
      trigger: { eventType },
      isActive: true,
      steps,
    });
    const filters = { workflowName: 'Other' };
    await world.define([waits({ eventType: 'workflow.run_completed', filters }), adds]);
    // Safe: a definition as its author writes it.
    await world.beckon.workflows.create(world.scope, workflow('Other', 'other', [adds]) as never);
    await world.trigger({ userId: 'heard' });
    await drain();
    await world.beckon.events.track(world.scope, { module: 'm', eventType: 'other', userId: 'heard' });
    await drain();
    const runs = (await world.beckon.runs.list(world.scope, { userId: 'heard' })).data;
    const { steps } = await world.beckon.runs.get(world.scope, runs.find((one) => one.workflowName === 'W')?.id ?? '');
    expect(steps).toMatchObject([{ outcome: 'ok', output: { event: { workflowName: 'Other' } } }, { outcome: 'ok' }]);
  });

  it('a wait ends once, by the event or the timeout, if both come at the same time', async () => {
    const RUNS = 120;
    const people = Array.from({ length: RUNS }, (_, at) => `race${at}`);
    await world.define([waits(), adds]);
    await Promise.all(people.map((userId) => world.trigger({ userId })));
    await drain();
    world.clock.advance(60 * MINUTE_MS - 1);
    const answering = async (): Promise<void> => {
      // Received in time and written while workers find the timeout.
      const batches = Array.from({ length: 12 }, (_, at) => people.slice(at * 10, at * 10 + 10));
      for (const batch of batches) {
        const accepted = batch.toReversed().map((userId) => answer({ userId }));
        world.clock.set(new Date(begun + 60 * MINUTE_MS));
        await Promise.all(accepted);
        world.clock.set(new Date(begun + 60 * MINUTE_MS - 1));
      }
      world.clock.set(new Date(begun + 60 * MINUTE_MS));
    };
    const begun = world.clock.now().getTime() - 60 * MINUTE_MS + 1;
    let isDone = false;
    const stepping = async (): Promise<void> => {
      const worker = world.hand();
      for (let idle = 0; idle < 3; ) {
        const outcomes = await worker.claimAndHandle();
        await worker.commit(outcomes);
        idle = isDone && outcomes.length === 0 ? idle + 1 : 0;
      }
    };
    await Promise.all([
      answering().finally(() => {
        isDone = true;
      }),
      stepping(),
      stepping(),
    ]);
    world.clock.advance(LEASE_MS);
    await drain();
    const won = { ok: 0, timed_out: 0 };
    for (const userId of people) {
      const { status, steps, context } = await world.run(userId);
      expect([status, steps.map(({ path }) => path)]).toEqual(['completed', ['0', '1']]);
      const outcome = steps[0]?.outcome;
      if (outcome !== 'ok' && outcome !== 'timed_out') throw new Error(`${userId}: ${outcome}`);
      won[outcome] += 1;
      expect(Object.keys(context)).toEqual(outcome === 'ok' ? ['answer'] : []);
      expect((await world.beckon.profiles.get(world.scope, userId)).traits['n']).toBe(1);
    }
    process.stdout.write(`event against time: ${RUNS} runs, ${won.ok} by the event, ${won.timed_out} by time\n`);
    expect(won.ok + won.timed_out).toBe(RUNS);
  });
});
