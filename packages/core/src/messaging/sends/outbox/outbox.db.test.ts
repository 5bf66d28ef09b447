import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId, rowName } from '../../../../test/support/row-ids.ts';
import { messageRow } from '../../../../test/support/sends/message.ts';
import { openWorld, TEST, type World } from '../../../../test/support/sends/world.ts';
import type { EmailMessage } from '../../../delivery/transports/port.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { sendingStatements } from '../statements.ts';
import { outboxEngine } from './outbox.ts';
import { outboxStore } from './store.ts';

const mail = (messageId: string, text = 'Hello'): EmailMessage => ({
  messageId: rowId(messageId),
  sendId: rowId('s-1'),
  envelope: { from: 'a@x.test', to: 'ann@x.test' },
  from: { email: 'a@x.test', name: null },
  to: { email: 'ann@x.test', name: null },
  cc: [],
  replyTo: null,
  subject: 'Hi',
  text,
  html: null,
  headers: {},
  attachments: [],
});

describe('recording into the outbox', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    const ids = [...Array.from({ length: 50 }, (_, at) => `m-${at}`), 'poison'];
    const rows = ids.map((id) => messageRow({ id: rowId(id), sendId: rowId('s-1'), dueAt: null }));
    await world.storage.db.insert(world.tables.messages).values(rows);
  });
  afterEach(() => world.close());

  const storeOf = () => outboxStore({ db: world.storage.db, tables: world.tables });
  const outboxOver = (storage: Pick<World['storage'], 'commit' | 'select'>, store = storeOf()) =>
    outboxEngine({
      storage,
      store,
      hot: sendingStatements(world.tables),
      clock: world.clock,
      ids: uuidV7Ids(world.clock),
    });

  it('records that arrive together are written in one transaction', async () => {
    let commits = 0;
    world.observer.beforeCommit = () => {
      commits += 1;
    };
    const record = outboxOver(world.storage).recorder({ ...TEST, channel: 'email' });
    await Promise.all(Array.from({ length: 50 }, (_, at) => record(mail(`m-${at}`), null)));
    expect(commits).toBe(1);
    expect(await world.caught()).toHaveLength(50);
  });

  it('each handover of a message has its own row', async () => {
    const record = outboxOver(world.storage).recorder({ ...TEST, channel: 'email' });
    await record(mail('m-1'), null);
    await Promise.all([record(mail('m-1'), null), record(mail('m-1'), null)]);
    expect((await world.caught()).map(({ messageId }) => rowName(messageId))).toEqual(['m-1', 'm-1', 'm-1']);
  });

  it('record resolves when the row can be read', async () => {
    const outbox = outboxOver(world.storage);
    await outbox.recorder({ ...TEST, channel: 'email' })(mail('m-1', 'Grüße, 日本語'), null);
    expect((await outbox.api.list(TEST)).data).toMatchObject([
      { messageId: rowId('m-1'), content: { text: 'Grüße, 日本語' } },
    ]);
  });

  it('a record that the database rejects fails alone', async () => {
    const storage: Pick<World['storage'], 'commit' | 'select'> = {
      select: world.storage.select,
      commit: async (plan) => {
        if (plan.writes.some(({ row }) => row['messageId'] === rowId('poison'))) throw new Error('refused');
        return world.storage.commit(plan);
      },
    };
    const record = outboxOver(storage).recorder({ ...TEST, channel: 'email' });
    const results = await Promise.allSettled(['m-1', 'poison', 'm-2'].map((id) => record(mail(id), null)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await world.caught()).map(({ messageId }) => rowName(messageId))).toEqual(['m-1', 'm-2']);
  });

  it('recording continues after a failed commit', async () => {
    let isFull = true;
    world.observer.beforeCommit = () => {
      if (isFull) throw new Error('the disk is full');
    };
    const record = outboxOver(world.storage).recorder({ ...TEST, channel: 'email' });
    await expect(record(mail('m-1'), null)).rejects.toThrow('the disk is full');
    isFull = false;
    await record(mail('m-2'), null);
    expect((await world.caught()).map(({ messageId }) => rowName(messageId))).toEqual(['m-2']);
  });

  it('a message deleted meanwhile, for example by an erasure, leaves no row', async () => {
    const record = outboxOver(world.storage).recorder({ ...TEST, channel: 'email' });
    await Promise.all([record(mail('erased'), null), record(mail('m-1'), null)]);
    await record(mail('erased'), null);
    expect((await world.caught()).map(({ messageId }) => rowName(messageId))).toEqual(['m-1']);
  });

  it('the outbox is read in slices, no further than one page holds', async () => {
    const store = storeOf();
    let read = 0;
    const outboxMessages: typeof store.outboxMessages = async (...args) => {
      const rows = await store.outboxMessages(...args);
      read += rows.length;
      return rows;
    };
    const outbox = outboxOver(world.storage, { ...store, outboxMessages });
    const record = outbox.recorder({ ...TEST, channel: 'email' });
    for (let at = 0; at < 40; at += 1) await record(mail(`m-${at}`, 'x'.repeat(at < 10 ? 10 : 500_000)), null);
    const { data, pagination } = await outbox.api.list(TEST, { limit: 200 });
    expect([data.length, pagination.hasMore, read]).toEqual([8, true, 16]);
    const all = [...data];
    for (let cursor = pagination.nextCursor; cursor !== null; ) {
      const page = await outbox.api.list(TEST, { limit: 200, cursor });
      all.push(...page.data);
      cursor = page.pagination.nextCursor;
    }
    expect(all.map(({ messageId }) => rowName(messageId))).toEqual(
      Array.from({ length: 40 }, (_, at) => `m-${39 - at}`),
    );
    expect((await outbox.api.list(TEST, { limit: 3 })).data).toHaveLength(3);
  });
});
