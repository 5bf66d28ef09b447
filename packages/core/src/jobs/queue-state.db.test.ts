import { afterEach, beforeEach, expect, it } from 'vitest';
import { addresses, draftTo, numbered, openWorld, TEST, type World } from '../../test/support/sends/world.ts';
import { messageQueue } from '../messaging/sends/statements.ts';
import { LEASE_MS } from './registration.ts';
import { queueState } from './store.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

it('a queue reports due, claimed, expired and scheduled rows', async () => {
  const state = () => queueState(world.storage, messageQueue(world.tables));
  const idle = { name: 'messages', due: 0, oldestSeconds: 0, expired: 0, claimed: 0, scheduled: 0 };
  expect(await state()).toEqual(idle);
  await world.accept(TEST, draftTo(addresses(...numbered(5))));
  await world.messages.claim(2);
  world.clock.advance(3_000);
  expect(await state()).toEqual({ ...idle, due: 3, oldestSeconds: 3, claimed: 2 });
  const { messages } = world.tables;
  await world.storage.db
    .update(messages)
    .set({ dueAt: new Date(world.clock.now().getTime() + 3_600_000), leaseUntil: null });
  expect(await state()).toEqual({ ...idle, scheduled: 5 });
  await world.storage.db.update(messages).set({ dueAt: world.clock.now() });
  await world.messages.claim(5);
  expect(await state()).toMatchObject({ due: 0, claimed: 5, scheduled: 0 });
  world.clock.advance(LEASE_MS + 2_000);
  expect(await state()).toEqual({ ...idle, due: 5, oldestSeconds: 2, expired: 5 });
});
