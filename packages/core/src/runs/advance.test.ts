import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_CONTEXT_BYTES } from './schema.ts';
import { catalogOf } from './steps/catalog.ts';
import { common } from './steps/fields.ts';
import { stepTypes } from './steps/list.ts';
import { defineStep } from './steps/step.ts';
import { fork, say } from './steps/testing/fork.ts';
import { updateProfile } from './steps/update-profile.ts';
import { type WayOptions, wayThrough } from './testing/way.ts';

/** A step that gives a text of so many letters. */
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
const catalog = catalogOf([give, fork, say, updateProfile]);
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

describe('what a step saves', () => {
  it('is there for the steps behind it, under its name', async () => {
    const set = { type: 'update_profile', config: { set: { said: '{{steps.a.text}}, {{steps.b.text}}.' } } };
    const { profile, run } = await walk([gives(2, 'a'), gives(3), set]);
    expect(profile?.traits).toEqual({ said: 'xx, .' });
    expect(run.context).toEqual({ a: { text: 'xx' } });
  });

  it('of a send is its id', async () => {
    const steps = [{ type: 'send_push', config: { title: 't', saveAs: 'push' } }];
    const { run, passed } = await wayThrough(stepTypes, steps);
    expect(run.context).toEqual({ push: { sendId: 'send-1' } });
    expect(passed[0]).not.toHaveProperty('output');
  });

  it('is what it gave where it failed, too', async () => {
    expect((await walk([gives(1, 'a', { fails: true })])).run.context).toEqual({ a: { text: 'x' } });
  });

  it('is nothing where the run has no room for it, and the step says so', async () => {
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

describe('an arm that leaves the run', () => {
  it('does its steps, and nothing behind its step', async () => {
    const { run, paths } = await walk([forks('w', way(true, say1, say1)), say1]);
    expect(paths).toEqual(['0', '0.0.0', '0.0.1']);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: 'left', cursor: '0.0.1' });
  });

  it('leaves it at once where it has no steps', async () => {
    const { run, paths } = await walk([forks('w', way(true)), say1]);
    expect(paths).toEqual(['0']);
    expect(run).toMatchObject({ status: 'completed', exitReason: 'left', cursor: '0' });
  });

  it('leaves it from within arms that do not', async () => {
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

  it('keeps what went wrong on the way', async () => {
    const { run } = await walk([forks('w', way(true, gives(1, 'a', { fails: true })))]);
    expect(run).toMatchObject({ status: 'completed', outcome: 'partial', exitReason: 'left' });
  });

  it('is no end where another arm is taken', async () => {
    const { run, paths } = await walk([forks('w', { name: 'other', steps: [], exit: true }, way(undefined)), say1]);
    expect([paths, run.exitReason]).toEqual([['0', '1'], null]);
  });
});
