import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopeLike } from '../../../../test/support/scopes.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  TEST,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { Storage } from '../../../database/storage.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import type { Send } from '../answers.generated.ts';

const OTHERS = {
  'another org': scopeLike(TEST, { orgId: 'org-b' }),
  'another project': scopeLike(TEST, { projectId: 'other' }),
  'the other environment': scopeLike(TEST, { environment: 'prod' }),
} as const;

describe('cancelling a send', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const cancel = (id: string, scope = TEST) => world.sending.sends.cancel(scope, 'email', id);
  const statuses = async (id: string) =>
    (await world.sending.sends.messages(TEST, 'email', id)).data.map(({ status }) => status);

  it('a cancel also cancels all messages of the send', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(3))));
    expect(await cancel(id)).toMatchObject({
      status: 'cancelled',
      cancelledAt: world.clock.now(),
      counts: { targeted: 3, queued: 0, sent: 0 },
    });
    expect(await statuses(id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await world.messages.turn()).toBe(0);
    expect(await world.caught()).toEqual([]);
  });

  it('a cancel does not change ended messages', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'ann@example.com')));
    expect(await cancel(id)).toMatchObject({ status: 'cancelled', counts: { targeted: 2, suppressed: 1 } });
    expect((await world.sending.sends.messages(TEST, 'email', id)).data).toMatchObject([
      { status: 'cancelled', reason: null },
      { status: 'suppressed', reason: 'duplicate' },
    ]);
  });

  it('a repeated cancel returns the same answer', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const first = await cancel(id);
    world.clock.advance(60_000);
    expect(await cancel(id)).toEqual(first);
  });

  it('a cancel after the first handover is rejected, even if other messages wait', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'sandbox-retry@example.com')));
    await world.messages.turn();
    await expect(cancel(id)).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'already_dispatched' } });
    expect(await statuses(id)).toEqual(['sent', 'queued']);
    const over = await world.accept(TEST, draftTo([]));
    await expect(cancel(over.id)).rejects.toMatchObject({ details: { reason: 'already_dispatched' } });
  });

  it('a cancel is rejected and changes nothing if messages are handed over before its commit', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'sandbox-retry@example.com')));
    const { storage } = world;
    let isLate = true;
    const late: Storage = {
      ...storage,
      commit: async (plan) => {
        if (isLate) await world.messages.turn();
        isLate = false;
        return storage.commit(plan);
      },
    };
    const engine = world.engine({ storage: late });
    await expect(engine.sends.cancel(TEST, 'email', id)).rejects.toMatchObject({
      details: { reason: 'already_dispatched' },
    });
    expect(await statuses(id)).toEqual(['sent', 'queued']);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({ status: 'sending', cancelledAt: null });
    await engine.close();
  });

  it('a cancel in another scope or channel returns NOT_FOUND', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    for (const scope of Object.values(OTHERS))
      await expect(world.sending.sends.cancel(scope, 'email', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(world.sending.sends.cancel(TEST, 'push', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cancel('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await statuses(id)).toEqual(['queued']);
  });

  it('a cancelled scheduled send is never expanded', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000);
    const { id } = await world.accept(TEST, { ...draftTo(addresses(...numbered(150))), scheduledFor });
    await cancel(id);
    world.clock.advance(3_600_000);
    await world.drain();
    expect(await world.storage.db.select().from(world.tables.messages)).toEqual([]);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({ status: 'cancelled' });
  });

  it('a send cancelled during its expansion has no open messages left', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(2_500))));
    const expanding = world.sends.turn();
    await new Promise((resolve) => setImmediate(resolve));
    await cancel(id);
    await expanding;
    const rows = await world.storage.db.select().from(world.tables.messages);
    expect(new Set(rows.map(({ status }) => status)).has('queued')).toBe(false);
    await world.drain();
    expect(await world.caught()).toEqual([]);
  });

  it('cancels of some sends do not delay the handover of others', async () => {
    const sends: Send[] = [];
    for (let at = 0; at < 16; at += 1) sends.push(await world.accept(TEST, draftTo(addresses('ada@example.com'))));
    const doomed = sends.slice(0, 10).map(({ id }) => id);
    const left = [...doomed];
    const { storage } = world;
    const interrupted: typeof storage = {
      ...storage,
      // What the handover read of its sends is outdated when it commits.
      select: async (bulk, keys) => {
        const rows = await storage.select(bulk, keys);
        const id = bulk.id === 'sending.send_states' ? left.shift() : undefined;
        if (id !== undefined) await cancel(id);
        return rows;
      },
    };
    const racer = hand(world.database, world.engine({ storage: interrupted }).registrations.messages);
    await racer.turn();
    await world.drain();
    expect(left).toEqual([]);
    const handedOver = (await world.caught()).map(({ sendId }) => sendId);
    expect(handedOver.sort()).toEqual(
      sends
        .slice(10)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('over 500 sends and four workers each send is either cancelled or handed over', async () => {
    const SENDS = 500;
    const sends: Send[] = [];
    for (let at = 0; at < SENDS; at += 1)
      sends.push(await world.accept(TEST, draftTo(addresses(...numbered(1 + (at % 3))))));
    const racers = Array.from({ length: 4 }, () => hand(world.database, world.engine().registrations.messages));
    const cancelled = new Set<string>();
    const dispatched = new Set<string>();
    const cancelling = async (): Promise<void> => {
      // From the other end, so that both meet in the middle.
      for (const { id } of sends.toReversed()) {
        try {
          await cancel(id);
          cancelled.add(id);
        } catch (error) {
          if (!(error instanceof BeckonError) || error.code !== 'CONFLICT') throw error;
          dispatched.add(id);
        }
      }
    };
    const handing = async (racer: (typeof racers)[number]): Promise<void> => {
      for (let idle = 0; idle < 3; ) idle = (await racer.turn(16)) === 0 ? idle + 1 : 0;
    };
    await Promise.all([cancelling(), ...racers.map(handing)]);
    await world.drain();
    const handedOver = new Set((await world.caught()).map(({ sendId }) => sendId));
    const both = [...cancelled].filter((id) => handedOver.has(id));
    const neither = sends.filter(({ id }) => !cancelled.has(id) && !handedOver.has(id));
    process.stdout.write(
      `cancel against handover: ${SENDS} sends, ${handedOver.size} handed over, ${cancelled.size} cancelled, ` +
        `won by both = ${both.length}\n`,
    );
    expect(both).toEqual([]);
    expect(neither).toEqual([]);
    expect(cancelled.size).toBeGreaterThan(0);
    expect(handedOver.size).toBeGreaterThan(0);
    expect([...dispatched].every((id) => handedOver.has(id))).toBe(true);
  });
});
