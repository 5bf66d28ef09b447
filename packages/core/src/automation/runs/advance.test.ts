import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fork, say } from '../../../test/support/runs/steps/fork.ts';
import { type WayOptions, wayThrough } from '../../../test/support/runs/way.ts';
import { MAX_CONTEXT_BYTES } from './schema.ts';
import { catalogOf } from './steps/catalog.ts';
import { common } from './steps/fields.ts';
import { stepTypes } from './steps/list.ts';
import { defineStep } from './steps/step.ts';
import { updateProfile } from './steps/update-profile.ts';

/** A step whose output is a text of that length. */
const give = defineStep({
  type: 'give',
  config: z.strictObject({ ...common, letters: z.int(), fails: z.boolean().optional() }),
  run:
    ({ letters, fails = false }) =>
    () => ({
      outcome: fails ? 'error' : 'ok',
      ...(fails ? { reason: 'broken' } : {}),
      output: { text: 'x'.repeat(letters) },
    }),
});
/** A step that asks for a retry a minute later, until that attempt. */
const retry = defineStep({
  type: 'retry',
  config: z.strictObject({ ...common, until: z.int() }),
  run:
    ({ until }, { run, now }) =>
    () =>
      run.attempt >= until ? { outcome: 'ok' } : { retryAt: new Date(now.getTime() + 60_000) },
});
const catalog = catalogOf([give, fork, say, retry, updateProfile]);
const gives = (letters: number, saveAs?: string, over: object = {}) => ({
  type: 'give',
  config: { letters, ...(saveAs === undefined ? {} : { saveAs }), ...over },
});
const say1 = { type: 'say', config: { text: 'x' } };
const way = (exit: boolean | undefined, ...steps: readonly unknown[]) => ({
  name: 'w',
  steps,
  ...(exit === undefined ? {} : { exit }),
});
const forks = (take: string, ...ways: readonly unknown[]) => ({ type: 'fork', config: { take, ways } });
const walk = (steps: Parameters<typeof wayThrough>[1], options: WayOptions = {}) => wayThrough(catalog, steps, options);

describe('saved outputs of a step', () => {
  it('later steps read an output under its name', async () => {
    const set = { type: 'update_profile', config: { set: { said: '{{steps.a.text}}, {{steps.b.text}}.' } } };
    const { profile, run } = await walk([gives(2, 'a'), gives(3), set]);
    expect(profile?.traits).toEqual({ said: 'xx, .' });
    expect(run.context).toEqual({ a: { text: 'xx' } });
  });

  it('the saved output of a send is its id', async () => {
    const steps = [{ type: 'send_push', config: { title: 't', saveAs: 'push' } }];
    const { run, passed } = await wayThrough(stepTypes, steps);
    expect(run.context).toEqual({ push: { sendId: 'send-1' } });
    expect(passed[0]).not.toHaveProperty('output');
  });

  it('a failed step saves its output too', async () => {
    expect((await walk([gives(1, 'a', { fails: true })])).run.context).toEqual({ a: { text: 'x' } });
  });

  it('an output beyond the size limit is not saved and the step says so', async () => {
    const room = MAX_CONTEXT_BYTES - '{"a":{"text":""},"b":{"text":""}}'.length;
    const fits = await walk([gives(room - 10, 'a'), gives(10, 'b')]);
    expect(Object.keys(fits.run.context)).toEqual(['a', 'b']);
    expect(fits.passed.map(({ reason }) => reason)).toEqual([undefined, undefined]);
    const full = await walk([gives(room - 10, 'a'), gives(11, 'b'), gives(20, 'c', { fails: true })]);
    expect(Object.keys(full.run.context)).toEqual(['a']);
    expect(full.passed.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['ok', undefined],
      ['ok', 'output_too_large'],
      ['error', 'broken'],
    ]);
    expect(full.passed[1]?.output).toEqual({ text: 'x'.repeat(11) });
  });
});

describe('an arm that ends the run', () => {
  it('an arm with exit runs its steps and nothing after the branch', async () => {
    const { run, paths } = await walk([forks('w', way(true, say1, say1)), say1]);
    expect(paths).toEqual(['0', '0.0.0', '0.0.1']);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: 'left', cursor: '0.0.1' });
  });

  it('an empty arm with exit ends the run at once', async () => {
    const { run, paths } = await walk([forks('w', way(true)), say1]);
    expect(paths).toEqual(['0']);
    expect(run).toMatchObject({ status: 'completed', exitReason: 'left', cursor: '0' });
  });

  it('a nested arm with exit ends the run', async () => {
    const inner = forks('w', way(undefined, say1));
    for (const last of [inner, forks('w', way(false))]) {
      const { run, paths } = await walk([forks('w', way(true, last)), say1]);
      expect(paths.slice(0, 2)).toEqual(['0', '0.0.0']);
      expect(paths).not.toContain('1');
      expect(run.exitReason).toBe('left');
    }
    const { run, paths } = await walk([forks('w', way(undefined, forks('w', way(true)), say1)), say1]);
    expect([paths, run.exitReason]).toEqual([['0', '0.0.0'], 'left']);
  });

  it('an arm with exit keeps the errors of earlier steps in the outcome', async () => {
    const { run } = await walk([forks('w', way(true, gives(1, 'a', { fails: true })))]);
    expect(run).toMatchObject({ status: 'completed', outcome: 'partial', exitReason: 'left' });
  });

  it('an exit of another arm does not end the run', async () => {
    const { run, paths } = await walk([forks('w', { name: 'other', steps: [], exit: true }, way(undefined)), say1]);
    expect([paths, run.exitReason]).toEqual([['0', '1'], null]);
  });
});

describe('a step that asks for a retry', () => {
  const retries = (until: number) => ({ type: 'retry', config: { until } });

  it('a retry runs at the requested time with the next attempt, and the next step starts with attempt 1', async () => {
    const { run, passed } = await walk([retries(3), retries(2), say1]);
    expect(passed.map(({ path, at }) => [path, at.slice(11, 16)])).toEqual([
      ['0', '10:02'],
      ['1', '10:03'],
      ['2', '10:03'],
    ]);
    expect(run).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it('a step runs at most a hundred times and then fails its run', async () => {
    expect((await walk([retries(100)])).run).toMatchObject({ status: 'completed', error: null });
    const { run, passed } = await walk([retries(101), say1]);
    expect(run).toMatchObject({ status: 'failed', error: 'too_many_attempts', attempt: 100, cursor: '0' });
    expect(passed).toEqual([]);
  });
});

describe('a step that cannot change the profile', () => {
  it('a failed update_profile ends as an error with its reason, changes nothing, and the run continues', async () => {
    const steps = [
      { type: 'update_profile', config: { set: { plan: 'pro' }, increment: { name: 1 } } },
      { type: 'update_profile', config: { set: { later: true } } },
    ];
    const { run, passed, profile } = await walk(steps, { profile: { traits: { name: 'Ann' } } });
    expect(passed.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['error', 'not_a_number'],
      ['ok', undefined],
    ]);
    expect(profile?.traits).toEqual({ name: 'Ann', later: true });
    expect(run).toMatchObject({ status: 'completed', outcome: 'partial' });
  });
});
