import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopeLike } from '../../../../test/support/scopes.ts';
import {
  addresses,
  draftTo,
  numbered,
  openWorld,
  PROD,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';

describe('delivery health', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const idle = {
    windowMinutes: 60,
    sent: 0,
    failed: 0,
    retrying: 0,
    failureRate: 0,
    byReason: {},
    byPlatform: {},
    byProvider: {},
    tokensInvalidated: 0,
    oldestQueuedAgeSeconds: 0,
    openCircuits: [],
    status: 'ok',
  };

  it('health without messages is ok', async () => {
    for (const channel of ['push', 'email', 'sms'] as const)
      expect(await world.sending.sends.health(TEST, channel)).toEqual(idle);
  });

  it('health has the reasons, platforms and providers of the last hour', async () => {
    world.tokens.set('ann', [
      { address: 'sandbox-dead-1', name: null, facts: { platform: 'ios' } },
      { address: 'a1', name: null, facts: { platform: 'ios' } },
      { address: 'sandbox-reject', name: null, facts: { platform: 'android' } },
      { address: 'a2', name: null, facts: { platform: 'android' } },
    ]);
    await world.accept(TEST, { ...draftTo(users('ann', 'nobody')), channel: 'push' });
    await world.drain();
    expect(await world.sending.sends.health(TEST, 'push')).toEqual({
      ...idle,
      sent: 2,
      failed: 2,
      failureRate: 0.5,
      byReason: { sandbox_dead: 1, sandbox_reject: 1 },
      byPlatform: { ios: { sent: 1, failed: 1 }, android: { sent: 1, failed: 1 } },
      byProvider: { sandbox: { sent: 2, failed: 2 } },
      tokensInvalidated: 1,
      status: 'failing',
    });
    expect(await world.sending.sends.health(TEST, 'email')).toEqual(idle);
    for (const scope of [PROD, scopeLike(TEST, { orgId: 'b' }), scopeLike(TEST, { projectId: 'b' })])
      expect(await world.sending.sends.health(scope, 'push')).toEqual(idle);
    world.clock.advance(3_600_001);
    expect(await world.sending.sends.health(TEST, 'push')).toEqual(idle);
  });

  it('throughput measures one channel over the last hour', async () => {
    await world.accept(TEST, draftTo(addresses(...numbered(20), 'sandbox-dead@example.com')));
    world.clock.advance(250);
    await world.drain();
    expect(await world.sending.sends.throughput(TEST, 'email')).toEqual({ perSecond: 2, p95Ms: { sandbox: 250 } });
    const nothing = { perSecond: 0, p95Ms: {} };
    expect(await world.sending.sends.throughput(TEST, 'push')).toEqual(nothing);
    expect(await world.sending.sends.throughput(PROD, 'email')).toEqual(nothing);
    world.clock.advance(3_600_001);
    expect(await world.sending.sends.throughput(TEST, 'email')).toEqual(nothing);
  });

  it('health is degraded from a failure rate of 5 percent', async () => {
    const list = numbered(19);
    await world.accept(TEST, draftTo(addresses(...list, 'sandbox-dead@example.com')));
    await world.drain();
    expect(await world.sending.sends.health(TEST, 'email')).toMatchObject({
      failureRate: 0.05,
      status: 'degraded',
      byReason: { sandbox_dead: 1 },
      byPlatform: {},
    });
    await world.accept(TEST, draftTo(addresses('more@example.com')));
    await world.drain();
    expect(await world.sending.sends.health(TEST, 'email')).toMatchObject({ status: 'ok' });
  });

  it('health has the waiting time of the oldest send that could have started', async () => {
    const later = new Date(world.clock.now().getTime() + 600_000);
    await world.accept(TEST, { ...draftTo(addresses('b@example.com')), scheduledFor: later });
    world.clock.advance(60_000);
    expect(await world.sending.sends.health(TEST, 'email')).toMatchObject({ oldestQueuedAgeSeconds: 0 });
    await world.accept(TEST, draftTo(addresses('a@example.com')));
    world.clock.advance(90_500);
    expect(await world.sending.sends.health(TEST, 'email')).toMatchObject({ oldestQueuedAgeSeconds: 90 });
    await world.messages.turn();
    world.clock.advance(600_000);
    expect(await world.sending.sends.health(TEST, 'email')).toMatchObject({ oldestQueuedAgeSeconds: 150 });
  });

  it('a send whose open messages are all deferred does not count as waiting', async () => {
    const { sends } = world.tables;
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    world.clock.advance(90_000);
    const oldest = async (deferred: number) => {
      await world.storage.db.update(sends).set({ deferred }).where(eq(sends.id, id));
      return (await world.sending.sends.health(TEST, 'email')).oldestQueuedAgeSeconds;
    };
    expect(await oldest(1)).toBe(90);
    expect(await oldest(2)).toBe(0);
  });

  it('a retried message counts once as failed until it is sent', async () => {
    let outcome: SendOutcome = {
      result: 'retry',
      processed: 'no',
      code: 'connection_refused',
      message: 'Nobody listens.',
    };
    world.credentials.configure({ ...PROD, channel: 'email' }, () => outcome);
    await world.accept(PROD, draftTo(addresses('a@example.com', 'b@example.com')));
    expect(await world.sending.sends.health(PROD, 'email')).toMatchObject({ failed: 0, retrying: 0, status: 'ok' });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await world.messages.turn();
      expect(await world.sending.sends.health(PROD, 'email')).toMatchObject({
        sent: 0,
        failed: 2,
        retrying: 2,
        failureRate: 1,
        byReason: { connection_refused: 2 },
        byProvider: { smtp: { sent: 0, failed: 2 } },
        status: 'failing',
      });
      world.clock.advance(10_000);
    }
    expect(await world.sending.sends.health(scopeLike(PROD, { orgId: 'b' }), 'email')).toEqual(idle);
    outcome = { result: 'accepted', providerId: null };
    await world.messages.turn();
    expect(await world.sending.sends.health(PROD, 'email')).toMatchObject({
      sent: 2,
      failed: 0,
      retrying: 0,
      byReason: {},
      status: 'ok',
    });
  });

  it('health is failing while credentials are rejected', async () => {
    const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'No.' };
    world.credentials.configure({ ...PROD, channel: 'email' }, () => refused);
    await world.accept(PROD, draftTo(addresses('a@example.com')));
    await world.messages.turn();
    expect(await world.sending.sends.health(PROD, 'email')).toMatchObject({
      status: 'failing',
      failureRate: 0,
      openCircuits: [{ provider: 'smtp', code: 'auth' }],
    });
  });

  it('health reads any number of messages with one statement', async () => {
    const count = async (): Promise<number> => {
      let statements = 0;
      world.observer.statement = () => {
        statements += 1;
      };
      await world.sending.sends.health(TEST, 'email');
      delete world.observer.statement;
      return statements;
    };
    const few = await count();
    await world.accept(TEST, draftTo(addresses(...numbered(80))));
    await world.drain();
    expect(await count()).toBe(few);
    expect(few).toBeLessThanOrEqual(2);
  });
});
