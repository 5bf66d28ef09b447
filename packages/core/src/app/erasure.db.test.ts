import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableName, type Table } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

/** Part of all data about the user. */
const MARK = 'zebra7319';
const USER = `${MARK}-user`;

describe('erasure of a user', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let folder: string;
  let file: string;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let beforeCommit: () => void;

  beforeEach(async () => {
    beforeCommit = () => undefined;
    folder = await mkdtemp(join(tmpdir(), 'beckon-erasure-'));
    file = join(folder, 'beckon.db');
    database = await openTestDatabase({ url: `sqlite:${file}` });
    const observer = { beforeCommit: () => beforeCommit() };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock }, { observer });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    const events = ['user.identified', 'workflow.run_started'] as const;
    await beckon.webhooks.create(scope, { url: 'https://shop.example/', events: [...events], isPulled: true });
    await beckon.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: [
        {
          name: 'Order',
          description: null,
          isActive: true,
          trigger: { eventType: 'ordered' },
          steps: [
            { type: 'send_email', config: { subject: 'Thanks', text: 'To {{event.to}} for {{trait.name}}' } },
            // The recipient is no known user, but the content contains personal data of the user.
            { type: 'send_email', config: { to: 'office@shop.example', subject: 'Order', text: 'Of {{event.to}}' } },
            { type: 'wait', config: { minutes: 60 } },
          ],
        },
      ],
    });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true });
  });

  /** All kinds of data about one user: both ends of a merge, a waiting run, own sends, shared sends, later sends. */
  const live = async (userId: string, mark: string, other: string) => {
    const { events, email, tokens } = beckon;
    const place = (fields: object) =>
      events.track(scope, { module: 'shop', eventType: 'ordered', properties: { to: `${mark} Street` }, ...fields });
    await place({ anonymousId: `${mark}-anonymous`, messageId: `${mark}-m1` });
    const traits = { name: `${mark} Smith`, email: `${mark}@example.com` };
    await events.identify(scope, { userId, anonymousId: `${mark}-anonymous`, traits });
    await place({ userId, messageId: `${mark}-m2` });
    await tokens.register(scope, { token: `fcm:${mark}`, platform: 'android', userId });
    const mail = { subject: `Hi {{trait.name}}`, text: 'News' };
    await email.send(scope, { ...mail, userIds: [userId] }, { idempotencyKey: `mail:${userId}` });
    await email.send(scope, { ...mail, userIds: [userId, other] });
    const scheduledFor = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await email.send(scope, { ...mail, userIds: [userId], scheduledFor });
    const shared = await email.send(scope, { ...mail, userIds: [other, userId], scheduledFor });
    await beckon.worker.drain();
    return 'id' in shared ? shared.id : '';
  };
  /** Everything on disk, or in every row. */
  const everything = async (): Promise<string> => {
    if (database.dialect === 'sqlite')
      return [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('\n');
    // Safe: each is a table of the database.
    const tables = Object.values(database.tables) as unknown as Table[];
    const rows = await Promise.all(
      tables.map(async (table) => [getTableName(table), await database.storage.db.select().from(table as never)]),
    );
    return JSON.stringify(rows);
  };

  it('erasure removes all data of a user and none of others', async () => {
    const ben = { module: 'shop', eventType: 'ordered', userId: 'ben', properties: { to: 'Ben Street' } };
    await beckon.events.track(scope, { ...ben, traits: { email: 'ben@example.com' } });
    const later = await live(USER, MARK, 'ben');
    expect((await everything()).includes(MARK)).toBe(true);
    const messagesOfBen = (await beckon.profiles.sends(scope, 'ben')).data.length;

    const { erasureId } = await beckon.profiles.erase(scope, USER);
    expect(await beckon.profiles.erasure(scope, erasureId)).toMatchObject({ status: 'pending', finishedAt: null });
    await beckon.worker.drain();

    expect((await everything()).includes(MARK)).toBe(false);
    expect(await beckon.profiles.erasure(scope, erasureId)).toEqual({
      id: erasureId,
      status: 'done',
      createdAt: clock.now(),
      finishedAt: clock.now(),
    });
    await expect(beckon.profiles.get(scope, USER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { db } = database.storage;
    const runs = (await db.select().from(database.tables.runs)).map(({ id }) => id);
    const steps = (await db.select().from(database.tables.runSteps)).map(({ runId }) => runId);
    expect(new Set(steps)).toEqual(new Set(runs));
    expect((await beckon.profiles.events(scope, 'ben')).data.map(({ eventType }) => eventType)).toContain('ordered');
    expect((await beckon.profiles.sends(scope, 'ben')).data).toHaveLength(messagesOfBen);
    // Messages that wait for their hour go to the other users only.
    clock.advance(3_600_000);
    await beckon.worker.drain();
    expect(await beckon.sends.get(scope, 'email', later)).toMatchObject({
      status: 'sent',
      counts: { targeted: 1, sent: 1 },
    });
  });

  it('another process finishes an erasure, wherever the first one died', async () => {
    for (let at = 1; at <= 12; at += 1) {
      await live(`${USER}${at}`, MARK, 'ben');
      const { erasureId } = await beckon.profiles.erase(scope, `${USER}${at}`);
      let commits = 0;
      beforeCommit = () => {
        commits += 1;
        if (commits >= at) throw new Error('the worker dies here');
      };
      await beckon.worker.drain().catch(() => undefined);
      beforeCommit = () => undefined;
      const isDone = async () => (await beckon.profiles.erasure(scope, erasureId))?.status === 'done';
      for (let tries = 0; tries < 10 && !(await isDone()); tries += 1) {
        clock.advance(31_000);
        await beckon.worker.drain();
      }
      expect(await beckon.profiles.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
      expect((await everything()).includes(MARK)).toBe(false);
    }
  });

  it('erasure leaves no copy of moved, overwritten or oversized values in the database file', async () => {
    const many = Array.from({ length: 900 }, (_, at) => at);
    const event = (at: number, userId: string, size: number) =>
      beckon.events.track(scope, {
        module: 'shop',
        eventType: 'seen',
        userId,
        messageId: `${userId}-${at}`,
        properties: { note: `${userId} `.repeat(size) },
      });
    // Between rows of others, so that rows are adjacent and pages are split around them.
    for (const at of many) void event(at, at % 3 === 0 ? USER : `other${at % 7}`, at % 50 === 0 ? 700 : 5);
    await event(900, USER, 1);
    for (const at of many.slice(0, 60))
      await beckon.events.identify(scope, { userId: USER, traits: { [`t${at % 9}`]: `${MARK} ${at} `.repeat(at) } });
    await beckon.worker.drain();
    expect((await everything()).includes(MARK)).toBe(true);
    await beckon.profiles.erase(scope, USER);
    await beckon.worker.drain();
    expect((await everything()).includes(MARK)).toBe(false);
    const others = await Promise.all(
      many.slice(0, 7).map(async (at) => (await beckon.profiles.events(scope, `other${at}`, { limit: 200 })).data),
    );
    expect(others.flat()).toHaveLength(600);
    // Free space is reused, and new rows are found at their place and nowhere else.
    await event(901, 'other1', 1);
    expect((await beckon.profiles.events(scope, 'other1', { limit: 1 })).data[0]?.messageId).toBe('other1-901');
    const { eventsByPerson, events } = database.tables;
    const positions = new Set((await database.storage.db.select().from(events)).map(({ position }) => position));
    const indexed = await database.storage.db.select().from(eventsByPerson);
    expect(indexed.filter(({ position }) => !positions.has(position))).toEqual([]);
  });

  it("erasure includes data under the user's anonymous ids", async () => {
    const event = { module: 'shop', eventType: 'seen', properties: { of: MARK } };
    for (let at = 0; at < 3; at += 1) await beckon.events.track(scope, { ...event, anonymousId: `${MARK}-${at}` });
    for (let at = 0; at < 3; at += 1)
      await beckon.events.identify(scope, { userId: USER, anonymousId: `${MARK}-${at}`, traits: {} });
    await beckon.profiles.erase(scope, USER);
    await beckon.worker.drain();
    expect((await everything()).includes(MARK)).toBe(false);
  });

  it('repeated erasure requests of a user are one while it waits', async () => {
    await beckon.events.identify(scope, { userId: USER, traits: {} });
    const first = await beckon.profiles.erase(scope, USER);
    expect(await beckon.profiles.erase(scope, USER)).toEqual(first);
    await beckon.worker.drain();
    expect(await beckon.profiles.erasure(scope, first.erasureId)).toMatchObject({ status: 'done' });
  });

  it('erasure applies to ids with a profile, a device or a message only', async () => {
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'device' });
    await beckon.email.send(scope, { subject: 's', text: 't', userIds: ['message'] });
    for (const userId of ['device', 'message']) {
      const { erasureId } = await beckon.profiles.erase(scope, userId);
      await beckon.worker.drain();
      expect(await beckon.profiles.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
      await expect(beckon.profiles.erase(scope, userId)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('user with this id'),
      });
    }
  });

  it('erasure deletes stored idempotency responses by the address of a trait, also if an operator set another address', async () => {
    const [email, phone] = [`${MARK}@example.com`, '+14155550177'];
    await beckon.events.identify(scope, { userId: 'plain', traits: { email, phone } });
    await beckon.profiles.update(scope, 'plain', { email: 'set@example.com', phone: '+14155550188' });
    const content = { subject: 's', text: 't', userIds: ['ben'] };
    const kept = [email, phone, 'set@example.com', '+14155550188', 'order-17'];
    for (const idempotencyKey of kept) await beckon.email.send(scope, content, { idempotencyKey });
    await beckon.profiles.erase(scope, 'plain');
    await beckon.worker.drain();
    const rows = await database.storage.db.select().from(database.tables.idempotencyKeys);
    expect(rows.map(({ key }) => key)).toEqual(['order-17']);
  });

  it('erasure is limited to its environment', async () => {
    const { orgId, projectId } = scope;
    const prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.events.identify(prod, { userId: USER, traits: { a: 1 } });
    await beckon.events.identify(scope, { userId: USER, traits: { a: 1 } });
    const { erasureId } = await beckon.profiles.erase(scope, USER);
    await beckon.worker.drain();
    expect(await beckon.profiles.get(prod, USER)).toMatchObject({ traits: { a: 1 } });
    await expect(beckon.profiles.erasure(prod, erasureId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('erasure with this id in environment prod'),
    });
  });

  it('an erased user who returns is a new user', async () => {
    await live(USER, MARK, 'ben');
    await beckon.profiles.erase(scope, USER);
    await beckon.worker.drain();
    clock.advance(11_000);
    await beckon.events.track(scope, { module: 'shop', eventType: 'seen', userId: USER });
    expect(await beckon.profiles.get(scope, USER)).toMatchObject({ traits: {}, createdAt: clock.now() });
    expect((await beckon.profiles.events(scope, USER)).data.map(({ eventType }) => eventType)).toEqual(['seen']);
  });
});
