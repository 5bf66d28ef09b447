import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { draftTo, openWorld, TEST, users, type World } from '../../../../test/support/sends/world.ts';
import { sendingErasers } from './erase.ts';

describe('erasing messages beside concurrent writers', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    for (const userId of ['ann', 'ben', 'cat']) world.addPerson(TEST, userId, { email: `${userId}@example.com` });
  });
  afterEach(() => world.close());

  /** One transaction of each kind. */
  const erase = (userId: string) =>
    sendingErasers(world).eraser.begin({ scope: TEST, userId, people: [`u:${userId}`], addresses: [] })();
  /** Holds a commit of `work` until the other transaction reaches its statement `at`. */
  const overtaken = async (
    { commit, at }: { readonly commit: number; readonly at: number },
    work: () => Promise<unknown>,
    behind: () => Promise<unknown>,
  ): Promise<void> => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let commits = 0;
    world.observer.beforeCommit = async () => {
      commits += 1;
      if (commits < commit) return;
      delete world.observer.beforeCommit;
      reached.resolve();
      await released.promise;
    };
    const working = work();
    await reached.promise;
    let statements = 0;
    world.observer.statement = (id) => {
      statements += id === 'sql' ? 1 : 0;
      if (statements === at) setImmediate(() => released.resolve());
    };
    await Promise.all([working, behind()]);
    delete world.observer.statement;
  };

  it('a message that its worker ends during the erasure is counted once', async () => {
    const { id } = await world.accept(TEST, draftTo(users('ann', 'ben')));
    const [first] = await world.messages.claim(1);
    if (!first) throw new Error('nothing was claimed');
    const outcomes = await world.messages.process([first]);
    await overtaken(
      { commit: 1, at: 2 },
      () => world.messages.commit(outcomes),
      () => erase(first.person?.slice(2) ?? ''),
    );
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 2, sent: 2, queued: 0 },
    });
  });

  it('concurrent erasures of two recipients of one send restore neither', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000);
    await world.accept(TEST, { ...draftTo(users('ann', 'ben', 'cat')), scheduledFor });
    await overtaken(
      { commit: 2, at: 3 },
      () => erase('ann'),
      () => erase('ben'),
    );
    world.clock.advance(60_000);
    await world.drain();
    const rows = await world.storage.db.select().from(world.tables.messages);
    expect(rows.map(({ person }) => person)).toEqual(['u:cat']);
  });
});
