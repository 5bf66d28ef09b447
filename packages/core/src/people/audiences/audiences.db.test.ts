import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audienceWorld } from '../../../test/support/audiences/world.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';

describe('the audiences API', () => {
  let database: TestDatabase;
  let world: Awaited<ReturnType<typeof audienceWorld>>;
  beforeEach(async () => {
    database = await openTestDatabase();
    world = await audienceWorld(database.url);
  });
  afterEach(async () => {
    await world.beckon.close();
    await database.close();
  });

  const membersOf = async (id: string) =>
    (await world.beckon.audiences.members(world.scope, id)).data.map(({ userId }) => userId);

  it('audiences are created, listed, changed and deleted per environment', async () => {
    const { beckon, scope, other, clock } = world;
    const { audiences } = beckon;
    const made = await audiences.create(scope, { name: 'Beta', description: 'who asked' });
    expect(made).toMatchObject({ kind: 'static', predicate: null, memberCount: 0, status: 'ready', version: 1 });
    expect(await audiences.get(scope, made.id)).toEqual(made);
    clock.advance(1_000);
    const changed = await audiences.update(scope, made.id, { description: null });
    expect(changed).toMatchObject({ name: 'Beta', description: null, version: 2, updatedAt: clock.now() });
    expect(await audiences.update(scope, made.id, { name: 'Beta' })).toMatchObject({ version: 2 });
    await expect(audiences.create(scope, { name: 'Beta' })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'exists', id: made.id },
    });
    const twin = await audiences.create(other, { name: 'Beta' });
    const second = await audiences.create(scope, { name: 'Gamma' });
    await expect(audiences.update(scope, second.id, { name: 'Beta' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const page = await audiences.list(scope, { limit: 1, count: true });
    expect(page).toMatchObject({ data: [{ id: second.id }], pagination: { hasMore: true, total: 2 } });
    const next = await audiences.list(scope, { limit: 1, cursor: page.pagination.nextCursor ?? '' });
    expect(next.data.map(({ id }) => id)).toEqual([made.id]);
    expect((await audiences.list(scope, { name: 'Beta', kind: 'static', status: 'ready' })).data).toHaveLength(1);
    expect((await audiences.list(scope, { status: 'computing' })).data).toEqual([]);
    await expect(audiences.get(scope, twin.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(audiences.delete(scope, twin.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await audiences.delete(scope, made.id)).toEqual({ id: made.id, name: 'Beta' });
    await expect(audiences.get(scope, made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await audiences.list(scope)).data.map(({ id }) => id)).toEqual([second.id]);
    await audiences.create(scope, { name: 'Beta' });
  });

  it('a kind that contradicts the predicate, and a predicate for a static list, are rejected', async () => {
    const { audiences } = world.beckon;
    const refused = (call: Promise<unknown>) =>
      expect(call).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: { predicate: expect.anything() } },
      });
    const leaf = { trait: 'plan', op: 'set' } as const;
    await refused(audiences.create(world.scope, { name: 'a', kind: 'dynamic' }));
    await refused(audiences.create(world.scope, { name: 'a', kind: 'static', predicate: leaf }));
    const { id } = await audiences.create(world.scope, { name: 'a' });
    await refused(audiences.update(world.scope, id, { predicate: leaf }));
    await expect(audiences.create(world.scope, unchecked({ name: 'b', colour: 'red' }))).rejects.toMatchObject({
      details: { fieldErrors: { colour: expect.anything() } },
    });
  });

  it('a static list adds and removes users once, and lists the audiences of each user', async () => {
    const { beckon, scope, other, clock } = world;
    const { audiences } = beckon;
    const { id } = await audiences.create(scope, { name: 'List' });
    expect(await audiences.addMembers(scope, id, { userIds: ['bob', 'ann', 'bob'] })).toEqual({
      added: 2,
      existing: 0,
    });
    const joinedAt = clock.now();
    clock.advance(1_000);
    expect(await audiences.addMembers(scope, id, { userIds: ['ann', 'cy'] })).toEqual({ added: 1, existing: 1 });
    const first = await audiences.members(scope, id, { limit: 2, count: true });
    expect(first).toMatchObject({ data: [{ userId: 'ann', joinedAt }, { userId: 'bob' }], pagination: { total: 3 } });
    const rest = await audiences.members(scope, id, { limit: 2, cursor: first.pagination.nextCursor ?? '' });
    expect(rest.data.map(({ userId }) => userId)).toEqual(['cy']);
    expect((await audiences.members(scope, id, { userId: 'bob', count: true })).pagination.total).toBe(1);
    expect(await audiences.get(scope, id)).toMatchObject({ memberCount: 3, countedAt: clock.now() });
    expect((await audiences.ofUser(scope, 'ann')).data).toEqual([{ id, name: 'List' }]);
    expect((await audiences.ofUser(other, 'ann')).data).toEqual([]);
    expect(await audiences.removeMembers(scope, id, { userIds: ['ann', 'nobody'] })).toEqual({ removed: 1 });
    expect(await membersOf(id)).toEqual(['bob', 'cy']);
    for (const call of [audiences.addMembers, audiences.removeMembers])
      await expect(call(other, id, { userIds: ['ann'] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(audiences.addMembers(scope, id, { userIds: [] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('concurrent calls add a user to a static list once', async () => {
    const { audiences } = world.beckon;
    const { id } = await audiences.create(world.scope, { name: 'List' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => audiences.addMembers(world.scope, id, { userIds: ['ann', 'bob'] })),
    );
    expect(answers.reduce((sum, { added }) => sum + added, 0)).toBe(2);
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
  });

  it('an audience that a workflow refers to cannot be deleted', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.audiences.create(scope, { name: 'List' });
    const workflow = await beckon.workflows.create(scope, {
      name: 'Welcome',
      trigger: { eventType: 'signed_up', audienceId: id },
      steps: [{ type: 'wait', config: { minutes: 1 } }],
    });
    await expect(beckon.audiences.delete(scope, id)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'in_use', workflows: [{ id: workflow.id, name: 'Welcome' }] },
    });
    await beckon.workflows.delete(scope, workflow.id);
    await beckon.audiences.delete(scope, id);
  });

  it('erasing a user deletes the memberships', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.audiences.create(scope, { name: 'List' });
    for (const userId of ['ann', 'bob']) await beckon.events.identify(scope, { userId, traits: { a: 1 } });
    await beckon.audiences.addMembers(scope, id, { userIds: ['ann', 'bob'] });
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    expect(await membersOf(id)).toEqual(['bob']);
    expect((await beckon.audiences.ofUser(scope, 'ann')).data).toEqual([]);
  });
});
