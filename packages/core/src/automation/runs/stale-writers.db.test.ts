import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';
import { LEASE_MS } from '../../jobs/registration.ts';

const adds = { type: 'update_profile', config: { increment: { count: 1 } } };
const wait = { type: 'wait', config: { minutes: 1 } };

describe('workers with a lost lease', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const countOf = async (userId = 'ann') => (await world.beckon.profiles.get(world.scope, userId)).traits['count'];
  /** A worker that does one thing at a time, beside the service's own. */
  const slow = () => world.hand();

  it('a worker writes nothing of a run that another worker claimed', async () => {
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

  it('a worker writes nothing of a run that continued without it', async () => {
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

  it('a step is written once even if the answer to its commit is lost', async () => {
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

  it('a run merged meanwhile is not written but stepped again for the user', async () => {
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

  it('a worker writes all runs of its batch except the lost one', async () => {
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

  it('a concurrently changed profile repeats the plan, and both changes are kept', async () => {
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

  it('planning stops for a profile that changes all the time, and nothing is written', async () => {
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

  it('a dead-lettered run fails with the reason', async () => {
    await world.start([adds, adds]);
    await world.hand().deadLetter('threw');
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

describe('runs of anonymous profiles', () => {
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

  it('a run continues for the user into which its profile was merged', async () => {
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

  it('an ended run keeps its anonymous profile', async () => {
    await world.start([adds], { anonymousId: 'visitor' });
    await world.beckon.worker.drain();
    await become('ann');
    expect((await world.beckon.runs.list(world.scope)).data).toMatchObject([
      { userId: null, anonymousId: 'visitor', status: 'completed' },
    ]);
  });
});
