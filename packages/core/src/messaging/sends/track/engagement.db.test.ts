import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { listeningTo } from '../../../../test/support/events/listening.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { scopeLike, testScope } from '../../../../test/support/scopes.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { systemClock } from '../../../foundation/clock.ts';
import { derivedId, momentId } from '../../../foundation/derived-id.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { type Scope, scopeOf } from '../../../foundation/scope.ts';
import type { CatalogName } from '../../../people/events/catalog.ts';
import { finalizer } from '../finalize/finalize.ts';
import type { BoundMessageReaction } from '../finalize/reactions.ts';
import { MESSAGE_SPAN_MS } from '../lifecycle.ts';
import { sendingStatements } from '../statements.ts';
import { type Engagement, engagementOf, type TakeReport } from './engagement.ts';

const TEST = testScope({ orgId: 'org-a', projectId: 'app', environment: 'test' });
const [S1, S2] = [rowId('s1'), rowId('s2')];
const [M1, M2, M3] = [rowId('m1'), rowId('m2'), rowId('m3')];
const at = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:05:00.000Z');
const opened: Engagement = { kind: 'opened' };
const delivered: Engagement = { kind: 'delivered' };
const clicked = (action: string): Engagement => ({ kind: 'clicked', action });

describe('engagement reports', () => {
  let database: TestDatabase;
  let report: TakeReport;
  const statements: string[] = [];
  const reactions: BoundMessageReaction[] = [];
  const reportTo = (...subscribed: readonly CatalogName[]): TakeReport =>
    engagementOf({
      ...database,
      ids: uuidV7Ids(systemClock),
      emitter: listeningTo(database.tables, ...subscribed),
      // The workflow run has depth 3, so its step causes depth 4.
      causes: async () => () => ({ depth: 4 }),
      finalize: finalizer({ storage: database.storage, hot: sendingStatements(database.tables), reactions }),
    });
  beforeEach(async () => {
    database = await openTestDatabase({ observer: { statement: (id) => statements.push(id) } });
    report = reportTo();
  });
  afterEach(() => database.close());

  /** A handed-over send with its messages. */
  const send = async (
    id: string,
    messageIds: readonly string[],
    {
      person = null,
      ...change
    }: { dueAt?: Date; channel?: Channel; person?: string | null; workflowRunId?: string; stepPath?: string } = {},
  ) => {
    const { storage, tables } = database;
    const none = { failed: 0, bounced: 0, suppressed: 0, deferred: 0 };
    const zero = { ...none, delivered: 0, opened: 0, uniqueOpened: 0, clicked: 0 };
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
      hasMailPermit: false,
      recipients: [],
      tags: {},
      expandedRecipients: count,
      tokenCount: count,
      targeted: count,
      sent: count,
      uniqueClicked: 0,
      machineOpened: 0,
      createdAt: at,
      fence: 0,
      ...change,
    });
    const { channel = 'push' } = change;
    const common = { ...TEST, sendId: id, channel, person, role: 'to', status: 'sent', facts: {} } as const;
    for (const messageId of messageIds)
      await storage.db
        .insert(tables.messages)
        .values({ ...common, id: messageId, attempt: 1, createdAt: at, priority: 0, fence: 1 });
  };
  const tell = (sendId: string, messageId: string | null, engagement: Engagement, when = at, scope = TEST) =>
    report(scope, { channel: 'push', sendId, messageId, engagement, at: when });
  const storedEvents = async () => {
    const { events } = database.tables;
    const rows = await database.storage.db.select().from(events).orderBy(events.id);
    return rows.map(({ eventType, properties }) => [eventType, properties]);
  };
  const counts = async (id: string) => {
    const { storage, tables } = database;
    const [row] = await storage.db.select().from(tables.sends).where(eq(tables.sends.id, id));
    return [row?.delivered, row?.opened, row?.uniqueOpened, row?.clicked, row?.uniqueClicked];
  };
  const message = async (id: string) => {
    const { storage, tables } = database;
    return (await storage.db.select().from(tables.messages).where(eq(tables.messages.id, id)))[0];
  };

  it('the first time of each kind is stored and every report is counted', async () => {
    await send(S1, [M1, M2]);
    for (const when of [at, later]) {
      expect(await tell(S1, M1, delivered, when)).toBe(true);
      expect(await tell(S1, M1, opened, when)).toBe(true);
    }
    await tell(S1, M1, clicked('buy'), later);
    await tell(S1, M1, clicked('later'), later);
    expect(await message(M1)).toMatchObject({
      status: 'delivered',
      deliveredAt: at,
      openedAt: at,
      clickedAt: later,
      clickAction: 'buy',
    });
    expect(await message(M2)).toMatchObject({ status: 'sent', deliveredAt: null, openedAt: null, clickedAt: null });
    expect(await counts(S1)).toEqual([1, 4, 1, 2, 1]);
  });

  it('a click counts as an open', async () => {
    await send(S1, [M1]);
    await tell(S1, M1, clicked('buy'));
    expect(await message(M1)).toMatchObject({ openedAt: at, clickedAt: at, clickAction: 'buy' });
    expect(await counts(S1)).toEqual([0, 1, 1, 1, 1]);
  });

  it('a message counts once as opened and clicked, however many reports race', async () => {
    await send(S1, [M1]);
    const two = [report, reportTo()];
    const about = { channel: 'push', sendId: S1, messageId: M1, engagement: clicked('buy'), at } as const;
    await Promise.all(Array.from({ length: 4 }, (_, n) => two[n % 2]?.(TEST, about)));
    expect(await counts(S1)).toEqual([0, 4, 1, 4, 1]);
  });

  it('a report without a message id belongs to the only message of its send', async () => {
    await send(S1, [M1]);
    expect(await tell(S1, null, opened)).toBe(true);
    expect(await message(M1)).toMatchObject({ openedAt: at });
    expect(await counts(S1)).toEqual([0, 1, 1, 0, 0]);
  });

  it('a report without a message id is counted on a send with several messages', async () => {
    await send(S1, [M1, M2]);
    await tell(S1, null, opened);
    await tell(S1, null, clicked('buy'));
    await tell(S1, null, delivered);
    expect(await counts(S1)).toEqual([1, 2, 0, 1, 0]);
    expect(await message(M1)).toMatchObject({ openedAt: null, clickedAt: null, deliveredAt: null, status: 'sent' });
  });

  it('the first message of a send still being expanded is not its only one', async () => {
    await send(S1, [M1], { dueAt: at });
    await tell(S1, null, opened);
    expect(await message(M1)).toMatchObject({ openedAt: null });
    expect(await counts(S1)).toEqual([0, 1, 0, 0, 0]);
  });

  it('a report keeps the status of a message whose provider has not answered', async () => {
    await send(S1, [M1]);
    const { storage, tables } = database;
    await storage.db.update(tables.messages).set({ status: 'sending' }).where(eq(tables.messages.id, M1));
    await tell(S1, M1, delivered);
    expect(await message(M1)).toMatchObject({ status: 'sending', deliveredAt: at });
  });

  it("an unknown send, another channel's send and another send's message are not found", async () => {
    await send(S1, [M1]);
    await send(S2, [M2]);
    const strangers: Scope[] = [
      scopeLike(TEST, { orgId: 'org-b' }),
      scopeLike(TEST, { projectId: 'shop' }),
      scopeLike(TEST, { environment: 'prod' }),
    ];
    for (const scope of strangers) {
      expect(await tell(S1, M1, opened, at, scope)).toBe(false);
      expect(await tell(S1, null, opened, at, scope)).toBe(false);
    }
    expect(await tell('nothing', null, opened)).toBe(false);
    expect(await tell(S1, M2, opened)).toBe(false);
    expect(await tell(S1, 'nothing', opened)).toBe(false);
    const mail = { channel: 'email', sendId: S1, messageId: M1, engagement: opened, at } as const;
    expect(await report(TEST, mail)).toBe(false);
    expect(await counts(S1)).toEqual([0, 0, 0, 0, 0]);
    expect(await message(M1)).toMatchObject({ openedAt: null });
  });

  it('counted reports are stored as events of the user', async () => {
    await send(S1, [M1, M2], { person: 'u:ann' });
    await tell(S1, M1, delivered);
    await tell(S1, M1, delivered, later);
    await tell(S1, M1, opened);
    await tell(S1, M1, clicked('buy'), later);
    const about = { sendId: S1, messageId: M1 };
    expect(await storedEvents()).toEqual([
      ['push.opened', about],
      ['push.opened', about],
      ['push.clicked', { ...about, clickAction: 'buy' }],
    ]);
    expect(await message(M1)).toMatchObject({ deliveredAt: at });
    expect(await counts(S1)).toEqual([1, 2, 1, 1, 1]);
    const [, , click] = await database.storage.db
      .select()
      .from(database.tables.events)
      .orderBy(database.tables.events.id);
    expect(click).toMatchObject({
      ...scopeOf(TEST),
      person: 'u:ann',
      anonymousId: null,
      module: 'push',
      source: 'system',
      timestamp: later,
      receivedAt: later,
    });
  });

  it('the first receipt is stored as an event if it has subscribers, with the id derived from its message', async () => {
    const messageId = uuidV7Ids({ now: () => at }).next();
    await send(S1, [messageId], { person: 'u:ann' });
    const subscribed = reportTo('push.delivered');
    const about = { channel: 'push', sendId: S1, messageId, engagement: delivered } as const;
    await subscribed(TEST, { ...about, at: later });
    await subscribed(TEST, { ...about, at: new Date(later.getTime() + 1) });
    const { events, raisedEvents } = database.tables;
    const properties = { sendId: S1, messageId };
    const id = momentId(later, messageId, 1);
    expect(await database.storage.db.select().from(events)).toMatchObject([{ id, properties, timestamp: later }]);
    expect(await database.storage.db.select().from(raisedEvents)).toMatchObject([{ id, properties, depth: 0 }]);
  });

  it('a receipt days later is stored as an event, because the history does not read such old messages', async () => {
    const messageId = uuidV7Ids({ now: () => at }).next();
    await send(S1, [messageId], { person: 'u:ann' });
    const when = new Date(at.getTime() + MESSAGE_SPAN_MS + 1);
    await tell(S1, messageId, delivered, when);
    expect(await storedEvents()).toEqual([['push.delivered', { sendId: S1, messageId }]]);
    expect(await database.storage.db.select().from(database.tables.raisedEvents)).toEqual([]);
  });

  it('events of workflow messages are one level deeper than the run', async () => {
    await send(S1, [M1], { person: 'u:ann', workflowRunId: derivedId(at, 'a run'), stepPath: '0' });
    await reportTo('push.opened')(TEST, { channel: 'push', sendId: S1, messageId: M1, engagement: opened, at });
    expect(await database.storage.db.select().from(database.tables.raisedEvents)).toMatchObject([
      { eventType: 'push.opened', person: 'u:ann', depth: 4 },
    ]);
  });

  it('messages to a raw address, and reports without a message, store no event', async () => {
    await send(S1, [M1]);
    await tell(S1, M1, clicked('buy'));
    await send(S2, [M2, M3], { person: 'u:ann' });
    await tell(S2, null, opened);
    expect(await storedEvents()).toEqual([]);
    expect([await counts(S1), await counts(S2)]).toEqual([
      [0, 1, 1, 1, 1],
      [0, 1, 0, 0, 0],
    ]);
  });

  it('each report stores one event, however many race', async () => {
    await send(S1, [M1], { person: 'u:ann' });
    const two = [report, reportTo()];
    const about = { channel: 'push', sendId: S1, messageId: M1, engagement: opened, at } as const;
    await Promise.all(Array.from({ length: 4 }, (_, n) => two[n % 2]?.(TEST, about)));
    expect(await storedEvents()).toHaveLength(4);
    expect(await counts(S1)).toEqual([0, 4, 1, 0, 0]);
  });

  it('a click in an email counts as an open only if none is known, and its event has the URL', async () => {
    const url = 'https://shop.test/a';
    const mail = (engagement: Engagement, messageId: string, when = at) =>
      report(TEST, { channel: 'email', sendId: S1, messageId, engagement, at: when });
    await send(S1, [M1, M2], { channel: 'email', person: 'u:ann' });
    await mail(opened, M1);
    await mail(clicked(url), M1);
    await mail(clicked(url), M2);
    await mail(clicked(url), M2, later);
    expect(await counts(S1)).toEqual([0, 2, 2, 3, 2]);
    expect(await storedEvents()).toEqual([
      ['email.opened', { sendId: S1, messageId: M1 }],
      ['email.clicked', { sendId: S1, messageId: M1, url }],
      ['email.opened', { sendId: S1, messageId: M2 }],
      ['email.clicked', { sendId: S1, messageId: M2, url }],
      ['email.clicked', { sendId: S1, messageId: M2, url }],
    ]);
    expect(await message(M2)).toMatchObject({ status: 'sent', openedAt: at, clickedAt: at, clickAction: url });
  });

  describe('email engagement', () => {
    const since = (ms: number) => new Date(at.getTime() + ms);
    const mail = (engagement: Engagement, ms: number, by = report) =>
      by(TEST, { channel: 'email', sendId: S1, messageId: M1, engagement, at: since(ms) });
    const sendMail = () => send(S1, [M1], { channel: 'email', person: 'u:ann' });

    it('repeated reports count once a minute', async () => {
      await sendMail();
      for (const ms of [0, 1, 59_999, 60_000, 119_999, -5_000]) expect(await mail(opened, ms)).toBe(true);
      expect(await counts(S1)).toEqual([0, 2, 1, 0, 0]);
      for (const [n, ms] of [0, 59_999, 60_000, 100_000, 120_000].entries()) await mail(clicked(`u${n}`), ms);
      expect(await counts(S1)).toEqual([0, 2, 1, 3, 1]);
      expect((await storedEvents()).map(([eventType]) => eventType)).toEqual([
        'email.opened',
        'email.opened',
        'email.clicked',
        'email.clicked',
        'email.clicked',
      ]);
      expect(await message(M1)).toMatchObject({
        openedAt: at,
        lastOpenedAt: since(60_000),
        clickedAt: at,
        clickAction: 'u0',
        lastClickedAt: since(120_000),
      });
    });

    const looked = (engagement: Engagement, ms: number, userAgent: string, by = report) => {
      const looker = { method: 'GET', userAgent, isReportedMachine: false };
      return by(TEST, { channel: 'email', sendId: S1, messageId: M1, engagement, at: since(ms), by: looker });
    };
    const machineOpened = async () => {
      const { storage, tables } = database;
      return (await storage.db.select().from(tables.sends).where(eq(tables.sends.id, S1)))[0]?.machineOpened;
    };

    it('automated opens are counted separately, once a minute, and raise no event', async () => {
      await sendMail();
      const workers = [report, reportTo('email.opened')];
      for (const ms of [0, 60_000, 61_000])
        await Promise.all(Array.from({ length: 4 }, (_, n) => looked(opened, ms, 'Mozilla/5.0', workers[n % 2])));
      expect([await machineOpened(), await counts(S1), await storedEvents()]).toEqual([2, [0, 0, 0, 0, 0], []]);
      expect(await message(M1)).toMatchObject({ openedAt: null, machineReason: 'apple_mail_privacy' });
      await looked(opened, 61_500, 'Mozilla/5.0 (Macintosh)');
      expect([await machineOpened(), await counts(S1)]).toEqual([2, [0, 1, 1, 0, 0]]);
      expect(await message(M1)).toMatchObject({ openedAt: since(61_500), machineReason: 'apple_mail_privacy' });
    });

    it('clicks of a program that follows all links are not counted', async () => {
      await sendMail();
      const { storage, tables } = database;
      await storage.db.update(tables.messages).set({ sentAt: at });
      // From the arrival of the email, over more time than two automated clicks may be apart.
      for (const [n, ms] of [500, 3_000, 5_500, 8_000].entries())
        await looked(clicked(`u${n}`), ms, 'Mozilla/5.0 (X11)');
      expect([await counts(S1), await storedEvents()]).toEqual([[0, 1, 1, 1, 1], expect.anything()]);
      expect(await message(M1)).toMatchObject({ clickAction: 'u1', machineReason: 'before_anybody_could' });
    });

    it('an open reported after its click counts within the same minute', async () => {
      await sendMail();
      await mail(clicked('u'), 0);
      await mail(opened, 30_000);
      expect(await counts(S1)).toEqual([0, 1, 1, 1, 1]);
    });

    it('reports to many workers at once count once a minute', async () => {
      await sendMail();
      const workers = [report, reportTo(), reportTo()];
      for (const ms of [0, 60_000, 61_000])
        for (const engagement of [opened, clicked('u')])
          await Promise.all(Array.from({ length: 6 }, (_, n) => mail(engagement, ms, workers[n % 3])));
      expect(await counts(S1)).toEqual([0, 2, 1, 2, 1]);
      expect(await storedEvents()).toHaveLength(4);
    });

    it('a repeated report writes nothing', async () => {
      await sendMail();
      await mail(opened, 0);
      statements.length = 0;
      await mail(opened, 1);
      expect(statements).toEqual(['sending.engaged_send', 'sending.engaged_message']);
    });
  });

  it('a report uses a constant number of prepared statements', async () => {
    await send(S1, [M1]);
    statements.length = 0;
    await tell(S1, M1, clicked('buy'));
    expect(statements).toEqual([
      'sending.engaged_send',
      'sending.engaged_message',
      'sending.count_engagement',
      'sending.first_opened',
      'sending.first_clicked',
    ]);
    await send(S2, [M2], { person: 'u:ann' });
    statements.length = 0;
    await tell(S2, M2, clicked('buy'));
    expect(statements.slice(-2)).toEqual(['sending.first_clicked', 'events.insert_raised']);
  });
});
