import { eq, gt } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  type SendingParts,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { WriteSet } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import { queue, worker } from '../../../jobs/worker.ts';
import { CHUNK, MAX_INLINE } from '../schema.ts';
import type { SendRow } from '../store.ts';

describe('expanding a send', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const sendOf = (id: string) => world.sending.sends.get(TEST, 'email', id);
  const rowsOf = () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);

  it('more than a hundred recipients are left to the worker and counted at once', async () => {
    const send = await world.accept(TEST, draftTo(addresses(...numbered(MAX_INLINE + 1))));
    expect(send).toMatchObject({ status: 'queued', tokenCount: 101, counts: { targeted: 0, queued: 0 } });
    expect(await rowsOf()).toEqual([]);
    await world.sends.turn();
    expect(await sendOf(send.id)).toMatchObject({ tokenCount: 101, counts: { targeted: 101, queued: 101 } });
    await world.drain();
    expect(await sendOf(send.id)).toMatchObject({ status: 'sent', counts: { targeted: 101, queued: 0, sent: 101 } });
  });

  it('expansion continues after the last written chunk, without duplicates or gaps', async () => {
    const list = numbered(2 * CHUNK + 5);
    list[CHUNK + 3] = 'P7@example.com';
    for (const [at, address] of list.entries()) world.addPerson(TEST, `u${at}`, { email: address });
    const { id } = await world.accept(TEST, draftTo(users(...list.map((_, at) => `u${at}`))));
    const { loadProfiles } = world.hooks;
    let loads = 0;
    world.hooks.loadProfiles = async (keys) => {
      loads += 1;
      if (loads === 2) throw new Error('the worker dies');
      return loadProfiles(keys);
    };
    await expect(world.sends.turn()).rejects.toThrow('the worker dies');
    expect(await rowsOf()).toHaveLength(CHUNK);
    expect(await world.sends.turn()).toBe(0);
    world.clock.advance(LEASE_MS);
    expect(await world.sends.turn()).toBe(1);
    const rows = await rowsOf();
    expect(rows.map(({ person }) => person)).toEqual(list.map((_, at) => `u:u${at}`));
    expect(rows.filter(({ reason }) => reason === 'duplicate').map(({ person }) => person)).toEqual([
      `u:u${CHUNK + 3}`,
    ]);
    const counts = { targeted: list.length, queued: list.length - 1, sent: 0, failed: 0, suppressed: 1 };
    expect(await sendOf(id)).toMatchObject({ counts });
    expect(await world.sends.turn()).toBe(0);
  });

  it('expansion continues after the last chunk when its worker retries the same claim', async () => {
    const list = numbered(CHUNK + 5);
    for (const [at, address] of list.entries()) world.addPerson(TEST, `u${at}`, { email: address });
    const { id } = await world.accept(TEST, draftTo(users(...list.map((_, at) => `u${at}`))));
    const { loadProfiles } = world.hooks;
    let loads = 0;
    world.hooks.loadProfiles = async (keys) => {
      loads += 1;
      if (loads === 2) throw new Error('a profile that cannot be read, this once');
      return loadProfiles(keys);
    };
    const claimed = await world.sends.claim();
    await expect(world.sends.process(claimed)).rejects.toThrow('this once');
    await world.sends.process(claimed);
    expect((await rowsOf()).map(({ address }) => address)).toEqual(list);
    const counts = { targeted: list.length, queued: list.length, suppressed: 0 };
    expect(await sendOf(id)).toMatchObject({ tokenCount: list.length, counts });
  });

  it('another worker continues at once after the chunk at which a worker was stopped', async () => {
    const list = numbered(2 * CHUNK + 5);
    await world.accept(TEST, draftTo(addresses(...list)));
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    let stopped: Promise<void> | undefined;
    const commit: typeof world.storage.commit = async (plan) => {
      const committed = await world.storage.commit(plan);
      stopped ??= first.stop();
      return committed;
    };
    const { sends } = world.engine({ storage: { ...world.storage, commit } }).registrations;
    const first = worker([queue({ storage: world.storage, log, pollMs: 1_000 }, sends)]);
    first.start();
    await vi.waitFor(() => expect(stopped).toBeDefined());
    await stopped;
    expect(await rowsOf()).toHaveLength(CHUNK);
    expect(log.info.mock.calls).toEqual([[{ work: 'sends', rows: 1 }, 'work that had not begun was given back']]);
    expect([log.warn.mock.calls, log.error.mock.calls]).toEqual([[], []]);
    expect(await world.sends.turn()).toBe(1);
    expect((await rowsOf()).map(({ address }) => address).toSorted()).toEqual(list.toSorted());
  });

  it('a chunk whose commit was not acknowledged makes no message twice and is counted once', async () => {
    const list = [...numbered(CHUNK + 5), 'P3@example.com'];
    const { id } = await world.accept(TEST, draftTo(addresses(...list)));
    let isLost = true;
    const { commit } = world.storage;
    const broken = world.engine({
      storage: {
        ...world.storage,
        commit: async (plan) => {
          const committed = await commit(plan);
          const isChunk = plan.writes.some(({ bulk }) => bulk.id === 'sending.insert_message');
          if (isLost && isChunk) {
            isLost = false;
            throw new Error('the connection broke before the commit was answered');
          }
          return committed;
        },
      },
    });
    const worker = hand(world.database, broken.registrations.sends);
    const claimed = await worker.claim();
    await expect(worker.process(claimed)).rejects.toThrow('the connection broke');
    expect(await rowsOf()).toHaveLength(CHUNK);
    await worker.process(claimed);
    expect((await rowsOf()).map(({ address }) => address)).toEqual(list);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: list.length, queued: CHUNK + 5, suppressed: 1 } });
    await world.drain();
    expect(await sendOf(id)).toMatchObject({
      status: 'sent',
      counts: { targeted: list.length, queued: 0, sent: CHUNK + 5, suppressed: 1 },
    });
    await broken.close();
  });

  /** Starts another worker. `before` runs before each commit of a chunk and gets the chunk's number. */
  const watched = (before: (chunk: number, plan: WriteSet) => Promise<void> | void, more: SendingParts = {}) => {
    let chunks = 0;
    const engine = world.engine({
      storage: {
        ...world.storage,
        commit: async (plan) => {
          if (plan.writes.some(({ bulk }) => bulk.id === 'sending.advance')) await before(chunks++, plan);
          return world.storage.commit(plan);
        },
      },
      ...more,
    });
    return { engine, worker: hand(world.database, engine.registrations.sends) };
  };

  it('expansion restarts from the stored state if a failed database lost the last chunks', async () => {
    const list = numbered(3 * CHUNK + 5);
    const { id } = await world.accept(TEST, draftTo(addresses(...list)));
    const { sends, messages } = world.tables;
    let stored: { readonly send: SendRow; readonly message: string } | undefined;
    const { engine, worker } = watched(async (chunk) => {
      const [send] = await world.storage.db.select().from(sends).where(eq(sends.id, id));
      if (chunk === 1 && send) stored = { send, message: (await rowsOf()).at(-1)?.id ?? '' };
      if (chunk !== 3 || !stored) return;
      await world.storage.db.delete(messages).where(gt(messages.id, stored.message));
      await world.storage.db.update(sends).set(stored.send).where(eq(sends.id, id));
    });
    const claimed = await worker.claim();
    await expect(worker.process(claimed)).rejects.toThrow('gone from the database');
    expect(await rowsOf()).toHaveLength(CHUNK);
    await worker.process(claimed);
    expect((await rowsOf()).map(({ address }) => address)).toEqual(list);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: list.length, queued: list.length } });
    await engine.close();
  });

  it('only the last chunk and chunks with commit hooks wait for the disk', async () => {
    const kept = async (more?: SendingParts): Promise<boolean[]> => {
      const found: boolean[] = [];
      const { engine, worker } = watched((_, { mayBeLost = false }) => void found.push(!mayBeLost), more);
      // The first recipient has no address, so its message ends at once.
      await world.accept(TEST, draftTo(users('nobody', ...numbered(2 * CHUNK))));
      await worker.turn();
      await engine.close();
      return found;
    };
    for (const userId of numbered(2 * CHUNK)) world.addPerson(TEST, userId, { email: userId });
    expect(await kept()).toEqual([false, false, true]);
    const hooks = [{ items: [], afterCommit: () => undefined }];
    const hostReaction = { name: 'host', concerns: () => true, load: async () => () => ({ writes: [], hooks }) };
    expect(await kept({ reactions: [hostReaction] })).toEqual([true, false, true]);
  });

  it('writes that arrive while a chunk is made are committed before it', async () => {
    await world.accept(TEST, draftTo(users(...numbered(MAX_INLINE + 1))));
    const order: string[] = [];
    const { loadProfiles } = world.hooks;
    world.hooks.loadProfiles = async (keys) => {
      setImmediate(() => order.push('others'));
      return loadProfiles(keys);
    };
    const { engine, worker } = watched(() => void order.push('chunk'));
    await worker.turn();
    expect(order).toEqual(['others', 'chunk']);
    await engine.close();
  });

  it('a worker that lost its lease writes nothing', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(150))));
    const slow = await world.sends.claim();
    world.clock.advance(LEASE_MS);
    const taken = await world.sends.claim();
    await world.sends.process(slow);
    expect(await rowsOf()).toEqual([]);
    await world.sends.process(taken);
    expect(await rowsOf()).toHaveLength(150);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: 150 } });
  });

  it('two racing workers expand a send once', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(300))));
    const racers = [world.sends, hand(world.database, world.engine().registrations.sends)];
    await Promise.all(racers.map((racer) => racer.turn()));
    expect(await rowsOf()).toHaveLength(300);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: 300, queued: 300 } });
  });

  it('a cancelled send makes no messages', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(150))));
    await world.storage.db.update(world.tables.sends).set({ status: 'cancelled' }).where(eq(world.tables.sends.id, id));
    expect(await world.sends.turn()).toBe(1);
    world.clock.advance(LEASE_MS);
    expect(await world.sends.turn()).toBe(0);
    expect(await rowsOf()).toEqual([]);
    expect(await sendOf(id)).toMatchObject({ status: 'cancelled' });
  });

  it('a send without reachable recipients ends as suppressed', async () => {
    const nobody = Array.from({ length: 120 }, (_, at) => `nobody-${at}`);
    const { id } = await world.accept(TEST, draftTo(users(...nobody)));
    await world.sends.turn();
    expect(await sendOf(id)).toMatchObject({ status: 'suppressed', counts: { targeted: 120, suppressed: 120 } });
  });

  it('a send whose messages are done stays open until its expansion is complete', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(CHUNK + 50))));
    const [row] = await world.sends.claim();
    let chunks = 0;
    world.observer.beforeCommit = () => {
      chunks += 1;
      if (chunks === 2) throw new Error('the worker dies');
    };
    if (row) await expect(world.sends.process([row])).rejects.toThrow('the worker dies');
    delete world.observer.beforeCommit;
    while ((await world.messages.turn()) > 0);
    expect(await sendOf(id)).toMatchObject({ status: 'sending', counts: { targeted: CHUNK, sent: CHUNK } });
    world.clock.advance(LEASE_MS);
    await world.drain();
    expect(await sendOf(id)).toMatchObject({ status: 'sent', counts: { targeted: CHUNK + 50, sent: CHUNK + 50 } });
  });

  it('recipients of a dead-lettered send are counted as failed', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(150))));
    const [row] = await world.sends.claim();
    if (row) await world.sending.registrations.sends.deadLetter(row, 'threw');
    expect(await sendOf(id)).toMatchObject({
      status: 'failed',
      errorCode: 'threw',
      counts: { targeted: 150, queued: 0, failed: 150 },
    });
    world.clock.advance(LEASE_MS);
    expect(await world.sends.turn()).toBe(0);
  });

  const raised = async (name: string) =>
    (await world.database.storage.db.select().from(world.database.tables.events))
      .filter(({ eventType }) => eventType === name)
      .map(({ person, properties }) => [person, properties]);
  const later = () => new Date(world.clock.now().getTime() + 60_000);

  it('a dead-lettered push for one user raises push.failed once, with the user', async () => {
    const draft = { ...draftTo(users('ann')), channel: 'push', scheduledFor: later() } as const;
    const { id } = await world.accept(TEST, draft);
    world.clock.advance(60_000);
    const [row] = await world.sends.claim();
    if (row) await world.sending.registrations.sends.deadLetter(row, 'threw');
    expect(await raised('push.failed')).toEqual([['u:ann', { sendId: id, errorCode: 'threw' }]]);
  });

  it('a push cancelled before it is dead-lettered raises no push.failed', async () => {
    const draft = { ...draftTo(users('ann')), channel: 'push', scheduledFor: later() } as const;
    const { id } = await world.accept(TEST, draft);
    world.clock.advance(60_000);
    const [row] = await world.sends.claim();
    await world.sending.sends.cancel(TEST, 'push', id);
    if (row) await world.sending.registrations.sends.deadLetter(row, 'threw');
    expect(await raised('push.failed')).toEqual([]);
    expect(await raised('push.cancelled')).toEqual([['u:ann', { sendId: id }]]);
  });

  it('a cancel that races the first messages of a send cancels them and raises no event of the send', async () => {
    const draft = { ...draftTo(users('ann')), channel: 'push', scheduledFor: later() } as const;
    world.tokens.set('ann', [{ address: 'token', name: null, facts: { platform: 'ios' } }]);
    const { id } = await world.accept(TEST, draft);
    world.clock.advance(60_000);
    const { storage } = world;
    let isFirst = true;
    const late: Storage = {
      ...storage,
      commit: async (plan) => {
        if (isFirst) {
          isFirst = false;
          await world.sends.turn();
        }
        return storage.commit(plan);
      },
    };
    const engine = world.engine({ storage: late });
    await engine.sends.cancel(TEST, 'push', id);
    await engine.close();
    expect((await world.sending.sends.messages(TEST, 'push', id)).data).toMatchObject([{ status: 'cancelled' }]);
    expect(await raised('push.cancelled')).toEqual([]);
  });
});
