import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { clock, hot, queueOf, runOf } from '../../../test/support/runs/fake-queue.ts';
import { messageChange } from '../../../test/support/sends/message.ts';
import type { Committed, WriteSet } from '../../database/commit/write-set.ts';
import { StorageError } from '../../database/errors.ts';
import { common } from './steps/fields.ts';
import { defineStep, type RunContext } from './steps/step.ts';

/** A step that calls an external system. */
const calling = (answer: (context: RunContext) => Promise<string>) => {
  const call = vi.fn(answer);
  const definition = defineStep({
    type: 'call',
    config: z.strictObject({ ...common }),
    run: async (_, context) => {
      const said = await call(context);
      return ({ profile }) => ({
        outcome: 'ok',
        nextTraits: { traits: { ...profile?.traits, said }, isTruncated: false },
      });
    },
  });
  return { call, definition };
};
const suppressed = messageChange({ from: null, status: 'suppressed', reason: 'no_address' });
/** A step whose message ends while it is planned. */
const reachesNobody = defineStep({
  type: 'call',
  config: z.strictObject({ ...common }),
  run: () => () => ({ outcome: 'suppressed', reason: 'no_address', changes: [suppressed] }),
});
const advanced = (plan: WriteSet | undefined) =>
  plan?.writes.filter(({ bulk }) => bulk === hot.advance).map(({ row }) => [row['id'], row['status'], row['error']]);

