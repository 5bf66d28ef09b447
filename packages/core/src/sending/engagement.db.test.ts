import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/database.ts';
import type { Scope } from '../primitives/scope.ts';
import { type Engagement, engagementOf, type TakeReport } from './engagement.ts';

const TEST: Scope = { orgId: 'org-a', projectId: 'app', environment: 'test' };
const at = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:05:00.000Z');
const opened: Engagement = { kind: 'opened' };
const delivered: Engagement = { kind: 'delivered' };
const clicked = (action: string): Engagement => ({ kind: 'clicked', action });

describe('engagement', () => {
  let database: TestDatabase;
  let report: TakeReport;
  const statements: string[] = [];
  beforeEach(async () => {
    database = await openTestDatabase({ observer: { statement: (id) => statements.push(id) } });
    report = engagementOf(database);
  });
  afterEach(() => database.close());

  /** A send that was handed over, with its messages. */
  const send = async (id: string, messageIds: readonly string[], change: { dueAt?: Date } = {}) => {
    const { storage, tables } = database;
    const zero = { failed: 0, bounced: 0, suppressed: 0, delivered: 0, opened: 0, uniqueOpened: 0, clicked: 0 };
    const count = messageIds.length;
    await storage.db.insert(tables.sends).values({
      ...TEST,
      ...zero,
      id,
      channel: 'push',
      status: 'sent',
      source: 'api',
      class: 'marketing',
      content: {},
      variables: {},
      recipients: [],
      tags: {},
      expanded: count,
      tokenCount: count,
      targeted: count,
      sent: count,
      uniqueClicked: 0,
      createdAt: at,
      fence: 0,
      ...change,
    });
    const common = { ...TEST, sendId: id, channel: 'push', role: 'to', status: 'sent', facts: {} } as const;
    for (const messageId of messageIds)
      await storage.db
        .insert(tables.messages)
        .values({ ...common, id: messageId, attempt: 1, createdAt: at, fence: 1 });
  };
  const tell = (sendId: string, messageId: string | null, engagement: Engagement, when = at, scope = TEST) =>
    report(scope, { channel: 'push', sendId, messageId, engagement, at: when });
  const counts = async (id: string) => {
    const { storage, tables } = database;
    const [row] = await storage.db.select().from(tables.sends).where(eq(tables.sends.id, id));
    return [row?.delivered, row?.opened, row?.uniqueOpened, row?.clicked, row?.uniqueClicked];
  };
  const message = async (id: string) => {
    const { storage, tables } = database;
    return (await storage.db.select().from(tables.messages).where(eq(tables.messages.id, id)))[0];
  };

  it('keeps the first moment of each kind, and counts', async () => {
    await send('s1', ['m1', 'm2']);
    for (const when of [at, later]) {
      expect(await tell('s1', 'm1', delivered, when)).toBe(true);
      expect(await tell('s1', 'm1', opened, when)).toBe(true);
    }
    await tell('s1', 'm1', clicked('buy'), later);
    await tell('s1', 'm1', clicked('later'), later);
    expect(await message('m1')).toMatchObject({
      status: 'delivered',
      deliveredAt: at,
      openedAt: at,
      clickedAt: later,
      clickAction: 'buy',
    });
    expect(await message('m2')).toMatchObject({ status: 'sent', deliveredAt: null, openedAt: null, clickedAt: null });
    expect(await counts('s1')).toEqual([1, 4, 1, 2, 1]);
  });

  it('takes a click for an open, too', async () => {
    await send('s1', ['m1']);
    await tell('s1', 'm1', clicked('buy'));
    expect(await message('m1')).toMatchObject({ openedAt: at, clickedAt: at, clickAction: 'buy' });
    expect(await counts('s1')).toEqual([0, 1, 1, 1, 1]);
  });

  it('counts a message once as opened and as clicked, however many reports race', async () => {
    await send('s1', ['m1']);
    const two = [report, engagementOf(database)];
    const about = { channel: 'push', sendId: 's1', messageId: 'm1', engagement: clicked('buy'), at } as const;
    await Promise.all(Array.from({ length: 4 }, (_, n) => two[n % 2]?.(TEST, about)));
    expect(await counts('s1')).toEqual([0, 4, 1, 4, 1]);
  });

  it('takes a report that names no message for the only one of its send', async () => {
    await send('s1', ['m1']);
    expect(await tell('s1', null, opened)).toBe(true);
    expect(await message('m1')).toMatchObject({ openedAt: at });
    expect(await counts('s1')).toEqual([0, 1, 1, 0, 0]);
  });

  it('counts a report that names no message of several on their send alone', async () => {
    await send('s1', ['m1', 'm2']);
    await tell('s1', null, opened);
    await tell('s1', null, clicked('buy'));
    await tell('s1', null, delivered);
    expect(await counts('s1')).toEqual([1, 2, 0, 1, 0]);
    expect(await message('m1')).toMatchObject({ openedAt: null, clickedAt: null, deliveredAt: null, status: 'sent' });
  });

  it('does not take the first message for the only one while others are being made', async () => {
    await send('s1', ['m1'], { dueAt: at });
    await tell('s1', null, opened);
    expect(await message('m1')).toMatchObject({ openedAt: null });
    expect(await counts('s1')).toEqual([0, 1, 0, 0, 0]);
  });

  it('keeps the status of a message that its provider has not answered for', async () => {
    await send('s1', ['m1']);
    const { storage, tables } = database;
    await storage.db.update(tables.messages).set({ status: 'sending' }).where(eq(tables.messages.id, 'm1'));
    await tell('s1', 'm1', delivered);
    expect(await message('m1')).toMatchObject({ status: 'sending', deliveredAt: at });
  });

  it('knows no send of another scope or channel, and no message of another send', async () => {
    await send('s1', ['m1']);
    await send('s2', ['m2']);
    const strangers: Scope[] = [
      { ...TEST, orgId: 'org-b' },
      { ...TEST, projectId: 'shop' },
      { ...TEST, environment: 'prod' },
    ];
    for (const scope of strangers) {
      expect(await tell('s1', 'm1', opened, at, scope)).toBe(false);
      expect(await tell('s1', null, opened, at, scope)).toBe(false);
    }
    expect(await tell('nothing', null, opened)).toBe(false);
    expect(await tell('s1', 'm2', opened)).toBe(false);
    expect(await tell('s1', 'nothing', opened)).toBe(false);
    const mail = { channel: 'email', sendId: 's1', messageId: 'm1', engagement: opened, at } as const;
    expect(await report(TEST, mail)).toBe(false);
    expect(await counts('s1')).toEqual([0, 0, 0, 0, 0]);
    expect(await message('m1')).toMatchObject({ openedAt: null });
  });

  it('reads and writes with a constant number of hot statements', async () => {
    await send('s1', ['m1']);
    statements.length = 0;
    await tell('s1', 'm1', clicked('buy'));
    expect(statements).toEqual([
      'sending.engaged_send',
      'sending.engaged_message',
      'sending.count_engagement',
      'sending.first_opened',
      'sending.first_clicked',
    ]);
  });
});
