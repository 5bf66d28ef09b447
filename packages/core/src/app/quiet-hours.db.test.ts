import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../test/support/runs/runs-world.ts';

describe('quiet hours of a project', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  /** Advances the clock to the next time of day in UTC. */
  const goTo = (hour: number): void => {
    const now = world.clock.now();
    const then = new Date(now).setUTCHours(hour, 0, 0, 0);
    world.clock.advance(then - now.getTime() + (then > now.getTime() ? 0 : 86_400_000));
  };
  const statuses = async (sendId: string) =>
    (await world.beckon.sends.messages(world.scope, 'push', sendId)).data
      .map(({ address, status }) => `${address} ${status}`)
      .sort();

  it("quiet hours defer a user's message per device time zone, immediately after they were set", async () => {
    const { beckon, scope } = world;
    for (const [token, timezone] of [
      ['tokyo', 'Asia/Tokyo'],
      ['berlin', 'Europe/Berlin'],
      ['nowhere', null],
    ] as const)
      await beckon.tokens.register(scope, { token, platform: 'android', userId: 'ann', timezone });
    const push = async () => {
      const { id } = await beckon.push.send(scope, { userIds: ['ann'], title: 't', body: 'b' });
      await beckon.worker.drain();
      return id;
    };
    goTo(14);
    expect(await statuses(await push())).toEqual(['berlin sent', 'nowhere sent', 'tokyo sent']);
    await beckon.settings.update(scope, 'push', { quietHours: { enabled: true } });
    const id = await push();
    expect(await statuses(id)).toEqual(['berlin sent', 'nowhere sent', 'tokyo deferred']);
    expect(await beckon.sends.get(scope, 'push', id)).toMatchObject({
      status: 'sending',
      counts: { deferred: 1, sent: 2 },
    });
    await beckon.settings.update(scope, 'push', { orgDefaultTimezone: 'Asia/Tokyo' });
    expect(await statuses(await push())).toEqual(['berlin sent', 'nowhere deferred', 'tokyo deferred']);
    goTo(23);
    await beckon.worker.drain();
    expect(await statuses(id)).toEqual(['berlin sent', 'nowhere sent', 'tokyo sent']);
  });

  it("a run's step reports that quiet hours suppressed its message", async () => {
    const { beckon, scope } = world;
    await beckon.settings.update(scope, 'email', {
      orgDefaultTimezone: 'UTC',
      quietHours: { enabled: true, behavior: 'suppress' },
    });
    goTo(23);
    await world.start([{ type: 'send_email', config: { subject: 's', text: 't', to: 'ann@example.com' } }]);
    await beckon.worker.drain();
    expect((await world.run()).steps).toMatchObject([{ outcome: 'suppressed', reason: 'quiet_hours' }]);
  });
});