describe('the queue of runs', () => {
  it('a changed profile repeats the plan without running the step again', async () => {
    const { call, definition } = calling(async () => 'yes');
    const lost: Committed = { ok: false, failed: new Set(['person']) };
    const queue = queueOf({ definition, answers: [lost, lost] });
    await queue.process([runOf('ann')]);
    await queue.work.commit(queue.outcomes);
    expect(call).toHaveBeenCalledTimes(1);
    expect(queue.plans).toHaveLength(3);
    expect(queue.changes.mock.calls.map(([, , [one]]) => one?.next.traits)).toEqual([
      { read: 1, said: 'yes' },
      { read: 2, said: 'yes' },
      { read: 3, said: 'yes' },
    ]);
  });

  it('a lost fence repeats the plan without that run', async () => {
    const { call, definition } = calling(async () => 'yes');
    const queue = queueOf({ definition, answers: [{ ok: false, failed: new Set(['run-of-ann']) }] });
    await queue.process([runOf('ann'), runOf('bob')]);
    await queue.work.commit(queue.outcomes);
    expect(call).toHaveBeenCalledTimes(2);
    expect(queue.plans.map((plan) => advanced(plan)?.map(([id]) => id))).toEqual([
      ['run-of-ann', 'run-of-bob'],
      ['run-of-bob'],
    ]);
  });

  it('profiles are read only if a step asks, and then once per batch', async () => {
    const asks = queueOf({ definition: calling(async ({ profile }) => String((await profile())?.version)).definition });
    await asks.process([runOf('ann'), runOf('ann', { id: 'second' }), runOf('bob')]);
    expect(asks.loadProfiles.mock.calls.map(([keys]) => keys.length)).toEqual([2]);
    const asksNot = queueOf({ definition: calling(async () => 'yes').definition });
    await asksNot.process([runOf('ann')]);
    expect(asksNot.loadProfiles).not.toHaveBeenCalled();
  });

  it('an ended step is reported while another one still runs', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = async ({ run }: RunContext) => (run.id === 'run-of-ann' ? promise : 'yes');
    const queue = queueOf({ definition: calling(slow).definition });
    const handled = queue.process([runOf('ann'), runOf('bob')]);
    await new Promise((done) => setImmediate(done));
    expect(queue.outcomes.map(({ run }) => run.id)).toEqual(['run-of-bob']);
    resolve('yes');
    await handled;
    expect(queue.outcomes.map(({ run }) => run.id)).toEqual(['run-of-bob', 'run-of-ann']);
  });

  it('runs that have not started are returned when the worker stops', async () => {
    const step = vi.fn(async () => 'yes');
    const queue = queueOf({ definition: calling(step).definition });
    const giveBack = vi.fn();
    const runs = [runOf('ann'), runOf('bob')];
    await queue.process(runs, { draining: AbortSignal.abort(), giveBack });
    expect([giveBack.mock.calls, queue.outcomes, step.mock.calls]).toEqual([[[runs]], [], []]);
  });

  it('a step that throws fails its run and no other', async () => {
    const broken = async ({ run }: RunContext) => {
      if (run.id === 'run-of-ann') throw new Error('a defect');
      return 'yes';
    };
    const queue = queueOf({ definition: calling(broken).definition });
    await queue.process([runOf('ann'), runOf('bob')]);
    await queue.work.commit(queue.outcomes);
    expect(advanced(queue.plans[0])).toEqual([
      ['run-of-ann', 'failed', 'step_threw'],
      ['run-of-bob', 'completed', null],
    ]);
    expect(queue.logged).toHaveLength(1);
  });

  it.each([
    ['the database is away', new StorageError('08006')],
    ['the worker has to stop', new Error('aborted')],
  ])('a run whose step throws because %s is put back after the others were reported', async (_, error) => {
    let stop = (): void => undefined;
    const broken = async ({ run }: RunContext) => {
      if (run.id !== 'run-of-ann') return new Promise<string>((done) => setImmediate(() => done('yes')));
      if (!(error instanceof StorageError)) stop();
      throw error;
    };
    const queue = queueOf({ definition: calling(broken).definition });
    stop = queue.stop;
    await expect(queue.process([runOf('ann'), runOf('bob')])).rejects.toBe(error);
    expect(queue.outcomes.map(({ run }) => run.id)).toEqual(['run-of-bob']);
    expect(queue.logged).toEqual([]);
  });

  it('a waiting step runs again each time and is recorded once, from its start', async () => {
    const queue = queueOf({
      definition: calling(async () => 'yes').definition,
      steps: [{ type: 'poll', config: {} }],
    });
    const began = clock.now();
    const written = async (waitingSince: Date | null) => {
      await queue.process([runOf('ann', { waitingSince })]);
      await queue.work.commit(queue.outcomes.splice(0));
      return queue.plans.at(-1)?.writes.map(({ row }) => row);
    };
    const waits = () => ({
      status: 'waiting',
      cursor: '0',
      waitingSince: began,
      dueAt: new Date(clock.now().getTime() + 300_000),
    });
    expect(await written(null)).toMatchObject([waits()]);
    clock.advance(300_000);
    expect(await written(began)).toMatchObject([waits()]);
    clock.advance(300_000);
    expect(await written(began)).toMatchObject([
      { status: 'completed', waitingSince: null },
      { path: '0', attempt: 1, outcome: 'ok', startedAt: began, finishedAt: clock.now() },
    ]);
  });

  it('reactions to messages that ended while planned are written with the step', async () => {
    const queue = queueOf({ definition: reachesNobody });
    queue.react.mockResolvedValueOnce({
      writes: [{ bulk: hot.moveMerged, row: {}, tag: 'heard' }],
      wakes: ['heard'],
      hooks: [],
    });
    await queue.process([runOf('ann')]);
    await queue.work.commit(queue.outcomes);
    expect(queue.react).toHaveBeenCalledWith([suppressed], clock.now());
    expect(queue.plans[0]).toMatchObject({ wakes: ['heard'], writes: [{}, { row: { path: '0' } }, { tag: 'heard' }] });
  });

  it('a run with an invalid cursor fails', async () => {
    const queue = queueOf({ definition: calling(async () => 'yes').definition });
    await queue.process([runOf('ann', { cursor: '0.else.0' }), runOf('bob', { cursor: '1' })]);
    await queue.work.commit(queue.outcomes);
    expect(advanced(queue.plans[0])).toEqual([
      ['run-of-ann', 'failed', 'definition_unreadable'],
      ['run-of-bob', 'failed', 'definition_unreadable'],
    ]);
  });
});
