import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import { OTHERS, openTokens, TEST, type TokensWorld } from '../../../test/support/push/world.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { scopeLike, testScopes } from '../../../test/support/scopes.ts';
import { type AddressState, type Loaded, type RecipientView, recipientKey, type Target } from '../sends/channel.ts';
import { pushChannel } from './channel.ts';

const user = (userId: string, scope = TEST): Target => ({ ...scope, recipient: { kind: 'user', userId } });
const raw = (address: string, scope = TEST): Target => ({
  ...scope,
  recipient: { kind: 'address', address, name: null },
});
const all = { after: null, limit: 500 };

/** State of an unusable token. */
const GONE: AddressState = { unusable: 'token_inactive', timezone: null, locale: null };

describe('pushChannel', () => {
  let world: TokensWorld;
  let channel: ReturnType<typeof pushChannel>;
  beforeEach(async () => {
    world = await openTokens();
    channel = pushChannel({ ...world, scopes: testScopes });
  });
  afterEach(() => world.close());

  /** The result of `addressesOf` for recipients after a load. */
  const reached = async (targets: readonly Target[], content: RecipientView['content'] = {}) => {
    const loaded = await channel.load?.(targets, all);
    return targets.map((one) => {
      const found = loaded?.found.get(recipientKey(one)) ?? [];
      return channel.addressesOf({ target: one, profile: undefined, content, loaded: found });
    });
  };

  it('a user is reached at every active token, in id order', async () => {
    const ids = [await world.device('fcm:1', 'ann'), await world.device('fcm:2', 'ann')];
    const gone = await world.device('fcm:3', 'ann');
    await world.tokens.delete(TEST, gone);
    await world.device('fcm:4', 'bob');
    expect(await reached([user('ann')])).toEqual([
      [
        { address: 'fcm:1', name: null, facts: { platform: 'android', tokenId: ids[0] } },
        { address: 'fcm:2', name: null, facts: { platform: 'android', tokenId: ids[1] } },
      ],
    ]);
  });

  it('a user without tokens differs from one with inactive tokens only', async () => {
    await world.tokens.delete(TEST, await world.device('fcm:1', 'ann'));
    await world.device('fcm:2', 'bob');
    expect(await reached([user('ann'), user('bob'), user('eve')])).toEqual([
      { none: 'token_inactive' },
      [expect.objectContaining({ address: 'fcm:2' })],
      { none: 'no_token' },
    ]);
  });

  it('a token registered with an APNs environment keeps it', async () => {
    const token = 'ab'.repeat(32);
    await world.tokens.register(TEST, { token, platform: 'ios', userId: 'ann', apnsEnvironment: 'sandbox' });
    expect(await reached([user('ann')])).toMatchObject([[{ facts: { platform: 'ios', apnsEnvironment: 'sandbox' } }]]);
  });

  it('`platforms` restricts the tokens of a user', async () => {
    await world.device('fcm:1', 'ann');
    await world.tokens.register(TEST, { token: 'ab'.repeat(32), platform: 'ios', userId: 'ann' });
    expect(await reached([user('ann')], { platforms: ['ios'] })).toMatchObject([[{ facts: { platform: 'ios' } }]]);
    expect(await reached([user('ann')], { platforms: ['web'] })).toEqual([{ none: 'no_token' }]);
  });

  it('a raw token uses its row, active or not, else the platform of its format', async () => {
    const id = await world.device('fcm:1', 'ann');
    await world.tokens.delete(TEST, id);
    expect(await reached([raw('fcm:1'), raw('AB'.repeat(32)), raw(subscriptionJson({}))])).toMatchObject([
      [{ address: 'fcm:1', facts: { platform: 'android', tokenId: id } }],
      [{ address: 'AB'.repeat(32), facts: { platform: 'ios' } }],
      [{ address: subscriptionJson({}), facts: { platform: 'web' } }],
    ]);
  });

  it.each(Object.entries(OTHERS))('tokens of %s are not found', async (_, scope) => {
    await world.device('fcm:1', 'ann', scope);
    expect(await reached([user('ann'), raw('fcm:1')])).toEqual([
      { none: 'no_token' },
      [{ address: 'fcm:1', name: null, facts: { platform: 'android' } }],
    ]);
    const message = { ...TEST, id: 'm', person: 'u:ann', address: 'fcm:1' };
    const [row] = await world.rows();
    expect(await channel.states?.([{ ...message, facts: { tokenId: row?.id ?? '' } }])).toEqual(new Map([['m', GONE]]));
  });

  it('recipients of several scopes are read together', async () => {
    const prod = scopeLike(TEST, { environment: 'prod' });
    await world.device('fcm:1', 'ann');
    await world.device('fcm:2', 'ann', prod);
    expect(await reached([user('ann'), user('ann', prod)])).toMatchObject([
      [{ address: 'fcm:1' }],
      [{ address: 'fcm:2' }],
    ]);
  });

  it('a hundred users and a hundred raw tokens need one statement each', async () => {
    for (let at = 0; at < 100; at += 1) await world.device(`fcm:${at}`, `u${at}`);
    const targets = Array.from({ length: 100 }, (_, at) => [user(`u${at}`), raw(`fcm:${at}`)]).flat();
    world.statements.length = 0;
    const loaded = await channel.load?.(targets, all);
    expect(loaded?.found.size).toBe(200);
    expect(world.statements.sort()).toEqual(['push.active_of', 'push.devices']);
  });

  it('recipients with too many tokens are to be read in smaller groups', async () => {
    for (let at = 0; at < 6; at += 1) await world.device(`fcm:${at}`, at < 3 ? 'ann' : 'bob');
    expect(await channel.load?.([user('ann'), user('bob')], { after: null, limit: 5 })).toBeNull();
    expect((await channel.load?.([user('ann'), user('bob')], { after: null, limit: 6 }))?.next).toBeNull();
  });

  it('a user with many tokens is read in pages, each token once', async () => {
    for (let at = 0; at < 7; at += 1) await world.device(`fcm:${at}`, 'ann');
    await world.device('fcm:other', 'bob');
    const seen: string[] = [];
    let after: string | null = null;
    let windows = 0;
    do {
      const loaded: Loaded | null | undefined = await channel.load?.([user('ann')], { after, limit: 3 });
      seen.push(...(loaded?.found.get(recipientKey(user('ann'))) ?? []).map(({ address }) => address));
      after = loaded?.next ?? null;
      windows += 1;
    } while (after !== null && windows < 10);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, at) => `fcm:${at}`));
    expect(windows).toBe(3);
  });

  it('active tokens are counted by platform; a user without any counts as one', async () => {
    await world.device('fcm:1', 'ann');
    await world.device('fcm:2', 'ann');
    await world.tokens.register(TEST, { token: 'ab'.repeat(32), platform: 'ios', userId: 'bob' });
    await world.tokens.delete(TEST, await world.device('fcm:3', 'eve'));
    const users = ['ann', 'bob', 'eve', 'nobody'].map((userId) => ({ kind: 'user' as const, userId }));
    const recipient = { kind: 'address' as const, address: subscriptionJson({}), name: null };
    const counted = await channel.count?.(TEST, [...users, recipient], {});
    expect(counted).toEqual({ total: 6, platforms: expect.arrayContaining(['android', 'ios', 'web']), large: [] });
    expect(await channel.count?.(TEST, users, { platforms: ['ios'] })).toEqual({
      total: 4,
      platforms: ['ios'],
      large: [],
    });
  });

  describe('before a handover', () => {
    const held = (id: string, tokenId: string | undefined, person: string | null) => ({
      ...TEST,
      id,
      person,
      address: 'fcm:1',
      facts: tokenId === undefined ? {} : { tokenId },
    });

    it('a message to a token that became inactive or changed its user is stopped', async () => {
      const ids = [];
      for (const at of [0, 1, 2]) ids.push(await world.device(`fcm:${at}`, 'ann'));
      await world.tokens.delete(TEST, ids[1] ?? '');
      await world.device('fcm:2', 'bob');
      const messages = ids.map((tokenId, at) => held(`m${at}`, tokenId, 'u:ann'));
      world.statements.length = 0;
      expect(await channel.states?.(messages)).toEqual(
        new Map<string, AddressState>([
          ['m0', { unusable: null, timezone: null, locale: null }],
          ['m1', GONE],
          ['m2', GONE],
        ]),
      );
      expect(world.statements).toEqual(['push.states']);
    });

    it('a message has the time zone and language of its device', async () => {
      const body = {
        token: 'fcm:1',
        platform: 'android',
        userId: 'ann',
        timezone: 'Europe/Berlin',
        locale: 'de-AT',
      } as const;
      const { token } = await world.tokens.register(TEST, body);
      expect(await channel.states?.([held('m1', token.id, 'u:ann')])).toEqual(
        new Map([['m1', { unusable: null, timezone: 'Europe/Berlin', locale: 'de-AT' }]]),
      );
    });

    it("a message to a raw token passes whatever its row says and uses the row's zone and language", async () => {
      const id = await world.device('fcm:1', 'ann');
      const zoned = { token: 'fcm:2', platform: 'android', timezone: 'Asia/Tokyo', locale: 'ja' } as const;
      const { token } = await world.tokens.register(TEST, zoned);
      await world.tokens.delete(TEST, id);
      await world.tokens.delete(TEST, token.id);
      const messages = [held('m1', id, null), held('m2', undefined, null), held('m3', token.id, null)];
      expect(await channel.states?.([...messages, held('m4', rowId('gone'), null)])).toEqual(
        new Map([
          ['m1', { unusable: null, timezone: null, locale: null }],
          ['m3', { unusable: null, timezone: 'Asia/Tokyo', locale: 'ja' }],
          ['m4', { unusable: null, timezone: null, locale: null }],
        ]),
      );
    });
  });

  it('a message is rendered for its device', () => {
    const input = {
      scope: TEST,
      messageId: 'm',
      sendId: 's',
      to: { address: 'fcm:1', name: null, facts: { platform: 'android' as const, tokenId: 't' } },
      defaultFrom: { email: 'a@b.example', name: null },
      role: 'to' as const,
      class: 'marketing' as const,
      statusCallback: null,
      scopes: { trait: { name: 'Ann' } },
      now: world.clock.now(),
    };
    const content = { title: 'Hi {{trait.name}}', ttlSeconds: 1 };
    expect(channel.render(content, input)).toMatchObject({
      verdict: 'pass',
      message: { messageId: 'm', sendId: 's', token: 'fcm:1', platform: 'android', title: 'Hi Ann' },
    });
    expect(channel.render({ title: '', ttlSeconds: 1 }, input)).toEqual({
      verdict: 'suppressed',
      reason: 'empty_body',
    });
    expect(channel.render({ ...content, data: { a: '{{trait.x}}', b: ['javascript:x'] } }, input)).toMatchObject({
      verdict: 'failed',
      code: 'unsafe_url',
    });
  });

  it('a subscription with new keys is the same device', () => {
    const other = subscriptionJson({ auth: Buffer.alloc(16, 1).toString('base64url') });
    expect(channel.addressKey(other)).toBe(channel.addressKey(subscriptionJson({})));
  });
});
