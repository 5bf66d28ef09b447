import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audienceWorld } from '../../../test/support/audiences/world.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { COMMIT_GRACE_MS } from './build.ts';

const PRO = { trait: 'plan', op: 'eq', value: 'pro' } as const;

describe('memberships of dynamic audiences', () => {
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

  const identify = (userId: string, traits: Record<string, unknown>) =>
    world.beckon.events.identify(world.scope, { userId, traits });
  const membersOf = async (id: string) =>
    (await world.beckon.audiences.members(world.scope, id)).data.map(({ userId }) => userId);
  const drain = () => world.beckon.worker.drain();

  it('the worker finds existing members, and ingest keeps them up to date', async () => {
    const { beckon, scope, other } = world;
    for (const [userId, plan] of Object.entries({ ann: 'pro', bob: 'free', cy: 'pro' }))
      await identify(userId, { plan });
    await beckon.events.identify(other, { userId: 'elsewhere', traits: { plan: 'pro' } });
    await beckon.events.track(scope, { module: 'm', eventType: 'seen', anonymousId: 'nobody' });
    const made = await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    expect(made).toMatchObject({ status: 'computing', kind: 'dynamic', predicate: PRO });
    await drain();
    expect(await beckon.audiences.get(scope, made.id)).toMatchObject({ status: 'ready', memberCount: 2 });
    expect(await membersOf(made.id)).toEqual(['ann', 'cy']);
    await identify('bob', { plan: 'pro' });
    await identify('ann', { plan: null });
    await identify('dee', { plan: 'pro', city: 'Ulm' });
    await identify('cy', { city: 'Ghent' });
    expect(await membersOf(made.id)).toEqual(['bob', 'cy', 'dee']);
    await beckon.profiles.update(scope, 'cy', { traits: { plan: 'free' } });
    expect(await membersOf(made.id)).toEqual(['bob', 'dee']);
    expect((await beckon.audiences.ofUser(scope, 'bob')).data).toEqual([{ id: made.id, name: 'Pro' }]);
    const also = await beckon.audiences.create(scope, { name: 'Also pro', predicate: PRO });
    await drain();
    const first = await beckon.audiences.ofUser(scope, 'bob', { limit: 1 });
    expect(first.data).toEqual([{ id: also.id, name: 'Also pro' }]);
    const cursor = first.pagination.nextCursor ?? '';
    expect(await beckon.audiences.ofUser(scope, 'bob', { limit: 1, cursor })).toEqual({
      data: [{ id: made.id, name: 'Pro' }],
      pagination: { limit: 1, hasMore: false, nextCursor: null },
    });
    await beckon.audiences.delete(scope, also.id);
    const audiencesOf = async (userId: string) => (await beckon.profiles.get(scope, userId)).audiences;
    expect(await audiencesOf('bob')).toEqual([{ id: made.id, name: 'Pro' }]);
    expect(await audiencesOf('cy')).toEqual([]);
  });

  it('an edited predicate replaces the members of the old one', async () => {
    const { beckon, scope } = world;
    for (const [userId, plan] of Object.entries({ ann: 'pro', bob: 'free' })) await identify(userId, { plan });
    const { id } = await beckon.audiences.create(scope, { name: 'Plan', predicate: PRO });
    await drain();
    const changed = await beckon.audiences.update(scope, id, { predicate: { ...PRO, value: 'free' } });
    expect(changed).toMatchObject({ status: 'computing', version: 2 });
    await drain();
    expect(await membersOf(id)).toEqual(['bob']);
    await identify('ann', { plan: 'free' });
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
  });

  it('anonymous traits count once the profile is merged into a user', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.audiences.create(scope, { name: 'All', predicate: { trait: 'plan', op: 'not_set' } });
    await drain();
    await beckon.events.track(scope, { module: 'm', eventType: 'seen', anonymousId: 'x' });
    expect(await membersOf(id)).toEqual([]);
    await beckon.events.identify(scope, { userId: 'ann', anonymousId: 'x', traits: {} });
    expect(await membersOf(id)).toEqual(['ann']);
    await beckon.events.track(scope, { module: 'm', eventType: 'seen', userId: 'bob' });
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
  });

  it('memberships change when a time window ends', async () => {
    const { beckon, scope, clock } = world;
    const day = 86_400_000;
    const last = { trait: 'bought', op: 'within_last', value: { n: 7, unit: 'days' } } as const;
    await identify('ann', { bought: clock.now().toISOString() });
    const { id } = await beckon.audiences.create(scope, { name: 'Active', predicate: last });
    await drain();
    clock.advance(day);
    // The second walk is over: from now on only ingest updates members.
    await drain();
    await identify('bob', { bought: clock.now().toISOString() });
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
    clock.advance(6 * day - 1_000);
    await drain();
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
    clock.advance(1_000);
    await drain();
    expect(await membersOf(id)).toEqual(['bob']);
    clock.advance(day);
    await drain();
    expect(await membersOf(id)).toEqual([]);
  });

  it('event counts decide membership before and after the backfill, also across a merge', async () => {
    const { beckon, scope, clock } = world;
    const order = (who: object) => beckon.events.track(scope, { module: 'm', eventType: 'order', ...who });
    await order({ userId: 'ann' });
    await order({ userId: 'ann' });
    await order({ userId: 'bob' });
    const twice = { event: 'order', op: 'performed', count: { gte: 2 } } as const;
    const { id } = await beckon.audiences.create(scope, { name: 'Twice', predicate: twice });
    await drain();
    expect(await membersOf(id)).toEqual(['ann']);
    await order({ userId: 'bob' });
    await drain();
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
    clock.advance(COMMIT_GRACE_MS);
    await drain();
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
    await order({ anonymousId: 'x' });
    await order({ userId: 'cy' });
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
    await beckon.events.identify(scope, { userId: 'cy', anonymousId: 'x', traits: {} });
    expect(await membersOf(id)).toEqual(['ann', 'bob', 'cy']);
    await Promise.all(Array.from({ length: 20 }, (_, at) => order({ userId: `u${at % 10}` })));
    expect(await membersOf(id)).toHaveLength(13);
    await beckon.audiences.delete(scope, id);
    await order({ userId: 'dee' });
    clock.advance(COMMIT_GRACE_MS);
    await drain();
    await order({ userId: 'dee' });
    const again = await beckon.audiences.create(scope, { name: 'Again', predicate: twice });
    await drain();
    expect(await membersOf(again.id)).toHaveLength(14);
  });

  it('a predicate can be previewed and a membership explained', async () => {
    const { beckon, scope } = world;
    for (const [userId, plan] of Object.entries({ ann: 'pro', bob: 'free' })) await identify(userId, { plan });
    expect(await beckon.audiences.preview(scope, { predicate: PRO })).toMatchObject({
      count: 1,
      sample: [{ userId: 'ann', traits: { plan: 'pro' } }],
    });
    const { id } = await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    await drain();
    expect(await beckon.audiences.explain(scope, id, 'bob')).toEqual({
      ...{ audienceId: id, name: 'Pro', userId: 'bob', isMember: false },
      explanation: { verdict: 'false', leaf: PRO, actual: { value: 'free' } },
    });
    await expect(beckon.audiences.explain(scope, id, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beckon.audiences.preview(scope, { predicate: { all: [] } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('a preview that refers to an unknown audience is rejected', async () => {
    const { beckon, scope, other } = world;
    for (const userId of ['ann', 'bob']) await identify(userId, { plan: 'pro' });
    const { id } = await beckon.audiences.create(scope, { name: 'List' });
    await beckon.audiences.addMembers(scope, id, { userIds: ['ann'] });
    const predicate = { not: { audience: id, op: 'in' } } as const;
    expect(await beckon.audiences.preview(scope, { predicate })).toMatchObject({
      count: 1,
      sample: [{ userId: 'bob' }],
    });
    const refused = { details: { fieldErrors: { predicate: [expect.any(String)] } } };
    await expect(beckon.audiences.preview(other, { predicate })).rejects.toMatchObject(refused);
    await beckon.audiences.delete(scope, id);
    await expect(beckon.audiences.preview(scope, { predicate })).rejects.toMatchObject(refused);
  });

  it('an audience follows the lists and audiences that it refers to', async () => {
    const { beckon, scope } = world;
    const { audiences } = beckon;
    await identify('ann', { plan: 'pro' });
    await identify('bob', { plan: 'pro' });
    const list = await audiences.create(scope, { name: 'Beta' });
    await audiences.addMembers(scope, list.id, { userIds: ['ann', 'ghost'] });
    const pro = await audiences.create(scope, { name: 'Pro', predicate: PRO });
    const both = await audiences.create(scope, {
      name: 'Both',
      predicate: [
        { audience: list.id, op: 'in' },
        { audience: pro.id, op: 'in' },
      ],
    });
    await drain();
    expect(await membersOf(both.id)).toEqual(['ann']);
    await audiences.addMembers(scope, list.id, { userIds: ['bob'] });
    await drain();
    expect(await membersOf(both.id)).toEqual(['ann', 'bob']);
    await identify('ann', { plan: 'free' });
    await audiences.removeMembers(scope, list.id, { userIds: ['bob'] });
    await drain();
    expect(await membersOf(both.id)).toEqual([]);
    await audiences.update(scope, pro.id, { predicate: { ...PRO, value: 'free' } });
    await drain();
    expect(await membersOf(both.id)).toEqual(['ann']);
    for (const named of [list, pro])
      await expect(audiences.delete(scope, named.id)).rejects.toMatchObject({
        details: { reason: 'in_use', audiences: [{ id: both.id, name: 'Both' }] },
      });
    const refused = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await refused(audiences.update(scope, pro.id, { predicate: { audience: both.id, op: 'in' } }));
    await refused(audiences.update(scope, both.id, { predicate: { audience: both.id, op: 'in' } }));
    await refused(
      audiences.create(scope, {
        name: 'Lost',
        predicate: { audience: '01890000-0000-7000-8000-000000000000', op: 'in' },
      }),
    );
  });

  it('workflows start for membership changes, but not for members that a build finds', async () => {
    const { beckon, scope } = world;
    await identify('ann', { plan: 'pro' });
    const { id } = await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    for (const eventType of ['audience.entered', 'audience.left'])
      await beckon.workflows.create(scope, {
        name: eventType,
        isActive: true,
        trigger: { eventType, filters: { audienceId: id } },
        steps: [{ type: 'wait', config: { minutes: 1 } }],
      });
    // Nor for members who join before it is built.
    await identify('dan', { plan: 'pro' });
    await drain();
    const started = async () => {
      await drain();
      const { data } = await beckon.runs.list(scope);
      return data.map(({ userId, triggerEvent }) => `${userId} ${triggerEvent.eventType}`).sort();
    };
    expect(await started()).toEqual([]);
    await identify('bob', { plan: 'pro' });
    await identify('ann', { plan: 'free' });
    expect(await started()).toEqual(['ann audience.left', 'bob audience.entered']);
    const list = await beckon.audiences.create(scope, { name: 'List' });
    await beckon.workflows.create(scope, {
      name: 'list',
      isActive: true,
      trigger: { eventType: 'audience.entered', filters: { audienceName: 'List' } },
      steps: [{ type: 'wait', config: { minutes: 1 } }],
    });
    await beckon.audiences.addMembers(scope, list.id, { userIds: ['cy'] });
    expect(await started()).toContain('cy audience.entered');
  });

  it('a trigger evaluates the membership at the time of the event', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    await beckon.workflows.create(scope, {
      name: 'Pro only',
      isActive: true,
      trigger: { eventType: 'order', audienceId: id },
      steps: [{ type: 'wait', config: { minutes: 1 } }],
    });
    await drain();
    world.clock.advance(2_000);
    const order = (who: object) => beckon.events.track(scope, { module: 'm', eventType: 'order', ...who });
    const first = await order({ userId: 'ann' });
    await identify('ann', { plan: 'pro' });
    await order({ userId: 'ann' });
    await order({ anonymousId: 'x' });
    await beckon.events.identify(scope, { userId: 'ann', anonymousId: 'x', traits: {} });
    await order({ anonymousId: 'x' });
    await order({ userId: 'bob', traits: { plan: 'pro' } });
    const { data } = await beckon.runs.list(scope);
    expect(data.map(({ userId }) => userId).sort()).toEqual(['ann', 'ann', 'bob']);
    expect((await beckon.events.get(scope, first.id)).workflows).toMatchObject([
      { verdict: 'audience', audienceId: id },
    ]);
    const { warnings } = await beckon.workflows.update(scope, data[0]?.workflowId ?? '', { description: 'd' });
    expect(warnings).toEqual([]);
  });

  it('dates near the end of time are evaluated', async () => {
    const { beckon, scope } = world;
    await identify('ann', { renews: '9999-12-31T23:59:59-12:00' });
    const value = { n: 36_500, unit: 'days' } as const;
    const { id } = await beckon.audiences.create(scope, {
      name: 'Old',
      predicate: { trait: 'renews', op: 'older_than', value },
    });
    await drain();
    expect(await beckon.audiences.get(scope, id)).toMatchObject({ status: 'ready', memberCount: 0 });
    await identify('bob', { renews: '9999-12-31' });
    await identify('ann', { renews: '1900-01-01' });
    expect(await membersOf(id)).toEqual(['ann']);
  });

  it('the members of a deleted audience are removed completely', async () => {
    const { beckon, scope, clock } = world;
    await identify('ann', { plan: 'pro' });
    const { id } = await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    await drain();
    await beckon.audiences.delete(scope, id);
    expect((await beckon.audiences.ofUser(scope, 'ann')).data).toEqual([]);
    await beckon.audiences.create(scope, { name: 'Pro', predicate: PRO });
    await drain();
    clock.advance(COMMIT_GRACE_MS);
    await drain();
    expect((await beckon.audiences.list(scope)).data).toMatchObject([{ name: 'Pro', memberCount: 1 }]);
    const { data: stored } = await beckon.queues();
    expect(stored.find(({ name }) => name === 'audiences')).toMatchObject({ due: 0 });
  });
});
