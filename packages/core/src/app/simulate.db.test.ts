import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../test/support/runs/runs-world.ts';
import { bucketOf } from '../foundation/ab-bucket.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const mail = { type: 'send_email', config: { subject: 'Hi {{trait.name}}', text: 't' } };
const push = { type: 'send_push', config: { title: 'Hi' } };
const edit = { type: 'update_profile', config: { set: { name: 'Lady' } } };

describe('simulation of a stored workflow', () => {
  let world: RunsWorld;
  let id: string;
  beforeAll(async () => {
    world = await openRuns();
    await world.define([mail, edit, push]);
    id = (await world.beckon.workflows.list(world.scope, {})).data[0]?.id ?? '';
    const traits = { name: 'Ada', email: 'ada@example.com' };
    await world.beckon.events.identify(world.scope, { userId: 'ada', traits });
    await world.beckon.tokens.register(world.scope, { token: 'fcm:1', platform: 'android', userId: 'ada' });
  });
  afterAll(() => world.close());

  const simulated = (input: Parameters<typeof world.beckon.workflows.simulate>[2], scope = world.scope) =>
    world.beckon.workflows.simulate(scope, id, input);

  it('a simulation uses stored profile and devices, and writes nothing', async () => {
    const { workflow, verdict, run, steps } = await simulated({ event: { userId: 'ada' } });
    expect([workflow, verdict, run?.startedAt]).toEqual([{ name: 'W', version: 1 }, 'started', world.clock.now()]);
    expect(steps).toMatchObject([
      { outcome: 'ok', send: { messages: [{ address: 'ada@example.com', content: { subject: 'Hi Ada' } }] } },
      { outcome: 'ok', changes: { name: 'Lady' } },
      { outcome: 'ok', send: { channel: 'push', messages: [{ address: 'fcm:1', status: 'queued' }] } },
    ]);
    expect(await world.beckon.worker.drain()).toBe(0);
    expect((await world.beckon.runs.list(world.scope)).data).toEqual([]);
    expect((await world.beckon.sends.list(world.scope, 'email')).data).toEqual([]);
    expect((await world.beckon.profiles.get(world.scope, 'ada')).traits['name']).toBe('Ada');
  });

  it("values of the simulation's input override stored ones", async () => {
    const user = { userId: 'ada', traits: { name: 'Eve' }, devices: [] };
    expect((await simulated({ event: {}, user })).steps).toMatchObject([
      { send: { messages: [{ address: 'ada@example.com', content: { subject: 'Hi Eve' } }] } },
      {},
      { outcome: 'suppressed', reason: 'no_token' },
    ]);
  });

  it('a simulation reports the result of each check, and a channel without provider', async () => {
    await world.beckon.suppressions.add(world.scope, 'email', { address: 'ada@example.com' });
    expect((await simulated({ event: { userId: 'ada' } })).steps[0]?.send?.messages).toMatchObject([
      { address: 'ada@example.com', status: 'suppressed', reason: expect.any(String), content: null },
    ]);
    const prod = await world.beckon.tenancy.scope({ ...world.scope, environment: 'prod' });
    const there = await simulated({ event: {}, user: { userId: 'x', email: 'x@example.com' } }, prod);
    expect(there.steps[0]).toMatchObject({ outcome: 'error', reason: 'provider_not_configured', send: null });
  });

  it("a simulation evaluates the trigger's segment with the input's traits", async () => {
    const { beckon, scope } = world;
    const inner = await beckon.audiences.create(scope, {
      name: 'Pro',
      predicate: { trait: 'plan', op: 'eq', value: 'pro' },
    });
    const list = await beckon.audiences.create(scope, { name: 'Beta' });
    const both = await beckon.audiences.create(scope, {
      name: 'Pro in beta',
      predicate: {
        all: [
          { audience: inner.id, op: 'in' },
          { audience: list.id, op: 'in' },
          { event: 'paid', op: 'performed' },
        ],
      },
    });
    await beckon.audiences.addMembers(scope, list.id, { userIds: ['ada'] });
    await beckon.events.track(scope, { module: 'm', eventType: 'paid', userId: 'ada' });
    const workflowFor = async (audienceId: string, name: string) => {
      const trigger = { eventType: 'seen', audienceId };
      const steps = [{ type: 'wait', config: { minutes: 1 } }] as const;
      return (await beckon.workflows.create(scope, { name, trigger, steps, isActive: true })).id;
    };
    const [dynamic, listed] = [await workflowFor(both.id, 'Dynamic'), await workflowFor(list.id, 'Listed')];
    const verdictOf = async (
      workflow: string,
      user: { userId: string; traits?: Record<string, unknown>; audiences?: string[] },
    ) => (await beckon.workflows.simulate(scope, workflow, { event: {}, user: { traits: {}, ...user } })).verdict;
    // The stored traits do not match, the input's do.
    expect(await verdictOf(dynamic, { userId: 'ada', traits: { plan: 'pro' } })).toBe('started');
    expect(await verdictOf(dynamic, { userId: 'ada' })).toBe('audience');
    expect(await verdictOf(dynamic, { userId: 'ada', audiences: [both.id] })).toBe('audience');
    expect(await verdictOf(dynamic, { userId: 'bob', traits: { plan: 'pro' }, audiences: [list.id] })).toBe('audience');
    expect(await verdictOf(listed, { userId: 'ada' })).toBe('started');
    expect(await verdictOf(listed, { userId: 'bob' })).toBe('audience');
    expect(await verdictOf(listed, { userId: 'bob', audiences: [list.id] })).toBe('started');
  });

  it("a simulation evaluates the trigger's segment in the input's default time zone, else in that of the settings", async () => {
    const { beckon, scope } = world;
    const zoned = await beckon.audiences.create(scope, {
      name: 'Before midnight',
      predicate: { trait: 'day', op: 'before', value: '2026-03-02T00:00:00Z', timezone: 'org' },
    });
    const named = await beckon.audiences.create(scope, { name: 'Named', predicate: { audience: zoned.id, op: 'in' } });
    const trigger = { eventType: 'zoned', audienceId: named.id };
    const steps = [{ type: 'wait', config: { minutes: 1 } }] as const;
    const workflow = await beckon.workflows.create(scope, { name: 'Zoned', trigger, steps, isActive: true });
    const user = { userId: 'eve', traits: { day: '2026-03-02' } };
    const verdictIn = async (timezone?: string) =>
      (await beckon.workflows.simulate(scope, workflow.id, { event: {}, user, ...(timezone && { timezone }) })).verdict;
    expect([await verdictIn(), await verdictIn('Asia/Tokyo')]).toEqual(['audience', 'started']);
    await beckon.settings.update(scope, 'push', { orgDefaultTimezone: 'Asia/Tokyo' });
    expect([await verdictIn(), await verdictIn('America/New_York')]).toEqual(['started', 'audience']);
    await beckon.settings.update(scope, 'push', { orgDefaultTimezone: null });
  });

  it('a simulation gives a user the variant of their bucket, and names it', async () => {
    const { beckon, scope } = world;
    const variants = [
      { key: 'short', subject: 'Short', weight: 50 },
      { key: 'long', subject: 'Long {{trait.name}}', weight: 50 },
    ];
    const test = await beckon.abTests.create(scope, 'email', { name: 'Subject', variants });
    const step = { type: 'send_email', config: { subject: 'Own', text: 't', abTestId: test.id } } as const;
    const trigger = { eventType: 'tested' };
    const { id: workflow } = await beckon.workflows.create(scope, { name: 'Tested', trigger, steps: [step] });
    const sendTo = async (userId: string) => {
      const user = { userId, traits: { name: userId }, email: `${userId}@example.com` };
      const [only] = (await beckon.workflows.simulate(scope, workflow, { event: {}, user })).steps;
      return only?.send;
    };
    for (const userId of ['u1', 'u2', 'u3', 'u4']) {
      const variant = bucketOf(test.id, userId) < 50 ? 'short' : 'long';
      const subject = variant === 'short' ? 'Short' : `Long ${userId}`;
      expect(await sendTo(userId)).toMatchObject({ abTestId: test.id, variant, messages: [{ content: { subject } }] });
    }
    await beckon.abTests.update(scope, 'email', test.id, { status: 'paused' });
    expect(await sendTo('u1')).toMatchObject({ variant: null, messages: [{ content: { subject: 'Own' } }] });
  });

  it('a simulation at a time that no database stores is rejected', async () => {
    for (const now of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])
      await expect(simulated({ event: { userId: 'ada' }, now })).rejects.toMatchObject({
        details: { fieldErrors: { now: [expect.any(String)] } },
      });
  });

  it('a simulation of an unknown workflow, or without a user, is rejected', async () => {
    const { simulate } = world.beckon.workflows;
    await expect(simulate(world.scope, NOBODY, { event: { userId: 'ada' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(simulated({ event: {} })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
