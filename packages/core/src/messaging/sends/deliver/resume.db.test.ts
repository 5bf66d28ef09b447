import { inArray } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { breathe } from '../../../../test/support/database/contract-database.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  PROD,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';

const MAIL = { ...PROD, channel: 'email' } as const;
const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'The login is wrong.' };
const accepted: SendOutcome = { result: 'accepted', providerId: 'p' };

describe('new credentials', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    world.credentials.configure(MAIL, () => refused, { maxInFlight: 5 });
  });
  afterEach(() => world.close());

  const messages = async () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const statuses = async () => (await messages()).map(({ status }) => status);

  it('new credentials resume every held message even if some of the first thousand are in flight', async () => {
    world.credentials.configure(MAIL, () => refused, { maxInFlight: 512 });
    for (let at = 0; at < 12; at += 1) await world.accept(PROD, draftTo(addresses(...numbered(100))));
    while ((await world.messages.turn()) > 0);
    const rows = await messages();
    expect(rows.filter(({ reason }) => reason === 'held')).toHaveLength(1_200);
    const { messages: table } = world.tables;
    const away = rows.slice(0, 3).map(({ id }) => id);
    await world.storage.db.update(table).set({ status: 'sending' }).where(inArray(table.id, away));
    world.sending.resume(PROD, 'email');
    await world.sending.close();
    const now = world.clock.now();
    expect((await messages()).filter(({ dueAt }) => dueAt?.getTime() === now.getTime())).toHaveLength(1_197);
  });

  it('new credentials resume a message that was about to be held when they arrived', async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    await world.messages.turn();
    await world.accept(PROD, draftTo(addresses('bob@example.com', 'cid@example.com')));
    const heldCount = async () => (await messages()).filter(({ reason }) => reason === 'held').length;
    let isLate = true;
    const late = world.engine({
      storage: {
        ...world.storage,
        commit: async (plan) => {
          if (isLate && plan.writes.some(({ bulk }) => bulk.id === 'sending.put_off')) {
            isLate = false;
            expect(await heldCount()).toBe(2);
            world.credentials.configure(MAIL, () => accepted);
            late.resume(PROD, 'email');
            await vi.waitFor(async () => expect(await heldCount()).toBe(0));
          }
          return world.storage.commit(plan);
        },
      },
    });
    // This process has not seen the rejection: bob's message will, and cid's is about to be held.
    const worker = hand(world.database, late.registrations.messages);
    await worker.turn(1);
    await worker.turn(1);
    expect(isLate).toBe(false);
    await late.close();
    while ((await worker.turn()) > 0);
    expect(await statuses()).toEqual(['sent', 'sent', 'sent']);
  });

  it('new credentials resume a message whose rejection was written after they arrived', async () => {
    await world.accept(PROD, draftTo(addresses('ann@example.com')));
    const outcomes = await world.messages.process(await world.messages.claim());
    world.credentials.configure(MAIL, () => accepted);
    await world.messages.commit(outcomes);
    await vi.waitFor(async () => {
      await world.drain();
      expect(await statuses()).toEqual(['sent']);
    });
  });

  it('new credentials do not disturb a running handover: its message meets no closed transport', async () => {
    world.credentials.configure(MAIL, () => accepted, { maxInFlight: 5 });
    await world.accept(PROD, draftTo(addresses(...numbered(5))));
    const slow = world.engine({
      storage: {
        ...world.storage,
        commit: async (plan) => {
          const committed = await world.storage.commit(plan);
          if (plan.writes.some(({ bulk }) => bulk.id === 'sending.hand_over')) {
            world.credentials.configure(MAIL, () => accepted);
            slow.resume(PROD, 'email');
            await breathe(20);
            expect(world.credentials.closed).toEqual([]);
          }
          return committed;
        },
      },
    });
    await hand(world.database, slow.registrations.messages).turn();
    await slow.close();
    expect(await messages()).toMatchObject(Array(5).fill({ status: 'sent', attempt: 1 }));
    expect(world.credentials.closed).toHaveLength(1);
  });
});

describe('handover', () => {
  it('a handover updates a send only for its first messages', async () => {
    const world = await openWorld();
    world.credentials.configure(MAIL);
    const claims: number[] = [];
    world.observer.statement = (id, rows) => {
      if (id === 'sending.claim_send') claims.push(rows);
    };
    const { id } = await world.accept(PROD, draftTo(addresses(...numbered(6))));
    for (let batch = 0; batch < 3; batch += 1) await world.messages.turn(2);
    expect(claims).toEqual([1]);
    expect(await world.sending.sends.get(PROD, 'email', id)).toMatchObject({ status: 'sent', counts: { sent: 6 } });
    await world.close();
  });
});
