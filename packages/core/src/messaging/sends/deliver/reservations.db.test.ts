import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  TEST,
  type World,
} from '../../../../test/support/sends/world.ts';
import { rankOf } from '../../../database/commit/commit-order.ts';
import { write } from '../../../database/commit/write-set.ts';
import { type OpenDatabase, openDatabase } from '../../../database/open.ts';
import { bulkUpdate } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import type { Stop } from '../verdict.ts';
import { type BoundReservation, bindReservation } from './reservations.ts';

const SLOTS = 7;
const FULL = { verdict: 'suppressed', reason: 'duplicate' } as const;

describe('reservations', () => {
  let world: World;
  let slots: string;
  beforeEach(async () => {
    world = await openWorld();
    // The row of a send without recipients counts the reserved slots, in its clicks.
    slots = (await world.accept(TEST, draftTo([]))).id;
  });
  afterEach(() => world.close());

  /** With `isAsked`, `load` reads how many are left, so that a full counter is not tried. */
  const slot = (onFailure: Stop = FULL, { isAsked = false, storage = world.storage } = {}): BoundReservation => {
    const { sends } = world.tables;
    const take = bulkUpdate('test.take_slot', sends, {
      where: ['scopeId', 'id'],
      set: { clicked: 'increment' },
      when: (column) => `${column('clicked')} < ${SLOTS}`,
      isGuarded: true,
      isOrdered: true,
      rank: rankOf('runs.follow') - 0.5,
    });
    return bindReservation({
      name: 'slots',
      concerns: ({ send }) => send !== null,
      load: async () => {
        if (!isAsked) return Number.POSITIVE_INFINITY;
        const [row] = await storage.db.select({ taken: sends.clicked }).from(sends).where(eq(sends.id, slots));
        return SLOTS - (row?.taken ?? SLOTS);
      },
      write: (messages, left) =>
        messages.map((_, at) => (at < left ? [write(take, { ...scopeOf(TEST), id: slots })] : null)),
      onFailure,
      evidence: (_, left) => ({ left: Number.isFinite(left) ? left : null }),
    });
  };
  const taken = async (): Promise<number> => {
    const { sends } = world.tables;
    const [row] = await world.storage.db.select().from(sends).where(eq(sends.id, slots));
    return row?.clicked ?? -1;
  };
  const free = (count: number) =>
    world.storage.db
      .update(world.tables.sends)
      .set({ clicked: SLOTS - count })
      .where(eq(world.tables.sends.id, slots));
  const messagesOf = async (id: string) => (await world.sending.sends.messages(TEST, 'email', id)).data;

  it('racing workers reserve exactly as many slots as there are; other messages get the verdict', async () => {
    const isPostgres = world.database.dialect === 'postgres';
    const others: OpenDatabase[] = [];
    for (let at = 0; isPostgres && at < 4; at += 1)
      others.push(await openDatabase({ url: world.database.url, clock: world.clock }));
    const storages: readonly Storage[] = isPostgres ? others.map(({ storage }) => storage) : [world.storage];
    for (let round = 0; round < 5; round += 1) {
      await free(SLOTS);
      const sent = [];
      for (let at = 0; at < 20; at += 1) sent.push(await world.accept(TEST, draftTo(addresses(...numbered(5)))));
      const before = (await world.caught()).length;
      let commits = 0;
      const workers = storages.map((storage) => {
        const counted: Storage = {
          ...storage,
          commit: (plan) => {
            commits += 1;
            return storage.commit(plan);
          },
        };
        const engine = world.engine({ storage: counted, reservations: [slot(FULL, { isAsked: round % 2 === 1 })] });
        return { engine, worker: hand({ ...world.database, storage }, engine.registrations.messages) };
      });
      await Promise.all(
        workers.map(async ({ worker }) => {
          while ((await worker.turn(8 + round)) > 0);
        }),
      );
      expect(await taken()).toBe(SLOTS);
      expect((await world.caught()).length - before).toBe(SLOTS);
      const ends = (await Promise.all(sent.map(({ id }) => messagesOf(id)))).flat();
      const reasons = ends.map(({ status, reason }) => `${status} ${reason}`);
      expect(reasons.filter((one) => one === 'sent null')).toHaveLength(SLOTS);
      expect(reasons.filter((one) => one === 'suppressed duplicate')).toHaveLength(100 - SLOTS);
      const views = await Promise.all(sent.map(({ id }) => world.sending.sends.get(TEST, 'email', id)));
      expect(views.reduce((sum, { counts }) => sum + counts.sent, 0)).toBe(SLOTS);
      expect(views.every(({ status }) => status === 'sent' || status === 'suppressed')).toBe(true);
      // At worst each batch is planned again once per message; stopped messages do not return.
      expect(commits).toBeLessThan(400);
      await Promise.all(workers.map(({ engine }) => engine.close()));
    }
    await Promise.all(others.map(({ storage }) => storage.close()));
  });

  it('without free slots a message is stopped in the first plan', async () => {
    await free(2);
    const plans: number[] = [];
    const { storage } = world;
    const counting: Storage = {
      ...storage,
      commit: (plan) => {
        plans.push(plan.writes.length);
        return storage.commit(plan);
      },
    };
    const engine = world.engine({ storage: counting, reservations: [slot(FULL, { isAsked: true })] });
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(5))));
    await hand(world.database, engine.registrations.messages).process(await world.messages.claim());
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual([
      'sending',
      'sending',
      'suppressed',
      'suppressed',
      'suppressed',
    ]);
    // One handover, and the outbox write.
    expect(plans).toHaveLength(2);
    await engine.close();
  });

  it('a slot of a message whose lease was lost goes to another message', async () => {
    await free(1);
    const engine = world.engine({ reservations: [slot()] });
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const rows = await world.messages.claim();
    world.clock.advance(LEASE_MS);
    const [lost] = await world.messages.claim(1);
    expect(lost?.id).toBe(rows[0]?.id);
    await hand(world.database, engine.registrations.messages).process(rows);
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual(['queued', 'sending']);
    expect((await world.caught()).map(({ address }) => address)).toEqual(['bob@example.com']);
    expect(await taken()).toBe(SLOTS);
    await engine.close();
  });

  it('a slot of a message whose send was cancelled goes to another message', async () => {
    await free(1);
    const first = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const second = await world.accept(TEST, draftTo(addresses('bob@example.com')));
    const { storage } = world;
    let isLate = true;
    const late: Storage = {
      ...storage,
      commit: async (plan) => {
        if (isLate) await world.sending.sends.cancel(TEST, 'email', first.id);
        isLate = false;
        return storage.commit(plan);
      },
    };
    const engine = world.engine({ storage: late, reservations: [slot()] });
    await hand(world.database, engine.registrations.messages).turn();
    expect(await messagesOf(first.id)).toMatchObject([{ status: 'cancelled' }]);
    expect(await messagesOf(second.id)).toMatchObject([{ status: 'sent' }]);
    await engine.close();
  });

  it('messages are refused one after another, in as many plans as needed', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(9))));
    const { storage } = world;
    let refusals = 0;
    const refusing: Storage = {
      ...storage,
      commit: async (plan) => {
        const first = plan.writes.find(({ tag }) => tag.startsWith('r:'));
        if (!first || refusals === 8) return storage.commit(plan);
        refusals += 1;
        return { ok: false, failed: new Set([first.tag]) };
      },
    };
    const engine = world.engine({ storage: refusing, reservations: [slot()] });
    await hand(world.database, engine.registrations.messages).turn();
    const ends = (await messagesOf(id)).map(({ status }) => status);
    expect(ends.filter((status) => status === 'suppressed')).toHaveLength(8);
    expect(ends.filter((status) => status === 'sent')).toHaveLength(1);
    await engine.close();
  });

  it('a reservation is read again for each plan of a handover', async () => {
    await free(1);
    const first = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const second = await world.accept(TEST, draftTo(addresses('bob@example.com')));
    const { storage } = world;
    let isLate = true;
    const late: Storage = {
      ...storage,
      commit: async (plan) => {
        if (isLate) await Promise.all([world.sending.sends.cancel(TEST, 'email', first.id), free(0)]);
        isLate = false;
        return storage.commit(plan);
      },
    };
    const read: number[] = [];
    const countedSlot = slot(FULL, { isAsked: true });
    const load: BoundReservation['load'] = (messages, isFirst) => {
      read.push(messages.length);
      return countedSlot.load(messages, isFirst);
    };
    const engine = world.engine({ storage: late, reservations: [{ ...countedSlot, load }] });
    await hand(world.database, engine.registrations.messages).turn();
    expect(read).toEqual([2, 1]);
    expect(await messagesOf(second.id)).toMatchObject([{ status: 'suppressed', reason: 'duplicate' }]);
    await engine.close();
  });

  it('nothing is reserved for a message that another reservation refused or that is not concerned', async () => {
    await free(1);
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const notAnn: BoundReservation = {
      ...slot(),
      name: 'not ann',
      concerns: () => true,
      load: async (messages) => () => messages.map(({ row }) => (row.address === 'ann@example.com' ? null : [])),
      onFailure: { verdict: 'cancelled' },
    };
    const noOne: BoundReservation = { ...slot(), name: 'no one', concerns: () => false };
    const engine = world.engine({ reservations: [notAnn, noOne, slot(FULL, { isAsked: true })] });
    await hand(world.database, engine.registrations.messages).turn();
    expect((await messagesOf(id)).map(({ status }) => status)).toEqual(['cancelled', 'sent']);
    expect(await taken()).toBe(SLOTS);
    await engine.close();
  });

  it('a reservation explains an open message without reserving, and whether it ended a message', async () => {
    await free(1);
    const nobodys = bindReservation({
      name: 'nobodys',
      concerns: () => false,
      load: (): Promise<never> => Promise.reject(new Error('it was read for nobody')),
      write: () => [],
      onFailure: { verdict: 'failed', code: 'none_left', message: 'There is none left.' },
      evidence: () => ({}),
    });
    const engine = world.engine({ reservations: [nobodys, slot(FULL, { isAsked: true })] });
    const worker = hand(world.database, engine.registrations.messages);
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    const [ann, bob] = await messagesOf(id);
    const explainedOf = async (message: string | undefined) => {
      const { stoppedBy, gates } = (await engine.sends.message(TEST, 'email', message ?? '')).explanation;
      expect(gates.at(-2)).toEqual({ gate: 'nobodys', verdict: 'pass', evidence: {} });
      return [stoppedBy, gates.at(-1)];
    };
    const open = { gate: 'slots', verdict: 'pass', evidence: { left: 1 } };
    expect([await explainedOf(ann?.id), await explainedOf(bob?.id)]).toEqual([
      [null, open],
      [null, open],
    ]);
    expect(await taken()).toBe(SLOTS - 1);
    await worker.turn(1);
    expect(await explainedOf(ann?.id)).toEqual([null, { gate: 'slots', verdict: 'pass', evidence: {} }]);
    const full = { gate: 'slots', verdict: 'suppressed', reason: 'duplicate' };
    expect(await explainedOf(bob?.id)).toEqual(['slots', { ...full, evidence: { left: 0 } }]);
    await worker.turn();
    expect(await explainedOf(bob?.id)).toEqual(['slots', { ...full, evidence: {} }]);
    await engine.close();
  });

  it('a reservation may defer a message, which is evaluated again later and shows the deferral', async () => {
    await free(1);
    const until = new Date(world.clock.now().getTime() + 3_600_000);
    const engine = world.engine({ reservations: [slot({ verdict: 'deferred', until, reason: 'duplicate' })] });
    const worker = hand(world.database, engine.registrations.messages);
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com', 'bob@example.com')));
    await worker.turn();
    expect(await messagesOf(id)).toMatchObject([
      { status: 'sent', deferredUntil: null },
      { status: 'deferred', attempt: 0, deferredUntil: until },
    ]);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'sending',
      finishedAt: null,
      counts: { sent: 1, queued: 0, deferred: 1 },
    });
    world.clock.advance(3_599_999);
    expect(await worker.turn()).toBe(0);
    await free(1);
    world.clock.advance(1);
    await worker.turn();
    expect(await messagesOf(id)).toMatchObject([{ status: 'sent' }, { status: 'sent', deferredUntil: null }]);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { sent: 2, deferred: 0 },
    });
    await engine.close();
  });

  it('a message deferred by a reservation ends if its send is cancelled meanwhile', async () => {
    await free(0);
    const until = new Date(world.clock.now().getTime() + 3_600_000);
    const engine = world.engine({ reservations: [slot({ verdict: 'deferred', until, reason: 'duplicate' })] });
    const worker = hand(world.database, engine.registrations.messages);
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    await worker.turn();
    expect(await messagesOf(id)).toMatchObject([{ status: 'deferred' }]);
    await engine.sends.cancel(TEST, 'email', id);
    expect(await messagesOf(id)).toMatchObject([{ status: 'cancelled', deferredUntil: null }]);
    await free(1);
    world.clock.advance(3_600_000);
    expect(await worker.turn()).toBe(0);
    expect(await world.caught()).toEqual([]);
    await engine.close();
  });

  it('nothing is reserved for a message that a gate stopped', async () => {
    await free(SLOTS);
    const engine = world.engine({ reservations: [slot()] });
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com'), { text: '{{event.nothing}}' }));
    await hand(world.database, engine.registrations.messages).turn();
    expect(await messagesOf(id)).toMatchObject([{ status: 'suppressed', reason: 'empty_body' }]);
    expect(await taken()).toBe(0);
    await engine.close();
  });
});
