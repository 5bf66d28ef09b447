import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { derivedId, millisecondOf, momentId } from '../../foundation/derived-id.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { ListQuery } from '../../foundation/page.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { MESSAGE_SPAN_MS } from '../../messaging/sends/lifecycle.ts';
import { readLifecycle } from '../../messaging/sends/read/lifecycle.ts';
import { momentStore } from '../../messaging/sends/read/store.ts';
import type { MessageStatus } from '../../messaging/sends/schema.ts';
import { sendingStore } from '../../messaging/sends/store.ts';
import type { EventRecord } from './answers.generated.ts';
import { histories } from './history.ts';
import { personKey } from './person-key.ts';
import { eventStore } from './store.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const START = new Date('2026-03-01T10:00:00.000Z').getTime();
const SEND = derivedId(new Date(START), 'send');
const afterMs = (ms: number): Date => new Date(START + ms);

type Within = Pick<ListQuery, 'from' | 'to'>;

describe('the history of a profile', () => {
  let database: TestDatabase;
  let now = START;
  let messages = 0;
  const ids = uuidV7Ids({ now: () => new Date(now) });
  beforeEach(async () => {
    now = START;
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  /** Stores an event row; with an id, one that Beckon raised. */
  const event = async (
    at: number,
    eventType: string,
    { id, person = 'u:ann' }: { id?: string; person?: string } = {},
  ) => {
    now = Math.max(now, START + at);
    const { storage, tables } = database;
    const common = { module: 'm', properties: {}, source: id === undefined ? 'customer' : 'system' } as const;
    const times = { timestamp: afterMs(at), receivedAt: afterMs(at) };
    await storage.db.insert(tables.events).values({
      ...scopeOf(scope),
      id: id ?? ids.next(),
      person,
      personKey: personKey(scope, person),
      eventType,
      ...common,
      ...times,
    });
  };
  type Life = {
    readonly made: number;
    readonly ended?: number;
    readonly delivered?: number;
    readonly status?: MessageStatus;
    readonly channel?: 'push' | 'email' | 'sms';
    readonly person?: string;
  };
  /** Stores a message row and returns its id. */
  const message = async ({ made, ended, delivered, status = 'sent', channel = 'push', person = 'u:ann' }: Life) => {
    messages += 1;
    const id = derivedId(afterMs(made), `message ${messages}`);
    const { storage, tables } = database;
    const times = {
      createdAt: afterMs(made),
      finishedAt: ended === undefined ? null : afterMs(ended),
      deliveredAt: delivered === undefined ? null : afterMs(delivered),
    };
    const common = {
      sendId: SEND,
      channel,
      person,
      status,
      role: 'to',
      facts: {},
      attempt: 1,
      priority: 0,
      fence: 1,
    } as const;
    await storage.db.insert(tables.messages).values({ ...scopeOf(scope), id, ...common, ...times });
    return id;
  };
  const reader = () => {
    const { storage, tables } = database;
    const context = { db: storage.db, dialect: storage.dialect, tables };
    return histories({
      store: eventStore({ storage, tables }),
      lifecycle: readLifecycle(sendingStore(context), momentStore(context)).ofPerson,
    });
  };
  const pages = async (limit: number, people = ['u:ann'], within: Within = {}): Promise<EventRecord[]> => {
    const read = reader();
    const all: EventRecord[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, pagination } = await read(scope, people, { ...within, limit, cursor });
      expect(data.length).toBe(pagination.hasMore ? limit : data.length);
      all.push(...data);
      cursor = pagination.nextCursor;
    }
    return all;
  };
  const names = (records: readonly EventRecord[]) =>
    records.map(({ eventType, receivedAt }) => [eventType, receivedAt.getTime() - START]);

  it('a history merges events derived from messages and event rows by time', async () => {
    await event(0, 'first');
    const id = await message({ made: 10, ended: 20, delivered: 500, status: 'delivered' });
    await event(100, 'second');
    await message({ made: 200, ended: 200, status: 'suppressed' });
    await message({ made: 210, status: 'queued' });
    await event(600, 'third');
    const told = await pages(50);
    expect(names(told)).toEqual([
      ['third', 600],
      ['push.delivered', 500],
      ['push.suppressed', 200],
      ['second', 100],
      ['push.sent', 20],
      ['first', 0],
    ]);
    expect(told.at(-2)).toEqual({
      id: momentId(afterMs(20), id, 0),
      userId: 'ann',
      anonymousId: null,
      module: 'push',
      eventType: 'push.sent',
      properties: { sendId: SEND, messageId: id },
      traits: null,
      messageId: null,
      sessionId: null,
      context: null,
      source: 'system',
      timestamp: afterMs(20),
      receivedAt: afterMs(20),
      environment: 'test',
      orgId: 'o',
      projectId: 'p',
    });
  });

  it("a history has the cataloged events of the profile's own emails and SMS", async () => {
    for (const channel of ['email', 'sms'] as const)
      for (const status of ['sent', 'bounced', 'failed', 'suppressed', 'cancelled'] as const)
        await message({ made: 0, ended: 10, channel, status });
    await message({ made: 0, ended: 10, person: 'u:bob' });
    expect(names(await pages(50))).toEqual(
      expect.arrayContaining([
        ['email.bounced', 10],
        ['sms.failed', 10],
      ]),
    );
    expect(await pages(50)).toHaveLength(2);
  });

  it('an event that is both a row and derived from a message is listed once across pages', async () => {
    const heard = await message({ made: 0, ended: 20, delivered: 40, status: 'delivered' });
    await event(20, 'push.sent', { id: momentId(afterMs(20), heard, 0) });
    await event(30, 'other');
    for (const limit of [1, 2, 3, 50])
      expect(names(await pages(limit))).toEqual([
        ['push.delivered', 40],
        ['other', 30],
        ['push.sent', 20],
      ]);
  });

  it('the count of a history includes each event once and is computed on request only', async () => {
    const heard = await message({ made: 0, ended: 20, delivered: 40, status: 'delivered' });
    await event(20, 'push.sent', { id: momentId(afterMs(20), heard, 0) });
    await event(30, 'other');
    const read = reader();
    expect((await read(scope, ['u:ann'], { limit: 1, count: true })).pagination).toMatchObject({ total: 3 });
    expect((await read(scope, ['u:ann'], { limit: 1 })).pagination).not.toHaveProperty('total');
    expect((await read(scope, ['u:bob'], { count: true })).pagination).toMatchObject({ total: 0 });
  });

  it('the cursor of a time range fits that range only, and a range must begin before it ends', async () => {
    for (const at of [0, 10, 20]) await event(at, 'other');
    const read = reader();
    const to = afterMs(20);
    const { pagination } = await read(scope, ['u:ann'], { limit: 1, to });
    const cursor = pagination.nextCursor ?? '';
    expect(names((await read(scope, ['u:ann'], { limit: 1, to, cursor })).data)).toEqual([['other', 0]]);
    for (const other of [{}, { to: afterMs(30) }, { from: afterMs(0), to }])
      await expect(read(scope, ['u:ann'], { ...other, cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(read(scope, ['u:ann'], { from: afterMs(2), to: afterMs(1) })).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    });
    await expect(read(scope, ['u:ann'], { from: new Date(Number.NaN) })).rejects.toMatchObject({
      details: { fieldErrors: { from: [expect.any(String)] } },
    });
  });

  it('a page may end between messages that ended in the same millisecond', async () => {
    for (let at = 0; at < 7; at += 1) await message({ made: 0, ended: 5, delivered: 5, status: 'delivered' });
    for (const limit of [1, 2, 3, 5]) {
      const told = await pages(limit);
      expect(told).toHaveLength(14);
      expect(new Set(told.map(({ id }) => id)).size).toBe(14);
    }
  });

  it('pages of any size list the same complete history', async () => {
    const moment = fc.integer({ min: 0, max: 40 });
    const slow = fc.oneof(moment, fc.integer({ min: 0, max: MESSAGE_SPAN_MS }));
    const status = fc.constantFrom<MessageStatus>('sent', 'delivered', 'failed', 'suppressed', 'queued');
    const life = fc.record({ made: moment, lasted: slow, seen: fc.option(slow, { nil: null }), status });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment, { maxLength: 12 }),
        fc.array(life, { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.tuple(fc.integer({ min: 0, max: 45 }), fc.integer({ min: 0, max: 45 })),
        async (events, lives, limit, [one, other]) => {
          run += 1;
          const person = `u:p${run}`;
          let expected = events.length;
          for (const at of events.toSorted((a, b) => a - b)) await event(at, 'seen', { person });
          for (const { made, lasted, seen, status: how } of lives) {
            const hasEnded = how !== 'queued';
            await message({
              made,
              ...(hasEnded ? { ended: made + lasted } : {}),
              ...(seen === null ? {} : { delivered: made + seen }),
              status: how,
              person,
            });
            expected += Number(hasEnded) + Number(seen !== null);
          }
          const whole = await pages(200, [person]);
          expect(whole).toHaveLength(expected);
          expect(await pages(limit, [person])).toEqual(whole);
          const times = whole.map(({ receivedAt }) => receivedAt.getTime());
          expect(times).toEqual(times.toSorted((a, b) => b - a));
          expect(new Set(whole.map(({ id }) => id)).size).toBe(expected);
          const [from, to] = [afterMs(Math.min(one, other)), afterMs(Math.max(one, other))];
          for (const within of [{ from }, { to }, { from, to }]) {
            const asked = whole.filter(
              ({ receivedAt }) =>
                (!('from' in within) || receivedAt >= within.from) && (!('to' in within) || receivedAt < within.to),
            );
            expect(await pages(limit, [person], within)).toEqual(asked);
            const { pagination } = await reader()(scope, [person], { ...within, limit, count: true });
            expect(pagination.total).toBe(asked.length);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('a page reads the messages of few days, however many exist', async () => {
    const looked: string[] = [];
    const { storage, tables } = database;
    const store = sendingStore({ db: storage.db, dialect: storage.dialect, tables });
    const watched: typeof store = {
      ...store,
      moments: (where, person, kind, fromId, query) => {
        looked.push(fromId);
        return store.moments(where, person, kind, fromId, query);
      },
    };
    const DAY = 86_400_000;
    for (let day = 0; day < 40; day += 1) await message({ made: day * DAY, ended: day * DAY + 1 });
    const found = await readLifecycle(watched, momentStore({ db: storage.db, tables })).ofPerson(scope, 'u:ann', {
      before: null,
      limit: 3,
      notBelow: null,
    });
    expect(found.map(({ at }) => at)).toEqual([39, 38, 37].map((day) => afterMs(day * DAY + 1)));
    expect(looked.map(millisecondOf)).toEqual(Array.from({ length: 2 }, () => START + 37 * DAY - MESSAGE_SPAN_MS));
  });
});
