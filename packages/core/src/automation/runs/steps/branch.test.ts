import { describe, expect, it } from 'vitest';
import { type WayOptions, wayThrough } from '../../../../test/support/runs/way.ts';
import { bucketOf } from '../../../foundation/ab-bucket.ts';
import { fieldErrorsOf } from '../../../foundation/errors.ts';
import { stepOrder } from '../../workflows/bundle.ts';
import type { StoredStep } from '../cursor.ts';
import { stepTypes } from './list.ts';

const mark = (trait: string) => ({ type: 'update_profile', config: { set: { [trait]: true } } });
const isPro = { trait: 'plan', op: 'eq', value: 'pro' } as const;
const arm = (name: string, when: unknown, ...steps: readonly unknown[]) => ({ name, when, steps });
const branch = (config: object): StoredStep => ({ type: 'branch', config: { ...config } });
const refused = (config: object) => {
  const { error } = stepTypes.steps.safeParse([branch(config)]);
  return error ? fieldErrorsOf(error) : {};
};
const walk = (steps: readonly StoredStep[], options: WayOptions = {}) => wayThrough(stepTypes, steps, options);
const traits = (plan?: unknown) => ({ profile: { traits: plan === undefined ? {} : { plan } } });

describe('a branch by conditions', () => {
  const onPlan = branch({
    branches: [arm('Pro', isPro, mark('first')), arm('any', { trait: 'plan', op: 'set' }, mark('second'))],
    else: { steps: [mark('rest')] },
  });

  it('the run enters the first arm whose condition is true and continues after the step', async () => {
    expect((await walk([onPlan, mark('after')], traits('pro'))).paths).toEqual(['0', '0.0.0', '1']);
    expect((await walk([onPlan, mark('after')], traits('free'))).paths).toEqual(['0', '0.1.0', '1']);
    expect((await walk([onPlan, mark('after')], traits())).paths).toEqual(['0', '0.else.0', '1']);
  });

  it('the output of a branch names the arm', async () => {
    const said = async (step: StoredStep, plan?: string) => (await walk([step], traits(plan))).passed[0];
    expect(await said(onPlan, 'pro')).toMatchObject({ outcome: 'ok', output: { branch: 'Pro' } });
    expect(await said(onPlan)).toMatchObject({ outcome: 'ok', output: { branch: 'else' } });
    const none = branch({ branches: [arm('Pro', isPro, mark('x'))] });
    expect(await said(none)).toMatchObject({ outcome: 'ok', output: { branch: null } });
    const { run } = await walk([branch({ ...none.config, saveAs: 'way' })], traits('pro'));
    expect(run.context).toEqual({ way: { branch: 'Pro' } });
  });

  it('the run continues after the step if no arm matches', async () => {
    const { paths, run } = await walk([branch({ branches: [arm('Pro', isPro, mark('x'))] }), mark('after')]);
    expect([paths, run.status, run.outcome]).toEqual([['0', '1'], 'completed', 'ok']);
  });

  it('an unknown condition does not match, nor does its negation', async () => {
    const notPro = branch({ branches: [arm('not', { not: isPro }, mark('x'))], else: { steps: [] } });
    expect((await walk([notPro], traits('free'))).paths).toEqual(['0', '0.0.0']);
    expect((await walk([notPro], traits())).paths).toEqual(['0']);
  });

  it('conditions read the event, the profile and saved outputs', async () => {
    const saved = { context: { score: { text: 'high', n: 3 } } };
    const taken = async (when: unknown, options: WayOptions = {}) =>
      (await walk([branch({ branches: [arm('a', when, mark('x'))] })], options)).paths.length === 2;
    const path = (name: string, value: unknown) => ({ path: name, op: 'eq', value });
    const properties = { plan: 'pro', deep: { er: 1 } };
    expect(await taken(path('event.plan', 'pro'), { properties })).toBe(true);
    expect(await taken(path('event.deep.er', 1), { properties })).toBe(true);
    expect(await taken(path('event.constructor', 'x'), { properties })).toBe(false);
    expect(await taken(path('steps.score.n', 3), { run: saved })).toBe(true);
    expect(await taken(path('steps.gone.n', 3), { run: saved })).toBe(false);
    expect(await taken(path('user.userId', 'ann'), { profile: null })).toBe(true);
    expect(await taken(path('trait.plan', 'pro'), traits('pro'))).toBe(true);
    expect(await taken({ trait: 'user.timezone', op: 'eq', value: 'UTC' }, { profile: { timezone: 'UTC' } })).toBe(
      true,
    );
  });

  it('conditions see the profile that earlier steps left', async () => {
    const { paths } = await walk([{ type: 'update_profile', config: { set: { plan: 'pro' } } }, onPlan]);
    expect(paths).toEqual(['0', '1', '1.0.0']);
  });

  it('an arm with exit ends the run', async () => {
    const leaves = branch({
      branches: [{ ...arm('Pro', isPro, mark('x')), exit: true }],
      else: { steps: [], exit: true },
    });
    const pro = await walk([leaves, mark('after')], traits('pro'));
    expect([pro.paths, pro.run.exitReason, pro.run.outcome]).toEqual([['0', '0.0.0'], 'branch_exit', 'ok']);
    const other = await walk([leaves, mark('after')]);
    expect([other.paths, other.run.exitReason]).toEqual([['0'], 'branch_exit']);
    const stays = branch({ branches: [{ ...arm('Pro', isPro), exit: false }] });
    expect((await walk([stays, mark('after')], traits('pro'))).paths).toEqual(['0', '1']);
  });

  it('an error within an arm is rejected with its path', () => {
    expect(refused({})).toEqual({ '0.config': ['needs exactly one of branches, split'] });
    const ways = [arm('a', isPro)];
    expect(Object.keys(refused({ branches: ways, split: [{ name: 'a', weight: 100, steps: [] }] }))).toEqual([
      '0.config',
    ]);
    expect(Object.keys(refused({ branches: [] }))).toEqual(['0.config.branches']);
    expect(Object.keys(refused({ branches: [...ways, arm('b', isPro), arm('a', isPro)] }))).toEqual([
      '0.config.branches.2.name',
    ]);
    expect(Object.keys(refused({ branches: [arm('a', { trait: 'plan', op: 'like', value: 'x' })] }))).toEqual([
      '0.config.branches.0.when.op',
    ]);
    const wrong = { type: 'wait', config: { minutes: -1 } };
    expect(Object.keys(refused({ branches: [arm('a', isPro, mark('x'), wrong)], else: { steps: [wrong] } }))).toEqual([
      '0.config.branches.0.steps.1.config.minutes',
      '0.config.else.steps.0.config.minutes',
    ]);
  });

  it('branches nest up to five levels and count toward the hundred steps', () => {
    const nest = (levels: number): object =>
      levels === 0 ? mark('x') : branch({ branches: [arm('a', isPro, nest(levels - 1))] });
    expect(stepTypes.steps.safeParse([nest(5)]).success).toBe(true);
    expect(stepTypes.steps.safeParse([nest(6)]).error?.issues).toMatchObject([
      { message: 'must be at most 5 levels deep' },
    ]);
    const wide = (count: number) => branch({ branches: [arm('a', isPro, ...Array(count).fill(mark('x')))] });
    expect(stepTypes.steps.safeParse([wide(49), wide(49)]).success).toBe(true);
    expect(stepTypes.steps.safeParse([wide(49), wide(50)]).success).toBe(false);
  });

  it('a condition on an output that no earlier step saves is reported', () => {
    const when = { path: 'steps.score.text', op: 'eq', value: 'x' };
    const steps = [
      branch({ branches: [arm('a', when)], when, saveAs: 'score' }),
      branch({ branches: [arm('a', when)] }),
    ];
    expect([...stepTypes.findings(steps, 'steps')].map(({ path, code }) => [path, code])).toEqual([
      ['steps.0.config.when', 'unknown_variable'],
      ['steps.0.config.branches.0.when', 'unknown_variable'],
    ]);
  });

  it('arms are printed in schema order', () => {
    const steps = [{ config: { minutes: 1 }, type: 'wait' }];
    const all = [{ value: 1, op: 'gt', path: 'event.n' }, { not: { op: 'set', trait: 'x' } }];
    const asked = stepOrder(stepTypes)({ type: 'wait', config: { minutes: 1, when: { any: [{ all }] } } });
    expect(JSON.stringify(asked.config)).toBe(
      '{"when":{"any":[{"all":[{"path":"event.n","op":"gt","value":1},{"not":{"trait":"x","op":"set"}}]}]},"minutes":1}',
    );
    const given = branch({ else: { steps }, branches: [{ exit: true, steps, when: isPro, name: 'a' }], name: 'n' });
    expect(JSON.stringify(stepOrder(stepTypes)(given))).toBe(
      '{"type":"branch","config":{"name":"n","branches":[{"name":"a","when":{"trait":"plan","op":"eq","value":"pro"},' +
        '"steps":[{"type":"wait","config":{"minutes":1}}],"exit":true}],' +
        '"else":{"steps":[{"type":"wait","config":{"minutes":1}}]}}}',
    );
  });
});

