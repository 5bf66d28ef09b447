import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from './runs/testing/runs-world.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const mail = { type: 'send_email', config: { subject: 'Hi {{trait.name}}', text: 't' } };
const push = { type: 'send_push', config: { title: 'Hi' } };
const edit = { type: 'update_profile', config: { set: { name: 'Lady' } } };

describe('a simulation of a stored workflow', () => {
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

  it('is over the profile and the devices that there are, and leaves nothing behind', async () => {
    const { workflow, verdict, run, steps } = await simulated({ event: { userId: 'ada' } });
    expect([workflow, verdict, run?.startedAt]).toEqual([{ name: 'W', version: 1 }, 'started', world.clock.now()]);
    expect(steps).toMatchObject([
      { outcome: 'ok', send: { messages: [{ address: 'ada@example.com', content: { subject: 'Hi Ada' } }] } },
      { outcome: 'ok', changes: { name: 'Lady' } },
      { outcome: 'ok', send: { channel: 'push', messages: [{ address: 'fcm:1', status: 'queued' }] } },
    ]);
    expect(await world.beckon.worker.drain()).toBe(0);
    expect((await world.beckon.workflows.listRuns(world.scope)).data).toEqual([]);
    expect((await world.beckon.sends.list(world.scope, 'email')).data).toEqual([]);
    expect((await world.beckon.profiles.get(world.scope, 'ada')).traits['name']).toBe('Ada');
  });

  it('has what is given of the person over what is stored', async () => {
    const user = { userId: 'ada', traits: { name: 'Eve' }, devices: [] };
    expect((await simulated({ event: {}, user })).steps).toMatchObject([
      { send: { messages: [{ address: 'ada@example.com', content: { subject: 'Hi Eve' } }] } },
      {},
      { outcome: 'suppressed', reason: 'no_token' },
    ]);
  });

  it('says what gates would say, and that a channel has no provider', async () => {
    await world.beckon.suppressions.add(world.scope, 'email', { address: 'ada@example.com' });
    expect((await simulated({ event: { userId: 'ada' } })).steps[0]?.send?.messages).toMatchObject([
      { address: 'ada@example.com', status: 'suppressed', reason: expect.any(String), content: null },
    ]);
    const prod = await world.beckon.tenancy.scope({ ...world.scope, environment: 'prod' });
    const there = await simulated({ event: {}, user: { userId: 'x', email: 'x@example.com' } }, prod);
    expect(there.steps[0]).toMatchObject({ outcome: 'error', reason: 'provider_not_configured', send: null });
  });

  it('is refused for a workflow that there is not, and for nobody', async () => {
    const { simulate } = world.beckon.workflows;
    await expect(simulate(world.scope, NOBODY, { event: { userId: 'ada' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(simulated({ event: {} })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
