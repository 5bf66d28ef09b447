import { asc } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
import { draftTo, numbered, openWorld, TEST, users, type World } from '../../../../test/support/sends/world.ts';
import { sendingErasers } from './erase.ts';

describe('erasing messages of a user', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const erase = async (userId: string) => {
    const { eraser } = sendingErasers(world);
    const step = eraser.begin({ scope: TEST, userId, people: [`u:${userId}`], addresses: [] });
    while ((await step()).isMore);
  };
  /** In creation order; PostgreSQL returns updated rows last. */
  const rowsOf = () => world.storage.db.select().from(world.tables.messages).orderBy(asc(world.tables.messages.id));

  it('a send without the erased user ends when its other messages end', async () => {
    for (const userId of ['ann', 'ben']) world.addPerson(TEST, userId, { email: `${userId}@example.com` });
    const { id } = await world.accept(TEST, draftTo(users('ann', 'ben')));
    const { sends } = world.tables;
    await world.storage.db.update(sends).set({ reportedAt: world.clock.now() });
    await erase('ann');
    expect(await world.storage.db.select({ reportedAt: sends.reportedAt }).from(sends)).toEqual([{ reportedAt: null }]);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'queued',
      counts: { targeted: 1 },
    });
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 1, sent: 1, queued: 0 },
    });
  });

  it('a send ends when its only open message is erased', async () => {
    world.addPerson(TEST, 'ann', { email: 'ann@example.com' });
    const { id } = await world.accept(TEST, draftTo(users('ann', 'nobody')));
    await erase('ann');
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'suppressed',
      counts: { targeted: 1, suppressed: 1 },
    });
  });

  it('an erased user is removed from a send that a worker is expanding', async () => {
    const names = numbered(150).map((_, at) => `p${at}`);
    for (const name of names) world.addPerson(TEST, name, { email: `${name}@example.com` });
    const { id } = await world.accept(TEST, draftTo(users(...names)));
    const claimed = await world.sends.claim();
    await erase('p149');
    await world.sends.process(claimed);
    expect(await rowsOf()).toEqual([]);
    // It is due again after the lease would have ended.
    world.clock.advance(30_000);
    await world.drain();
    expect((await rowsOf()).map(({ person }) => person)).toEqual(names.slice(0, 149).map((name) => `u:${name}`));
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 149 },
    });
  });

  it('an audience send without other messages survives and reaches the other members', async () => {
    const audienceId = rowId('everybody');
    for (const userId of ['ann', 'ben']) world.addPerson(TEST, userId, { email: `${userId}@example.com` });
    world.lists.set(audienceId, { members: ['ann', 'ben'], isReady: true });
    const { id } = await world.accept(TEST, { ...draftTo([]), source: 'audience', audienceId });
    await world.sends.turn();
    world.lists.set(audienceId, { members: ['ben'], isReady: true });
    for (const userId of ['ann', 'ben']) await erase(userId);
    expect(await rowsOf()).toEqual([]);
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({ audienceId, counts: { targeted: 0 } });
  });

  it('user ids are compared literally, without pattern characters', async () => {
    const names = ['a%', 'a_', 'ab', 'a\\', 'A%', 'a"b'];
    for (const userId of names) world.addPerson(TEST, userId, { email: `${names.indexOf(userId)}@example.com` });
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000);
    await world.accept(TEST, { ...draftTo(users(...names)), scheduledFor });
    for (const userId of ['a%', 'a\\', 'a"b']) await erase(userId);
    world.clock.advance(60_000);
    await world.drain();
    expect((await rowsOf()).map(({ person }) => person).sort()).toEqual(['u:A%', 'u:a_', 'u:ab']);
  });
});
