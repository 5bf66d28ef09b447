import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopeLike } from '../../../../test/support/scopes.ts';
import {
  addresses,
  draftTo,
  numbered,
  openWorld,
  PROD,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { userPerson } from '../../../foundation/person.ts';
import type { Scope } from '../../../foundation/scope.ts';

describe('reading sends and the outbox', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const strangers: readonly Scope[] = [
    scopeLike(TEST, { orgId: 'org-b' }),
    scopeLike(TEST, { projectId: 'other' }),
    scopeLike(TEST, { environment: 'prod' }),
  ];

  it('sends are invisible to other orgs, projects and environments', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    const { id } = await world.accept(TEST, draftTo(users('u1')));
    await world.drain();
    const [caught] = (await world.sending.outbox.list(TEST)).data;
    const { sends, outbox, forPerson } = world.sending;
    for (const scope of strangers) {
      await expect(sends.get(scope, 'email', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(sends.messages(scope, 'email', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(outbox.get(scope, caught?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await sends.list(scope, 'email')).data).toEqual([]);
      expect((await forPerson(scope, userPerson('u1'))).data).toEqual([]);
      expect((await outbox.list(scope)).data).toEqual([]);
      expect(await outbox.clear(scope)).toBe(0);
    }
    expect(await outbox.get(TEST, caught?.id ?? '')).toEqual(caught);
    expect((await forPerson(TEST, userPerson('u1'))).data).toHaveLength(1);
  });

  it('a send is visible under its own channel only', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const { sends } = world.sending;
    await expect(sends.get(TEST, 'push', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await sends.list(TEST, 'push')).data).toEqual([]);
    expect((await sends.list(TEST, 'email')).data).toHaveLength(1);
  });

  it("two tenants never see each other's addresses", async () => {
    const other = scopeLike(TEST, { orgId: 'org-b' });
    world.addPerson(TEST, 'u1', { email: 'a@example.com' });
    world.addPerson(other, 'u1', { email: 'b@example.com' });
    await world.accept(TEST, draftTo(users('u1')));
    await world.accept(other, draftTo(users('u1')));
    await world.drain();
    expect((await world.caught(TEST)).map(({ address }) => address)).toEqual(['a@example.com']);
    expect((await world.caught(other)).map(({ address }) => address)).toEqual(['b@example.com']);
  });

  it('the messages of one send are counted by reason and by platform', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    const mail = await world.accept(TEST, draftTo([...users('u1', 'u2', 'u3'), ...addresses('una@example.com')]));
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', mail.id)).toMatchObject({
      suppressedByReason: { no_address: 2, duplicate: 1 },
      byPlatform: {},
    });
    const token = (address: string, platform: 'ios' | 'android') => ({ address, name: null, facts: { platform } });
    world.tokens.set('u1', [token('a1', 'ios'), token('sandbox-dead-a2', 'ios'), token('a3', 'android')]);
    const push = await world.accept(TEST, { ...draftTo(users('u1', 'u2')), channel: 'push' });
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'push', push.id)).toMatchObject({
      suppressedByReason: { no_token: 1 },
      byPlatform: { ios: { sent: 1, failed: 1 }, android: { sent: 1, failed: 0 } },
    });
    await expect(world.sending.sends.get(scopeLike(TEST, { orgId: 'org-b' }), 'push', push.id)).rejects.toThrow();
  });

  it('pages list sends newest first, each once', async () => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      made.push((await world.accept(TEST, draftTo(addresses('ann@example.com')))).id);
      world.clock.advance(1);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await world.sending.sends.list(TEST, 'email', { limit: 2, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(made.reverse());
  });

  it('sends and messages can be filtered by status; an unknown status is rejected', async () => {
    const { sends } = world.sending;
    const list = ['ann@example.com', 'sandbox-reject@example.com'];
    const { id } = await world.accept(TEST, draftTo(addresses(...list)));
    expect((await sends.list(TEST, 'email', { status: 'queued' })).data).toHaveLength(1);
    await world.drain();
    expect((await sends.list(TEST, 'email', { status: 'queued' })).data).toHaveLength(0);
    expect((await sends.messages(TEST, 'email', id, { status: 'failed' })).data).toMatchObject([{ address: list[1] }]);
    await expect(sends.list(TEST, 'email', { status: unchecked('gone') })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(sends.messages(TEST, 'email', id, { status: unchecked('x') })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('a send has the same fields when accepted, listed, read and cancelled', async () => {
    const { sends } = world.sending;
    const accepted = await world.accept(TEST, draftTo([...users('nobody'), ...addresses('ann@example.com')]));
    const listed = (await sends.list(TEST, 'email')).data;
    expect(listed).toEqual([await sends.get(TEST, 'email', accepted.id)]);
    expect(listed).toEqual([accepted]);
    expect(accepted).toMatchObject({ subject: 'Hello', suppressedByReason: { no_address: 1 }, byPlatform: {} });
    expect(accepted).not.toHaveProperty('title');
    const cancelled = await sends.cancel(TEST, 'email', accepted.id);
    expect(Object.keys(cancelled)).toEqual(Object.keys(accepted));
    expect(cancelled).toEqual(await sends.get(TEST, 'email', accepted.id));
    const push = await world.accept(TEST, { ...draftTo(users('nobody')), channel: 'push' });
    expect((await sends.list(TEST, 'push')).data).toEqual([push]);
    expect(push).toMatchObject({ title: 'Hello', suppressedByReason: { no_token: 1 } });
    expect(push).not.toHaveProperty('subject');
  });

  it('listed sends count their messages up to 10,000 in all', async () => {
    const { storage, tables } = world;
    const { sends } = world.sending;
    const made: string[] = [];
    for (const targeted of [10_001, 1, 9_999, 1]) {
      const { id } = await world.accept(TEST, draftTo(users('nobody')));
      made.push(id);
      await storage.db.update(tables.sends).set({ targeted }).where(eq(tables.sends.id, id));
      world.clock.advance(1);
    }
    const rows = new Map((await sends.list(TEST, 'email')).data.map((send) => [send.id, send]));
    const [large, over, ...counted] = made.map((id) => rows.get(id));
    for (const send of counted) expect(send).toMatchObject({ suppressedByReason: { no_address: 1 }, byPlatform: {} });
    for (const send of [large, over]) expect(send).toMatchObject({ suppressedByReason: null, byPlatform: null });
    expect(await sends.get(TEST, 'email', made[0] ?? '')).toMatchObject({ suppressedByReason: null });
    expect(await sends.get(TEST, 'email', made[1] ?? '')).toMatchObject({ suppressedByReason: { no_address: 1 } });
  });

  it('a send shows its error while messages are retried, and not afterwards', async () => {
    const { sends } = world.sending;
    const away: SendOutcome = {
      result: 'retry',
      processed: 'no',
      code: 'connection_refused',
      message: 'Nobody listens.',
    };
    let outcome: SendOutcome = away;
    world.credentials.configure({ ...PROD, channel: 'email' }, () => outcome);
    const { id } = await world.accept(PROD, draftTo(addresses('a@example.com')));
    await world.messages.turn();
    const problem = { status: 'sending', errorCode: away.code, error: away.message };
    expect((await sends.list(PROD, 'email')).data).toMatchObject([problem]);
    expect(await sends.get(PROD, 'email', id)).toMatchObject(problem);
    outcome = { result: 'accepted', providerId: null };
    world.clock.advance(10_000);
    await world.messages.turn();
    expect(await sends.get(PROD, 'email', id)).toMatchObject({ status: 'sent', errorCode: null, error: null });
  });

  it('one statement reads the errors of a page of sends, each with its own', async () => {
    const { sends } = world.sending;
    let code = 'first';
    world.credentials.configure({ ...PROD, channel: 'email' }, () => ({
      result: 'retry',
      processed: 'no',
      code,
      message: 'Nobody listens.',
    }));
    const statements: string[] = [];
    world.observer.statement = (_, __, text) => statements.push(text);
    const listed = async () => {
      statements.length = 0;
      const page = await sends.list(PROD, 'email');
      return { codes: page.data.map(({ errorCode }) => errorCode), count: statements.length };
    };
    await world.accept(PROD, draftTo(addresses('a@example.com')));
    await world.messages.turn();
    const one = await listed();
    expect(one.codes).toEqual(['first']);
    for (code of ['second', 'third']) {
      await world.accept(PROD, draftTo(addresses('a@example.com', 'b@example.com')));
      await world.messages.turn();
    }
    await world.accept(PROD, draftTo(addresses('c@example.com')));
    expect(await listed()).toEqual({ codes: [null, 'third', 'second', 'first'], count: one.count });
    expect(one.count).toBeGreaterThan(0);
  });

  it('sends and messages can be filtered by time and user', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    world.addPerson(TEST, 'u2', { email: 'duo@example.com' });
    const start = world.clock.now().getTime();
    const at = (ms: number) => new Date(start + ms);
    const made: string[] = [];
    for (const list of [users('u1'), users('u2'), users('u1', 'u2')]) {
      made.push((await world.accept(TEST, draftTo(list))).id);
      world.clock.advance(1_000);
    }
    const { sends } = world.sending;
    const [first, second, third = ''] = made;
    const listed = async (query: Parameters<typeof sends.list>[2]) =>
      (await sends.list(TEST, 'email', query)).data.map(({ id }) => id);
    expect(await listed({ from: at(1_000) })).toEqual([third, second]);
    expect(await listed({ to: at(1_000) })).toEqual([first]);
    expect(await listed({ from: at(1_000), to: at(2_000) })).toEqual([second]);
    expect(await listed({ userId: 'u1' })).toEqual([third, first]);
    expect(await listed({ userId: 'u1', from: at(1), status: 'queued' })).toEqual([third]);
    expect(await listed({ userId: 'nobody' })).toEqual([]);
    const listedBy = async (query: Parameters<typeof sends.messages>[3]) =>
      (await sends.messages(TEST, 'email', third, query)).data.map(({ userId }) => userId);
    expect(await listedBy({})).toEqual(['u1', 'u2']);
    expect(await listedBy({ userId: 'u2' })).toEqual(['u2']);
    expect(await listedBy({ from: at(2_000), to: at(2_001) })).toEqual(['u1', 'u2']);
    expect(await listedBy({ to: at(2_000) })).toEqual([]);
    const stranger = scopeLike(TEST, { orgId: 'org-b' });
    expect((await sends.list(stranger, 'email', { userId: 'u1' })).data).toEqual([]);
    await expect(sends.list(TEST, 'email', { from: at(1), to: at(0) })).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    });
    const wrong = { from: new Date('no') };
    await expect(sends.messages(TEST, 'email', third, wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('every page can count all rows of its filters, on request only', async () => {
    const { sends } = world.sending;
    for (let at = 0; at < 3; at += 1) await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(4))));
    await world.accept(TEST, draftTo([]));
    const query = { limit: 2, status: 'queued', count: true } as const;
    const first = (await sends.list(TEST, 'email', query)).pagination;
    expect(first).toMatchObject({ hasMore: true, total: 4 });
    const next = await sends.list(TEST, 'email', { ...query, cursor: first.nextCursor ?? '' });
    expect([next.data.length, next.pagination]).toEqual([2, { limit: 2, hasMore: false, nextCursor: null, total: 4 }]);
    expect((await sends.list(TEST, 'email', { status: 'queued' })).pagination).not.toHaveProperty('total');
    expect((await sends.messages(TEST, 'email', id, { limit: 1, count: true })).pagination).toMatchObject({ total: 4 });
    // The filter is part of the cursor; `count` is no filter.
    const { nextCursor } = first;
    await expect(sends.list(TEST, 'email', { limit: 2, userId: 'u1', cursor: nextCursor ?? '' })).rejects.toMatchObject(
      { code: 'VALIDATION_ERROR' },
    );
    expect(
      (await sends.list(TEST, 'email', { limit: 2, status: 'queued', cursor: nextCursor ?? '' })).data,
    ).toHaveLength(2);
  });

  it('a cursor of another list is rejected', async () => {
    const { sends } = world.sending;
    const first = await world.accept(TEST, draftTo(addresses(...numbered(3))));
    const second = await world.accept(TEST, draftTo(addresses(...numbered(3))));
    const { nextCursor } = (await sends.messages(TEST, 'email', first.id, { limit: 1 })).pagination;
    const query = { limit: 1, cursor: nextCursor ?? '' };
    expect((await sends.messages(TEST, 'email', first.id, query)).data).toMatchObject([{ address: 'p1@example.com' }]);
    const refused = { code: 'VALIDATION_ERROR' };
    await expect(sends.messages(TEST, 'email', second.id, query)).rejects.toMatchObject(refused);
    await expect(sends.messages(scopeLike(TEST, { orgId: 'org-b' }), 'email', first.id, query)).rejects.toMatchObject(
      refused,
    );
  });

  it('the outbox can be filtered by channel and user', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    await world.accept(TEST, draftTo([...users('u1'), ...addresses('ann@example.com')]));
    await world.drain();
    const { outbox } = world.sending;
    expect((await outbox.list(TEST, { userId: 'u1' })).data.map(({ address }) => address)).toEqual(['una@example.com']);
    expect((await outbox.list(TEST, { channel: 'sms' })).data).toEqual([]);
    expect((await outbox.list(TEST, { channel: 'email' })).data).toHaveLength(2);
  });

  it('clearing removes the outbox of one scope and returns the number of rows', async () => {
    const other = scopeLike(TEST, { orgId: 'org-b' });
    await world.accept(TEST, draftTo(addresses(...numbered(3))));
    await world.accept(other, draftTo(addresses('ann@example.com')));
    await world.drain();
    expect(await world.sending.outbox.clear(TEST)).toBe(3);
    expect(await world.sending.outbox.clear(TEST)).toBe(0);
    expect(await world.caught(other)).toHaveLength(1);
  });

  it('prod has no outbox', async () => {
    expect((await world.sending.outbox.list(PROD)).data).toEqual([]);
  });
});