describe('a split', () => {
  const split = (...weights: number[]) =>
    branch({ split: weights.map((weight, at) => ({ name: `${at}`, weight, steps: [mark(`m${at}`)] })) });
  const takenBy = async (step: StoredStep, userId: string, before: readonly StoredStep[] = []) => {
    const { passed } = await walk([...before, step], { userId });
    return passed[before.length]?.output?.['branch'];
  };

  it('a split takes the bucket of workflow, path and user every time', async () => {
    for (const userId of ['ann', 'bob', 'cid', 'dan', 'eve']) {
      const [first, second] = [bucketOf('workflow0', userId), bucketOf('workflow1', userId)];
      expect(await takenBy(split(50, 50), userId)).toBe(first < 50 ? '0' : '1');
      expect(await takenBy(split(50, 50), userId)).toBe(first < 50 ? '0' : '1');
      expect(await takenBy(split(50, 50), userId, [mark('x')])).toBe(second < 50 ? '0' : '1');
    }
  });

  it('a split is constant for an anonymous profile', async () => {
    const { passed } = await walk([split(50, 50)], { run: { person: 'a:device' } });
    expect(passed[0]?.output).toEqual({ branch: bucketOf('workflow0', 'device') < 50 ? '0' : '1' });
  });

  it('arms are taken as often as their weights, and weight 0 never', async () => {
    const counts = new Map<unknown, number>();
    for (let at = 0; at < 2_000; at += 1) {
      const taken = await takenBy(split(20, 0, 80), `user-${at}`);
      counts.set(taken, (counts.get(taken) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['0', '2']);
    // Five standard deviations.
    expect(Math.abs((counts.get('0') ?? 0) - 400)).toBeLessThan(90);
  });

  it('weights that do not sum to 100, too small weights, and else are rejected', () => {
    const arms = (...weights: number[]) => ({
      split: weights.map((weight, at) => ({ name: `${at}`, weight, steps: [] })),
    });
    expect(refused(arms(33.33, 33.33, 33.34))).toEqual({});
    expect(refused(arms(50, 49))).toEqual({ '0.config.split': ['their weights must sum to 100'] });
    expect(Object.keys(refused(arms(99.5, 0.5)))).toEqual(['0.config.split.1.weight']);
    expect(Object.keys(refused({ ...arms(100), else: { steps: [] } }))).toEqual(['0.config.else']);
    const twins = { split: [50, 50].map((weight) => ({ name: 'a', weight, steps: [] })) };
    expect(Object.keys(refused(twins))).toEqual(['0.config.split.1.name']);
  });
});

describe('the condition of a step', () => {
  const when = (condition: unknown, more: object = {}) => ({
    type: 'update_profile',
    config: { set: { x: 1 }, when: condition, ...more },
  });

  it('a step runs if its condition is true and is skipped otherwise', async () => {
    const passed = async (plan?: string) => (await walk([when(isPro), mark('after')], traits(plan))).passed;
    expect((await passed('pro')).map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(await passed('free')).toMatchObject([{ outcome: 'skipped', reason: 'condition' }, { outcome: 'ok' }]);
    expect(await passed()).toMatchObject([{ outcome: 'skipped' }, { outcome: 'ok' }]);
    const { run } = await walk([when(isPro, { onError: 'stop', saveAs: 's' })]);
    expect(run).toMatchObject({ outcome: 'ok', exitReason: null, context: {} });
  });

  it('a skipped branch skips all arms', async () => {
    const skipped = branch({ branches: [arm('a', { trait: 'plan', op: 'not_set' }, mark('x'))], when: isPro });
    expect((await walk([skipped, mark('after')])).paths).toEqual(['0', '1']);
  });

  it('the condition is evaluated after the delay, and not again after a wait', async () => {
    const wait = { type: 'wait', config: { minutes: 5, when: { path: 'user.timezone', op: 'not_set' } } };
    expect((await walk([{ ...wait, delayMinutes: 5 }])).passed).toMatchObject([
      { outcome: 'ok', at: '2026-03-01T10:05:00.000Z' },
    ]);
    const waited = await walk([wait], { profile: { timezone: 'UTC' }, run: { waitingSince: new Date(0) } });
    expect(waited.passed).toMatchObject([{ outcome: 'ok' }]);
  });

  it('all conditions of a list must be true', () => {
    const parsed = stepTypes.steps.parse([when([isPro, { trait: 'n', op: 'gt', value: 1 }])]);
    expect(parsed[0]?.config).toMatchObject({ when: { all: [isPro, { trait: 'n', op: 'gt', value: 1 }] } });
  });
});
