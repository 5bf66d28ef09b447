import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Death, MOMENTS, openAndDie, throwingObserver } from '../../../test/support/events/die.ts';
import { openWatching, type Watching, workflowOn } from '../../../test/support/events/watching.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import { LEASE_MS } from '../../jobs/registration.ts';

describe('raised events', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  /** Stores a send and its message that reached ann's device. */
  const pushed = async (scope: Scope, body: Readonly<Record<string, unknown>> = {}) => {
    const { beckon } = world;
    await beckon.tokens.register(scope, { token: `fcm:${scope.projectId}`, platform: 'android', userId: 'ann' });
    const sent = await beckon.push.send(scope, { userIds: ['ann'], title: 'Hello', ...body });
    if ('dryRun' in sent) throw new Error('this was a dry run');
    await beckon.worker.drain();
    const [message] = (await beckon.sends.messages(scope, 'push', sent.id)).data;
    return { sendId: sent.id, messageId: message?.id ?? '' };
  };
  const due = () => world.database.storage.db.select().from(world.database.tables.raisedEvents);
  const traitsOf = async (scope: Scope, userId = 'ann') => (await world.beckon.profiles.get(scope, userId)).traits;

  it('a raised event starts each subscribed workflow once, with its properties', async () => {
    const filtered = { ...workflowOn('push.clicked'), name: 'Buyers' };
    const scope = await world.project(
      workflowOn('push.opened'),
      { ...workflowOn('push.opened'), name: 'Another' },
      { ...filtered, trigger: { eventType: 'push.clicked', filters: { clickAction: 'buy' } } },
    );
    const { sendId, messageId } = await pushed(scope);
    await world.beckon.push.trackOpen(scope, { sendId, messageId, clickAction: 'later' });
    await world.beckon.worker.drain();
    const runs = await world.runs(scope);
    expect(runs.map(({ workflowName, depth, status, userId }) => [workflowName, depth, status, userId])).toEqual([
      ['On push.opened', 0, 'completed', 'ann'],
      ['Another', 0, 'completed', 'ann'],
    ]);
    expect(runs[0]?.triggerEvent).toMatchObject({
      eventType: 'push.opened',
      module: 'push',
      properties: { sendId, messageId },
      userId: 'ann',
    });
    expect(await due()).toEqual([]);
    await world.beckon.push.trackOpen(scope, { sendId, messageId, clickAction: 'buy' });
    await world.beckon.worker.drain();
    expect((await world.runs(scope)).map(({ workflowName }) => workflowName).toSorted()).toEqual([
      'Another',
      'Another',
      'Buyers',
      'On push.opened',
      'On push.opened',
    ]);
  });

  it('an event without subscribers writes no due row and costs no statement', async () => {
    const scope = await world.project(workflowOn('asked'));
    const { sendId, messageId } = await pushed(scope);
    world.statements.length = 0;
    await world.beckon.push.trackOpen(scope, { sendId, messageId });
    await world.beckon.worker.drain();
    expect(world.statements.filter((id) => id === 'events.raise' || id === 'events.end_raised')).toEqual([]);
    world.statements.length = 0;
    await world.beckon.events.track(scope, { module: 'm', eventType: 'seen', userId: 'ann' });
    expect(world.statements).not.toContain('events.raise');
  });

  it('an identify call raises no second event and starts its workflows once', async () => {
    const scope = await world.project(workflowOn('user.identified'));
    await world.beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } });
    await world.beckon.worker.drain();
    expect(await world.runs(scope)).toHaveLength(1);
    expect(await traitsOf(scope)).toEqual({ plan: 'pro', 'seen user.identified': 1 });
  });

  it('a client event with a cataloged name starts workflows, and nothing is raised for it', async () => {
    const scope = await world.project(workflowOn('push.opened'));
    await world.beckon.events.track(scope, { module: 'app', eventType: 'push.opened', userId: 'ann' });
    expect(await due()).toEqual([]);
    await world.beckon.worker.drain();
    expect(await world.runs(scope)).toHaveLength(1);
    const { data } = await world.beckon.profiles.events(scope, 'ann');
    expect(data.map(({ eventType, source, module }) => [eventType, source, module])).toEqual([
      ['push.opened', 'customer', 'app'],
    ]);
  });

  it('a raised event belongs to the user into which its profile was merged meanwhile', async () => {
    const scope = await world.project(workflowOn('push.token_invalidated'));
    const { storage, tables } = world.database;
    const at = world.clock.now();
    await storage.db.insert(tables.raisedEvents).values({
      ...scopeOf(scope),
      id: derivedId(at, 'a token of somebody anonymous'),
      person: 'a:a1',
      module: 'push',
      eventType: 'push.token_invalidated',
      properties: {},
      depth: 0,
      runBudget: 10_000,
      raisedAt: at,
      dueAt: at,
      fence: 0,
    });
    await world.beckon.events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: {} });
    await world.beckon.worker.drain();
    expect((await world.runs(scope)).map(({ userId }) => userId)).toEqual(['ann']);
    expect(await traitsOf(scope)).toEqual({ 'seen push.token_invalidated': 1 });
  });

  it('several workers process a raised event once', async () => {
    const scope = await world.project(workflowOn('push.opened'));
    const { sendId, messageId } = await pushed(scope);
    const workers = [world.beckon, await world.start(), await world.start(), await world.start()];
    const OPENS = 40;
    for (let at = 0; at < OPENS; at += 1) await world.beckon.push.trackOpen(scope, { sendId, messageId });
    await Promise.all(workers.map((one) => one.worker.drain()));
    await world.beckon.worker.drain();
    const runs = await world.runs(scope);
    expect(runs).toHaveLength(OPENS);
    expect(new Set(runs.map(({ triggerEventId }) => triggerEventId)).size).toBe(OPENS);
    expect(await due()).toEqual([]);
  });
});

