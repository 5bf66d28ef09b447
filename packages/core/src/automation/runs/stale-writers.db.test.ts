import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import { LEASE_MS } from '../../jobs/registration.ts';

const adds = { type: 'update_profile', config: { increment: { count: 1 } } };
const wait = { type: 'wait', config: { minutes: 1 } };

describe('a worker that steps runs late', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const countOf = async (userId = 'ann') => (await world.beckon.profiles.get(world.scope, userId)).traits['count'];
  /** A worker that does one thing at a time, beside the service's own. */
  const slow = () => world.hand();

  it('writes nothing of a run that another worker has by now, which goes on with it', async () => {
    await world.start([adds, wait, adds]);
    const late = await slow().claimAndHandle();
    world.clock.advance(LEASE_MS);
    const other = await slow().claimAndHandle();
    await slow().commit(late);
    expect(await world.run()).toMatchObject({ status: 'running', cursor: '0', steps: [] });
    await slow().commit(other);
    expect(await world.run()).toMatchObject({ status: 'running', cursor: '1', steps: [{ path: '0' }] });
    expect(await countOf()).toBe(1);
  });

  it('writes nothing of a run that went on without it', async () => {
    await world.start([adds, wait, adds]);
    const late = await slow().claimAndHandle();
    world.clock.advance(LEASE_MS);
    await world.beckon.worker.drain();
    const stepped = await world.run();
    expect(stepped).toMatchObject({ status: 'waiting', cursor: '1', steps: [{ path: '0' }] });
    await slow().commit(late);
    expect(await world.run()).toEqual(stepped);
    expect(await countOf()).toBe(1);
  });

  it('writes a step once, also when it did not hear that it was written', async () => {
    await world.start([adds, adds]);
    const worker = slow();
    const outcomes = await worker.claimAndHandle();
    await worker.commit(outcomes);
    const stepped = await world.run();
    expect(stepped).toMatchObject({ cursor: '1', steps: [{ path: '0' }] });
    await worker.commit(outcomes);
    expect(await world.run()).toEqual(stepped);
    expect(await countOf()).toBe(1);
  });

  it("writes nothing of a run that has become the user's meanwhile, and the user is stepped instead", async () => {
    await world.start([adds], { anonymousId: 'visitor' });
    const late = await slow().claimAndHandle();
    await world.beckon.events.identify(world.scope, { userId: 'ann', anonymousId: 'visitor', traits: { count: 10 } });
    await slow().commit(late);
    expect(await world.run()).toMatchObject({ userId: 'ann', status: 'running', cursor: '0', steps: [] });
    expect(await countOf()).toBe(10);
    world.clock.advance(LEASE_MS);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ userId: 'ann', status: 'completed', steps: [{ path: '0' }] });
    expect(await countOf()).toBe(11);
  });

  it('writes all the runs of its batch but the one that it has lost', async () => {
    await world.define([adds, wait]);
    for (const userId of ['ann', 'bob', 'eve']) await world.trigger({ userId });
    const worker = slow();
    const late = await worker.claimAndHandle();
    await world.claimedAnew('bob');
    await worker.commit(late);
    const cursors = await Promise.all(['ann', 'bob', 'eve'].map(async (userId) => (await world.run(userId)).cursor));
    expect(cursors).toEqual(['1', '0', '1']);
    const counts = await Promise.all(['ann', 'eve'].map((userId) => countOf(userId)));
    expect(counts).toEqual([1, 1]);
    expect((await world.run('bob')).steps).toEqual([]);
  });

  it('plans a step anew whose person changed meanwhile, and loses neither change', async () => {
    await world.start([adds]);
    await world.beckon.events.identify(world.scope, { userId: 'ann', traits: { count: 1 } });
    const worker = world.hand({
      beforeCommit: async (tries) => {
        if (tries <= 3)
          await world.beckon.events.identify(world.scope, { userId: 'ann', traits: { count: 10 * tries, by: tries } });
      },
    });
    await worker.commit(await worker.claimAndHandle());
    expect(await world.run()).toMatchObject({ status: 'completed', steps: [{ path: '0', outcome: 'ok' }] });
    expect((await world.beckon.profiles.get(world.scope, 'ann')).traits).toEqual({ count: 31, by: 3 });
  });

  it('gives up planning for a person who changes all the time, and writes nothing', async () => {
    await world.start([adds]);
    const worker = world.hand({
      beforeCommit: async (tries) => {
        await world.beckon.events.identify(world.scope, { userId: 'ann', traits: { count: 10 * tries } });
      },
    });
    const outcomes = await worker.claimAndHandle();
    await expect(worker.commit(outcomes)).rejects.toThrow('change faster than a step is planned');
    expect(await world.run()).toMatchObject({ status: 'running', cursor: '0', steps: [] });
  });

  it('ends a run that it gives up as failed, with the reason', async () => {
    await world.start([adds, adds]);
    await world.hand().giveUp('threw');
    expect(await world.run()).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: 'threw',
      next_step_at: null,
      completedAt: world.clock.now(),
    });
    expect(await world.beckon.worker.drain()).toBe(0);
  });
});

describe('a run of somebody anonymous', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const mail = { type: 'send_email', config: { subject: 's', text: 'Hi {{trait.name}}' } };
  const become = (userId: string) =>
    world.beckon.events.identify(world.scope, {
      userId,
      anonymousId: 'visitor',
      traits: { email: `${userId}@example.com`, name: userId },
    });

  it('goes on as the user that they turn out to be, who is written to', async () => {
    const begun = await world.start([mail, wait, mail, adds], { anonymousId: 'visitor' });
    await world.beckon.worker.drain();
    const [run] = (await world.beckon.runs.list(world.scope)).data;
    expect(run).toMatchObject({ userId: null, anonymousId: 'visitor', status: 'waiting', triggerEventId: begun.id });
    await become('ann');
    world.clock.advance(60_000);
    await world.beckon.worker.drain();
    const [one, ...others] = (await world.beckon.runs.list(world.scope)).data;
    expect([one?.id, others]).toEqual([run?.id, []]);
    expect(await world.run('ann')).toMatchObject({
      userId: 'ann',
      anonymousId: null,
      status: 'completed',
      outcome: 'ok',
    });
    expect((await world.run('ann')).steps.map(({ path, outcome, reason }) => [path, outcome, reason])).toEqual([
      ['0', 'suppressed', 'no_address'],
      ['1', 'ok', null],
      ['2', 'ok', null],
      ['3', 'ok', null],
    ]);
    expect((await world.beckon.outbox.list(world.scope)).data).toMatchObject([
      { address: 'ann@example.com', userId: 'ann', content: { text: 'Hi ann' } },
    ]);
    expect((await world.beckon.profiles.get(world.scope, 'ann')).traits).toMatchObject({ count: 1 });
  });

  it('stays theirs where it was over before', async () => {
    await world.start([adds], { anonymousId: 'visitor' });
    await world.beckon.worker.drain();
    await become('ann');
    expect((await world.beckon.runs.list(world.scope)).data).toMatchObject([
      { userId: null, anonymousId: 'visitor', status: 'completed' },
    ]);
  });
});
