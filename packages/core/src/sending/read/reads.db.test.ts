import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopeLike } from '../../../test/scopes.ts';
import { unchecked } from '../../../test/unchecked.ts';
import { userPerson } from '../../primitives/person.ts';
import type { Scope } from '../../primitives/scope.ts';
import { addresses, draftTo, numbered, openWorld, PROD, TEST, users, type World } from '../testing/world.ts';

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

  it('shows nothing to another org, project or environment', async () => {
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

  it('shows a send under its own channel only', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses('ann@example.com')));
    const { sends } = world.sending;
    await expect(sends.get(TEST, 'push', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await sends.list(TEST, 'push')).data).toEqual([]);
    expect((await sends.list(TEST, 'email')).data).toHaveLength(1);
  });

  it('keeps the addresses of two tenants apart', async () => {
    const other = scopeLike(TEST, { orgId: 'org-b' });
    world.addPerson(TEST, 'u1', { email: 'a@example.com' });
    world.addPerson(other, 'u1', { email: 'b@example.com' });
    await world.accept(TEST, draftTo(users('u1')));
    await world.accept(other, draftTo(users('u1')));
    await world.drain();
    expect((await world.caught(TEST)).map(({ address }) => address)).toEqual(['a@example.com']);
    expect((await world.caught(other)).map(({ address }) => address)).toEqual(['b@example.com']);
  });

  it('counts the messages of one send by reason and by platform', async () => {
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

  it('lists sends newest first, page by page, each once', async () => {
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

  it('filters sends and messages by status and refuses one that does not exist', async () => {
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

  it('refuses a cursor of another list', async () => {
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

  it('filters the outbox by channel and user', async () => {
    world.addPerson(TEST, 'u1', { email: 'una@example.com' });
    await world.accept(TEST, draftTo([...users('u1'), ...addresses('ann@example.com')]));
    await world.drain();
    const { outbox } = world.sending;
    expect((await outbox.list(TEST, { userId: 'u1' })).data.map(({ address }) => address)).toEqual(['una@example.com']);
    expect((await outbox.list(TEST, { channel: 'sms' })).data).toEqual([]);
    expect((await outbox.list(TEST, { channel: 'email' })).data).toHaveLength(2);
  });

  it('clears the outbox of one scope and says how much it held', async () => {
    const other = scopeLike(TEST, { orgId: 'org-b' });
    await world.accept(TEST, draftTo(addresses(...numbered(3))));
    await world.accept(other, draftTo(addresses('ann@example.com')));
    await world.drain();
    expect(await world.sending.outbox.clear(TEST)).toBe(3);
    expect(await world.sending.outbox.clear(TEST)).toBe(0);
    expect(await world.caught(other)).toHaveLength(1);
  });

  it('has no outbox in prod', async () => {
    expect((await world.sending.outbox.list(PROD)).data).toEqual([]);
  });
});
