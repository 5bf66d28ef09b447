import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listeningTo } from '../../../test/support/events/listening.ts';
import { OTHERS, openTokens, START, TEST, type TokensWorld } from '../../../test/support/push/world.ts';
import { messageChange } from '../../../test/support/sends/message.ts';
import type { Write } from '../../database/commit/write-set.ts';
import { scopeOf } from '../../foundation/scope.ts';
import type { AddressFeedback } from '../sends/channel.ts';
import type { MessageChange } from '../sends/finalize/change.ts';
import { type BoundMessageReaction, bindMessageReaction } from '../sends/finalize/reactions.ts';
import { deadTokens } from './invalidate.ts';

describe('deadTokens', () => {
  let world: TokensWorld;
  let reaction: BoundMessageReaction;
  beforeEach(async () => {
    world = await openTokens();
    const emitter = listeningTo(world.tables);
    reaction = bindMessageReaction(deadTokens({ ...world, emitter, causes: async () => () => ({ depth: 0 }) }));
  });
  afterEach(() => world.close());

  const about = (tokenId: string | undefined) => ({
    address: 'fcm:1',
    facts: { platform: 'android' as const, ...(tokenId === undefined ? {} : { tokenId }) },
  });
  const change = (feedback: AddressFeedback): MessageChange =>
    messageChange({ ...TEST, channel: 'push', messageId: 'm1', person: 'u:ann', status: 'failed', feedback });
  const dead = (tokenId: string | undefined, deadSince: Date | null = null): MessageChange =>
    change({ ...about(tokenId), kind: 'dead', deadSince });
  const put = (writes: readonly Write[]) => world.storage.commit({ writes });
  const plan = async (changes: readonly MessageChange[]) => {
    const planned = await reaction.load(changes.filter(reaction.concerns));
    return () => planned(world.clock.now()).writes;
  };
  const commit = async (changes: readonly MessageChange[]) => put((await plan(changes))());
  const events = () => world.storage.db.select().from(world.tables.events);

  it('a dead token becomes inactive and raises its event', async () => {
    const id = await world.device('fcm:1', 'ann');
    world.clock.advance(1_000);
    expect(await commit([dead(id)])).toEqual({ ok: true });
    expect(await world.rows()).toMatchObject([{ isActive: false, lastError: 'dead', updatedAt: world.clock.now() }]);
    expect(await events()).toMatchObject([
      {
        ...scopeOf(TEST),
        person: 'u:ann',
        module: 'push',
        eventType: 'push.token_invalidated',
        source: 'system',
        properties: { tokenId: id, platform: 'android', messageId: 'm1' },
      },
    ]);
  });

  it('a token that several messages report as dead raises one event', async () => {
    const id = await world.device('fcm:1', 'ann');
    await commit([dead(id), dead(id)]);
    await commit([dead(id)]);
    expect(await events()).toHaveLength(1);
  });

  it('of two workers one wins, and the other plans again', async () => {
    const id = await world.device('fcm:1', 'ann');
    const plans = await Promise.all([plan([dead(id)]), plan([dead(id)])]);
    const results = await Promise.all(plans.map((writes) => put(writes())));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect((await plan([dead(id)]))()).toEqual([]);
    expect(await events()).toHaveLength(1);
  });

  it("a token registered after the time of its provider's report stays active", async () => {
    const id = await world.device('fcm:1', 'ann');
    const start = new Date(START).getTime();
    await commit([dead(id, new Date(start - 1))]);
    expect(await world.rows()).toMatchObject([{ isActive: true }]);
    await commit([dead(id, new Date(start))]);
    expect(await world.rows()).toMatchObject([{ isActive: false }]);
    expect(await events()).toHaveLength(1);
  });

  it('a token that registers while its end is written stays active', async () => {
    const id = await world.device('fcm:1', 'ann');
    const writes = await plan([dead(id)]);
    world.clock.advance(1);
    await world.device('fcm:1', 'ann');
    const result = await put(writes());
    expect(result).toMatchObject({ ok: false });
    expect(await world.rows()).toMatchObject([{ isActive: true }]);
    expect(await events()).toEqual([]);
  });

  it('the APNs host that knows a token is stored', async () => {
    const { token } = await world.tokens.register(TEST, { token: 'ab'.repeat(32), platform: 'ios', userId: 'ann' });
    await commit([change({ ...about(token.id), kind: 'apns_environment', apnsEnvironment: 'sandbox' })]);
    expect(await world.rows()).toMatchObject([{ apnsEnvironment: 'sandbox', isActive: true }]);
    expect(await events()).toEqual([]);
  });

  it('unregistered tokens and other channels cause no write', async () => {
    const id = await world.device('fcm:1', 'ann');
    world.statements.length = 0;
    const mail: MessageChange = { ...dead(id), channel: 'email' };
    expect([dead(undefined), mail].map(reaction.concerns)).toEqual([false, false]);
    expect((await plan([dead(undefined), mail]))()).toEqual([]);
    expect(world.statements).toEqual([]);
  });

  it.each(Object.entries(OTHERS))('a token that %s has now is not changed', async (_, scope) => {
    const id = await world.device('fcm:1', 'ann', scope);
    await commit([dead(id)]);
    expect(await world.rows()).toMatchObject([{ isActive: true }]);
  });

  it('the event of a device without a user is stored under the device', async () => {
    const id = await world.device('fcm:1');
    await commit([dead(id)]);
    expect(await events()).toMatchObject([{ person: `a:${id}` }]);
  });

  it('a hundred dead tokens need a constant number of statements', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 100; at += 1) ids.push(await world.device(`fcm:${at}`, `u${at}`));
    world.statements.length = 0;
    await commit(ids.map((id) => dead(id)));
    expect(world.statements).toEqual(['push.known', 'push.deactivate', 'events.insert_raised']);
  });
});