describe('a raised event when its process dies', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  /** Starting a process is slow, so one case is a real kill and the others throw. */
  const dies = async (death: Death): Promise<() => void> => {
    if (death.moment === 'taken') {
      expect(await openAndDie(death)).toBe('SIGKILL');
      return () => undefined;
    }
    const { observer, died, end } = throwingObserver(death.moment);
    const dying = await world.start({}, observer);
    const act = async (): Promise<void> => {
      await dying.push.trackOpen(await dying.tenancy.scope(death.scope), death);
      await dying.worker.drain();
      throw new Error('it lives');
    };
    // Later calls of this engine are rejected.
    act().catch(() => undefined);
    await died;
    return end;
  };

  it.for(MOMENTS)('a raised event starts its workflow once when the process is killed at: %s', async (moment) => {
    const { beckon, clock, database, masterKey } = world;
    const scope = await world.project(workflowOn('push.opened'));
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    const sent = await beckon.push.send(scope, { userIds: ['ann'], title: 'Hello' });
    if ('dryRun' in sent) throw new Error('this was a dry run');
    await beckon.worker.drain();
    const [message] = (await beckon.sends.messages(scope, 'push', sent.id)).data;
    const about = { url: database.url, masterKey, scope, sendId: sent.id, messageId: message?.id ?? '' };
    const end = await dies({ ...about, now: clock.now().getTime(), moment });
    const left = await database.storage.db.select().from(database.tables.raisedEvents);
    expect(left).toHaveLength(moment === 'taken' ? 0 : 1);
    expect(await world.runs(scope)).toHaveLength(moment === 'taken' ? 1 : 0);
    clock.advance(LEASE_MS);
    await beckon.worker.drain();
    expect((await world.runs(scope)).map(({ status }) => status)).toEqual(['completed']);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({ 'seen push.opened': 1 });
    expect(await database.storage.db.select().from(database.tables.raisedEvents)).toEqual([]);
    end();
  });
});

describe('a workflow that triggers itself', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  it.for(['workflow.run_started', 'workflow.run_completed', 'workflow.step_executed'])(
    'a run that triggers itself by %s stops at depth 10 and its step says so',
    async (name) => {
      const scope = await world.project(workflowOn(name), { ...workflowOn('go'), name: 'First' });
      await world.beckon.events.track(scope, { module: 'm', eventType: 'go', userId: 'ann' });
      await world.beckon.worker.drain();
      const runs = await world.runs(scope);
      expect(runs.map(({ depth }) => depth)).toEqual(Array.from({ length: 11 }, (_, depth) => depth));
      expect(runs.slice(0, -1).every(({ status, outcome }) => status === 'completed' && outcome === 'ok')).toBe(true);
      const last = await world.beckon.runs.get(scope, runs.at(-1)?.id ?? '');
      expect(last).toMatchObject({
        status: 'failed',
        outcome: 'error',
        error: 'depth_exceeded',
        completedAt: world.clock.now(),
        next_step_at: null,
        steps: [{ path: '0', type: 'update_profile', outcome: 'error', reason: 'depth_exceeded' }],
      });
      expect((await world.beckon.profiles.get(scope, 'ann')).traits).toEqual({ 'seen go': 1, [`seen ${name}`]: 9 });
    },
  );
});

describe('events of a run', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  it('a run raises run_started, one step_executed per step and run_completed', async () => {
    const names = ['workflow.run_started', 'workflow.step_executed', 'workflow.run_completed'];
    // Filtered by the other workflow's name, so that these workflows do not trigger each other.
    const watch = (name: string) => ({
      ...workflowOn(name),
      trigger: { eventType: name, filters: { workflowName: 'First' } },
    });
    const steps = [
      { type: 'update_profile', config: { set: { a: 1 } } },
      { type: 'send_push', config: { title: 'Hello' } },
    ];
    const scope = await world.project(...names.map(watch), { ...workflowOn('go', steps), name: 'First' });
    await world.beckon.events.track(scope, { module: 'm', eventType: 'go', userId: 'ann' });
    await world.beckon.worker.drain();
    const runs = await world.runs(scope);
    const first = runs.find(({ workflowName }) => workflowName === 'First');
    const told = runs
      .filter(({ depth }) => depth === 1)
      .map(({ triggerEvent: { eventType, properties } }) => [eventType, properties]);
    const about = { runId: first?.id, workflowId: first?.workflowId, workflowName: 'First' };
    const one = { path: '0', type: 'update_profile', outcome: 'ok' };
    const two = { path: '1', type: 'send_push', outcome: 'suppressed', reason: 'no_token' };
    expect(told).toHaveLength(4);
    expect(told).toEqual(
      expect.arrayContaining([
        ['workflow.run_started', { ...about, triggerEventId: first?.triggerEventId }],
        ['workflow.step_executed', { ...about, ...one, attempt: 1 }],
        ['workflow.step_executed', { ...about, ...two, attempt: 1, sendId: expect.any(String) }],
        ['workflow.run_completed', { ...about, status: 'completed', outcome: 'ok', steps: [one, two] }],
      ]),
    );
  });
});
