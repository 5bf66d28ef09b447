import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../test/support/webhooks/receiver.ts';
import { openWorld, type World } from '../../test/support/webhooks/world.ts';
import type { Beckon } from '../app/api.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { LEASE_MS } from '../jobs/registration.ts';

/** Calls at once to one receiver, and deliveries that wait for it. */
const CALLS = 8;
const DELIVERIES = 20;
/** Only ends a test that hangs. */
const NEVER_MS = 600_000;

describe.each(['webhook', 'webhook step'] as const)('a worker whose %s receiver hangs', (kind) => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let world: World;
  let answer: Answer;
  let [first, second]: readonly Beckon[] = [];

  beforeEach(async () => {
    clock.set('2026-03-01T10:00:00.000Z');
    vi.clearAllMocks();
    answer = null;
    world = await openWorld(clock, () => answer);
    const { beckon, receiver, masterKey, open } = world;
    const { orgId, projectId } = world.scope;
    const scope: Scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    if (kind === 'webhook') await beckon.webhooks.create(scope, { url: receiver.url, events: ['user.identified'] });
    else
      await beckon.workflows.create(scope, {
        name: 'Posts',
        description: null,
        isActive: true,
        trigger: { eventType: 'asked' },
        steps: [{ type: 'webhook', config: { url: receiver.url } }],
      });
    for (let at = 0; at < DELIVERIES; at += 1) {
      if (kind === 'webhook') await beckon.events.identify(scope, { userId: `u${at}`, traits: { plan: 'pro' } });
      else await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: `u${at}`, properties: {} });
    }
    [first, second] = [await open(masterKey, { log }), await open(masterKey)];
    first.worker.start();
    await vi.waitFor(() => expect(world.receiver.got).toHaveLength(CALLS));
    await vi.waitFor(async () => expect(await rows()).toHaveLength(DELIVERIES));
    // The first worker has claimed all of them.
    await vi.waitFor(async () => expect((await rows()).every(({ leaseUntil }) => leaseUntil !== null)).toBe(true));
  });
  afterEach(() => world.close());

  const rows = () => world.database.storage.db.select().from(world.database.tables.webhookDeliveries);
  const counted = async () =>
    Object.fromEntries(
      Object.entries(Object.groupBy(await rows(), ({ status, attempts }) => `${status} ${attempts}`)).map(
        ([name, list]) => [name, list?.length],
      ),
    );
  const posted = () => world.receiver.got.map(({ headers }) => headers['webhook-id']);
  const logged = (lines: readonly (readonly unknown[])[]) =>
    lines.filter(([fields]) => typeof fields === 'object' && fields && 'work' in fields && fields.work === 'webhooks');

  it('a draining worker releases deliveries that it has not posted, and posts nothing twice', async () => {
    expect(await second?.worker.drain()).toBe(0);
    const stopped = first?.worker.stop({ timeoutMs: NEVER_MS });
    answer = { status: 200 };
    // No time passes: another worker need not wait for any lease.
    await vi.waitFor(async () => {
      await second?.worker.drain();
      expect(await counted()).toEqual({ 'delivered 1': DELIVERIES - CALLS, 'pending 0': CALLS });
    });
    await world.receiver.close();
    await stopped;
    expect(await counted()).toEqual({ 'delivered 1': DELIVERIES - CALLS, 'pending 1': CALLS });
    expect(new Set(posted()).size).toBe(DELIVERIES);
    expect(posted()).toHaveLength(DELIVERIES);
    expect(logged(log.info.mock.calls)).toEqual([
      [{ work: 'webhooks', rows: DELIVERIES - CALLS }, 'work that had not begun was given back'],
    ]);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('a stopped worker keeps the leases of aborted posts and logs their number', async () => {
    await first?.worker.stop({ timeoutMs: 1 });
    expect(logged(log.warn.mock.calls)).toEqual([
      [{ work: 'webhooks', rows: CALLS }, expect.stringContaining('cut off at the time limit')],
    ]);
    answer = { status: 200 };
    await second?.worker.drain();
    expect(await counted()).toEqual({ 'delivered 1': DELIVERIES - CALLS, 'pending 0': CALLS });
    clock.advance(LEASE_MS - 1);
    await second?.worker.drain();
    expect(posted()).toHaveLength(DELIVERIES);
    clock.advance(1);
    await second?.worker.drain();
    expect(await counted()).toEqual({ 'delivered 1': DELIVERIES });
    expect(new Set(posted()).size).toBe(DELIVERIES);
  });
});
