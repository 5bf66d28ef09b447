import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';

const mark = (set: Record<string, unknown>, more: object = {}) => ({
  type: 'update_profile',
  config: { set, ...more },
});
const isPro = { trait: 'plan', op: 'eq', value: 'pro' };

describe('runs with conditions, arms and waits', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const passed = async () => (await world.run()).steps.map(({ path, outcome, reason }) => [path, outcome, reason]);

  it("a run enters its user's arm, waits in their zone and reads saved outputs", async () => {
    const { beckon, scope, clock } = world;
    await beckon.settings.update(scope, 'push', { orgDefaultTimezone: 'America/New_York' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro', phone: '+14155550199' } });
    const office = { from: '09:00', to: '17:00', days: ['mon'] };
    const inArm = [
      { type: 'send_sms', config: { body: 'Hi', saveAs: 'text' } },
      { type: 'wait', config: { window: office } },
      mark({ sent: '{{steps.text.sendId}}' }),
      { type: 'send_sms', config: { body: 'It was {{steps.text.sendId}}' } },
    ];
    const branch = {
      type: 'branch',
      config: {
        branches: [
          { name: 'none', when: { not: isPro }, steps: [mark({ never: 1 })] },
          { name: 'pro', when: [isPro, { path: 'event.what', op: 'eq', value: 'news' }], steps: inArm, exit: true },
        ],
      },
    };
    await world.start([mark({ skipped: 1 }, { when: { path: 'event.gone', op: 'set' } }), branch, mark({ never: 2 })]);
    await beckon.worker.drain();
    // Sunday, five in the morning in New York.
    expect(await world.run()).toMatchObject({
      status: 'waiting',
      cursor: '1.1.1',
      next_step_at: new Date('2026-03-02T14:00:00.000Z'),
    });
    clock.advance(28 * 3_600_000);
    await beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: 'branch_exit' });
    expect(await passed()).toEqual([
      ['0', 'skipped', 'condition'],
      ['1', 'ok', null],
      ['1.1.0', 'ok', null],
      ['1.1.1', 'ok', null],
      ['1.1.2', 'ok', null],
      ['1.1.3', 'ok', null],
    ]);
    const { steps, context } = await world.run();
    const sendId = steps[2]?.sendId ?? 'none';
    expect(context).toEqual({ text: { sendId } });
    expect(steps[1]?.output).toEqual({ branch: 'pro' });
    expect((await beckon.profiles.get(scope, 'ann')).traits).toMatchObject({ sent: sendId });
    const { data } = await beckon.outbox.list(scope);
    expect(data.map(({ content }) => unchecked(content)).map(({ body }) => body)).toEqual([`It was ${sendId}`, 'Hi']);
  });

  it('a retry continues at the failed step within an arm, with earlier outputs', async () => {
    const { beckon, scope } = world;
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro', phone: '+14155550199' } });
    const mail = { to: '{{trait.address}}', subject: 's', text: 't', onError: 'stop' };
    const steps = [
      { type: 'send_sms', config: { body: 'Hi', saveAs: 'text' } },
      { type: 'send_email', config: { ...mail, when: { path: 'steps.text.sendId', op: 'set' } } },
      mark({ sent: '{{steps.text.sendId}}' }),
    ];
    await world.start([{ type: 'branch', config: { branches: [{ name: 'pro', when: isPro, steps }] } }]);
    await beckon.worker.drain();
    const failed = await world.run();
    expect(failed).toMatchObject({
      status: 'completed',
      outcome: 'error',
      exitReason: 'on_error_stop',
      cursor: '0.0.1',
    });
    await beckon.events.identify(scope, { userId: 'ann', traits: { address: 'ann@example.com', plan: 'free' } });
    await beckon.runs.retry(scope, failed.id);
    await beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', exitReason: null });
    expect(await passed()).toEqual([
      ['0', 'ok', null],
      ['0.0.0', 'ok', null],
      ['0.0.1', 'error', 'invalid_address'],
      ['0.0.1', 'ok', null],
      ['0.0.2', 'ok', null],
    ]);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toMatchObject({
      sent: (await world.run()).steps[1]?.sendId,
    });
  });

  it('conditions read memberships and event counts', async () => {
    const { beckon, scope, clock } = world;
    const { id } = await beckon.audiences.create(scope, { name: 'Friends' });
    await beckon.audiences.addMembers(scope, id, { userIds: ['ann'] });
    const ordered = { event: 'ordered', op: 'performed' };
    const large = { path: 'total', op: 'gte', value: 100 };
    const arm = (name: string, when: unknown) => ({ name, when, steps: [] });
    const asks = (...branches: readonly unknown[]) => ({ type: 'branch', config: { branches } });
    const steps = [
      asks(arm('friend', { audience: id, op: 'in' })),
      asks(arm('stranger', { audience: id, op: 'not_in' })),
      asks(arm('of nothing', { audience: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', op: 'not_in' })),
      asks(arm('never', { event: 'ordered', op: 'not_performed' }), arm('once', { ...ordered, count: { lte: 1 } })),
      asks(
        arm('lately', { ...ordered, within: { n: 1, unit: 'days' } }),
        arm('twice', { ...ordered, count: { gte: 2 } }),
      ),
      asks(arm('much', { ...ordered, where: [large] })),
      mark(
        { large: 1 },
        {
          when: {
            all: [
              { ...ordered, where: [large] },
              { audience: id, op: 'in' },
            ],
          },
        },
      ),
    ];
    const taken = async (userId: string) => {
      await beckon.worker.drain();
      const { steps: done } = await world.run(userId);
      return done.map(({ outcome, output }) => output?.['branch'] ?? outcome);
    };
    const order = (userId: string, total: number) =>
      beckon.events.track(scope, { module: 'm', eventType: 'ordered', userId, properties: { total } });
    await world.define(steps);
    await order('ann', 5);
    clock.advance(2 * 86_400_000);
    await world.trigger({ userId: 'ann' });
    expect(await taken('ann')).toEqual(['friend', 'ok', 'ok', 'once', 'ok', 'ok', 'skipped']);
    await order('ann', 200);
    await world.trigger({ userId: 'ann' });
    expect(await taken('ann')).toEqual(['friend', 'ok', 'ok', 'ok', 'lately', 'much', 'ok']);
    await world.trigger({ userId: 'bob' });
    expect(await taken('bob')).toEqual(['ok', 'stranger', 'ok', 'never', 'ok', 'ok', 'skipped']);
  });

  it('invalid steps are rejected with their path, within arms too, by import and update', async () => {
    const { beckon, scope } = world;
    const wrong = { type: 'wait', config: { window: { from: '9', to: '17:00' } } };
    const arms = [{ name: 'a', when: isPro, steps: [mark({ x: 1 }), wrong] }];
    const steps = unchecked([mark({ x: 1 }), { type: 'branch', config: { branches: arms } }]);
    const at = 'steps.1.config.branches.0.steps.1.config.window.from';
    await expect(world.define(steps)).rejects.toMatchObject({
      details: { fieldErrors: { [`workflows.0.${at}`]: [expect.any(String)] } },
    });
    await world.define([]);
    const [one] = (await beckon.workflows.list(scope)).data;
    await expect(beckon.workflows.update(scope, one?.id ?? '', { steps })).rejects.toMatchObject({
      details: { fieldErrors: { [at]: [expect.any(String)] } },
    });
  });
});
