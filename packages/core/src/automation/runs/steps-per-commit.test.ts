import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { clock, hot, queueOf, runOf } from '../../../test/support/runs/fake-queue.ts';
import type { Committed, WriteSet } from '../../database/commit/write-set.ts';
import { StorageError } from '../../database/errors.ts';
import type { StoredStep } from './cursor.ts';
import { common } from './steps/fields.ts';
import { defineStep, type RunContext } from './steps/step.ts';

/** A step that leaves profiles unchanged, except in the run `second`. */
const quiet = (run: (context: RunContext) => void = () => undefined) =>
  defineStep({
    type: 'call',
    config: z.strictObject({ ...common }),
    run: (_, context) => {
      run(context);
      const isSecond = context.run.id === 'second';
      return () => ({
        outcome: 'ok',
        ...(isSecond ? { nextTraits: { traits: { is: true }, isTruncated: false } } : {}),
      });
    },
  });
/** The same step with an asynchronous result. */
const later = (definition: ReturnType<typeof quiet>): ReturnType<typeof quiet> => ({
  ...definition,
  run: async (config, context) => {
    await null;
    return definition.run(config, context);
  },
});
const call = (over: Omit<Partial<StoredStep>, 'type'> = {}): StoredStep => ({ type: 'call', config: {}, ...over });

const stepsIn = (plan: WriteSet | undefined) =>
  plan?.writes.filter(({ bulk }) => bulk === hot.recordStep).map(({ row }) => row);
const stoodAt = (plan: WriteSet | undefined) =>
  plan?.writes.filter(({ bulk }) => bulk === hot.advance).map(({ row }) => [row['status'], row['cursor']]);

describe('several steps that are due at once', () => {
  it('steps that are due at once share one commit, each with its row', async () => {
    const queue = queueOf({ definition: quiet(), steps: [call(), call(), call()] });
    await queue.process([runOf('ann')]);
    await queue.work.commit(queue.outcomes);
    expect(queue.plans).toHaveLength(1);
    expect(stoodAt(queue.plans[0])).toEqual([['completed', '2']]);
    const at = { attempt: 1, outcome: 'ok', startedAt: clock.now(), finishedAt: clock.now() };
    expect(stepsIn(queue.plans[0])).toMatchObject(['0', '1', '2'].map((path) => ({ path, ...at })));
    expect(queue.plans[0]?.wakes).toEqual([]);
  });

  it.each([
    ['answer at once', quiet()],
    ['answer later', later(quiet())],
  ])('step rows are ordered by run if they %s', async (_, definition) => {
    const queue = queueOf({ definition, steps: [call(), call()] });
    await queue.process([runOf('ann'), runOf('bob')]);
    await queue.work.commit(queue.outcomes);
    expect(stepsIn(queue.plans[0])?.map(({ runId, path }) => [runId, path])).toEqual([
      ['run-of-ann', '0'],
      ['run-of-ann', '1'],
      ['run-of-bob', '0'],
      ['run-of-bob', '1'],
    ]);
  });

  it('a plan stops before a delayed step and before a wait', async () => {
    for (const [next, dueInMs] of [
      [call({ delayMinutes: 7 }), 420_000],
      [{ type: 'poll', config: {} }, 300_000],
    ] as const) {
      const queue = queueOf({ definition: quiet(), steps: [call(), next, call()] });
      await queue.process([runOf('ann')]);
      await queue.work.commit(queue.outcomes);
      const dueAt = new Date(clock.now().getTime() + dueInMs);
      expect(queue.plans[0]?.writes.map(({ row }) => row)).toMatchObject([
        { status: 'waiting', cursor: '1', dueAt },
        { path: '0' },
      ]);
    }
  });

  it('a plan stops after a step that changed its profile, also in another run of the batch', async () => {
    const queue = queueOf({ definition: quiet(), steps: [call(), call()] });
    await queue.process([runOf('ann'), runOf('ann', { id: 'second' }), runOf('bob')]);
    await queue.work.commit(queue.outcomes);
    expect(
      new Map(queue.plans[0]?.writes.flatMap(({ row }) => (row['status'] ? [[row['id'], row['cursor']]] : []))),
    ).toEqual(
      new Map([
        ['run-of-ann', '1'],
        ['second', '1'],
        ['run-of-bob', '1'],
      ]),
    );
    expect(stepsIn(queue.plans[0])?.map(({ runId, path }) => [runId, path])).toEqual([
      ['run-of-ann', '0'],
      ['second', '0'],
      ['run-of-bob', '0'],
      ['run-of-bob', '1'],
    ]);
    expect(queue.plans[0]?.wakes).toEqual(['runs']);
  });

  it('a plan stops before a step that reads memberships or event counts', async () => {
    for (const when of [
      { audience: 'a', op: 'in' },
      { event: 'e', op: 'performed' },
    ]) {
      const queue = queueOf({ definition: quiet(), steps: [call(), call({ config: { when } })] });
      await queue.process([runOf('ann')]);
      await queue.work.commit(queue.outcomes);
      expect([stoodAt(queue.plans[0]), stepsIn(queue.plans[0])?.length]).toEqual([[['running', '1']], 1]);
    }
  });

  it('each step runs once, however often it is planned', async () => {
    const ran = vi.fn();
    const lost: Committed = { ok: false, failed: new Set(['person']) };
    const queue = queueOf({ definition: quiet(ran), steps: [call(), call(), call()], answers: [lost, lost] });
    await queue.process([runOf('ann')]);
    await queue.work.commit(queue.outcomes);
    expect(ran.mock.calls.map(([{ path }]) => path)).toEqual(['0', '1', '2']);
    expect(queue.plans.map((plan) => stepsIn(plan)?.length)).toEqual([3, 3, 3]);
  });

  it('a step never starts after its end, however slow the previous steps were', async () => {
    const queue = queueOf({ definition: quiet(() => clock.advance(5)), steps: [call(), call(), call()] });
    await queue.process([runOf('ann')]);
    const at = clock.now();
    await queue.work.commit(queue.outcomes);
    expect(stepsIn(queue.plans[0])?.slice(1)).toMatchObject([
      { path: '1', startedAt: at, finishedAt: at },
      { path: '2', startedAt: at, finishedAt: at },
    ]);
  });

  it('after a database error steps are written one by one', async () => {
    const queue = queueOf({ definition: quiet(), steps: [call(), call()], answers: [new StorageError('22P05')] });
    await queue.process([runOf('ann')]);
    await expect(queue.work.commit(queue.outcomes)).rejects.toThrow(StorageError);
    await queue.work.commit(queue.outcomes);
    expect(queue.plans.map(stoodAt)).toEqual([[['completed', '1']], [['running', '1']]]);
  });

  it('a commit has at most 32 steps of a run', async () => {
    const queue = queueOf({ definition: quiet(), steps: Array.from({ length: 40 }, () => call()) });
    await queue.process([runOf('ann')]);
    await queue.work.commit(queue.outcomes);
    expect([stoodAt(queue.plans[0]), stepsIn(queue.plans[0])?.length]).toEqual([[['running', '32']], 32]);
  });

  it('many runs in a commit have fewer steps each', async () => {
    const queue = queueOf({ definition: quiet(), steps: Array.from({ length: 40 }, () => call()) });
    await queue.process(Array.from({ length: 128 }, (_, at) => runOf(`user-${at}`)));
    await queue.work.commit(queue.outcomes);
    expect(new Set(stoodAt(queue.plans[0])?.map(String))).toEqual(new Set(['running,16']));
    expect(stepsIn(queue.plans[0])).toHaveLength(2_048);
  });

  it('steps before a throwing one are written; a defect fails the run, other errors repeat it', async () => {
    for (const [error, stands] of [
      [new Error('a defect'), ['failed', '1']],
      [new StorageError('08006'), ['running', '1']],
    ] as const) {
      const definition = quiet(({ path }) => {
        if (path === '1') throw error;
      });
      for (const one of [definition, later(definition)]) {
        const queue = queueOf({ definition: one, steps: [call(), call()] });
        await queue.process([runOf('ann')]);
        await queue.work.commit(queue.outcomes);
        expect([stoodAt(queue.plans[0]), stepsIn(queue.plans[0])?.map(({ path }) => path)]).toEqual([[stands], ['0']]);
      }
    }
  });
});
