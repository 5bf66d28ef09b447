import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import { OTHERS, openTokens, START, TEST, type TokensWorld } from '../../../test/support/push/world.ts';
import { namesOf, scopeLike } from '../../../test/support/scopes.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { newDraft } from '../../people/events/pipeline.ts';

describe('push tokens', () => {
  let world: TokensWorld;
  beforeEach(async () => {
    world = await openTokens();
  });
  afterEach(() => world.close());

  const ownerOf = ({ tokenKey, scopeId, id }: Awaited<ReturnType<TokensWorld['rows']>>[number]) => ({
    ...{ tokenKey, scopeId, id },
  });
  const device = {
    token: 'fcm:1',
    platform: 'android',
    userId: 'ann',
    locale: 'fr',
    timezone: 'Europe/Paris',
  } as const;

  it('a new device is stored as registered and reported as new', async () => {
    const answer = await world.tokens.register(TEST, { ...device, appVersion: '1.0' });
    expect(answer).toEqual({
      isNew: true,
      token: {
        ...namesOf(TEST),
        id: expect.any(String),
        userId: 'ann',
        anonymousId: null,
        platform: 'android',
        token: 'fcm:1',
        locale: 'fr',
        timezone: 'Europe/Paris',
        appVersion: '1.0',
        apnsEnvironment: null,
        isActive: true,
        createdAt: new Date(START),
        updatedAt: new Date(START),
      },
    });
    expect(await world.rows()).toMatchObject([{ ...scopeOf(TEST), person: 'u:ann', registeredAt: new Date(START) }]);
  });

  it('a known device is updated and keeps its id and creation time', async () => {
    const first = await world.tokens.register(TEST, device);
    world.clock.advance(60_000);
    const change = { userId: 'bob', locale: 'nl', timezone: null, appVersion: '2.0' };
    const again = await world.tokens.register(TEST, { token: 'fcm:1', platform: 'android', ...change });
    expect(again).toMatchObject({
      isNew: false,
      token: { ...change, id: first.token.id, createdAt: new Date(START), updatedAt: world.clock.now() },
    });
    expect(await world.rows()).toMatchObject([{ registeredAt: world.clock.now() }]);
  });

  it('omitted fields keep their values and null clears them', async () => {
    await world.tokens.register(TEST, { ...device, appVersion: '1.0' });
    const bare = { token: 'fcm:1', platform: 'android' } as const;
    expect(await world.tokens.register(TEST, bare)).toMatchObject({
      token: { userId: 'ann', locale: 'fr', timezone: 'Europe/Paris', appVersion: '1.0' },
    });
    expect(await world.tokens.register(TEST, { ...bare, userId: null, locale: null })).toMatchObject({
      token: { userId: null, locale: null, timezone: 'Europe/Paris' },
    });
  });

  it('a device that registers again keeps isActive', async () => {
    const { token } = await world.tokens.register(TEST, device);
    await world.tokens.delete(TEST, token.id);
    expect(await world.tokens.register(TEST, device)).toMatchObject({ isNew: false, token: { isActive: false } });
  });

  it('with reactivateOnRegister a device that registers again becomes active', async () => {
    const reactivating = world.engine({ reactivates: async ({ scopeId }) => scopeId === TEST.scopeId });
    const { token } = await reactivating.register(TEST, device);
    await reactivating.delete(TEST, token.id);
    expect(await reactivating.register(TEST, device)).toMatchObject({ isNew: false, token: { isActive: true } });
    expect(await world.rows()).toMatchObject([{ id: token.id, isActive: true }]);
    // A device that moves from another project becomes active too.
    const away = OTHERS['another project'] ?? TEST;
    await reactivating.delete(TEST, token.id);
    expect(await reactivating.register(away, device)).toMatchObject({ token: { isActive: false } });
    expect(await reactivating.register(TEST, device)).toMatchObject({ token: { isActive: true } });
  });

  it('a registration with an unreadable time zone keeps the stored one', async () => {
    await world.tokens.register(TEST, device);
    for (const timezone of ['Etc/Unknown', 'Mars/Base\0', ''])
      expect(await world.tokens.register(TEST, { ...device, timezone })).toMatchObject({
        token: { timezone: 'Europe/Paris' },
      });
    expect(await world.tokens.register(TEST, { ...device, timezone: 'GMT+05:30' })).toMatchObject({
      token: { timezone: '+05:30' },
    });
    const other = { ...device, token: 'fcm:2', timezone: 'Etc/Unknown' };
    expect(await world.tokens.register(TEST, other)).toMatchObject({ isNew: true, token: { timezone: null } });
  });

  it('a browser with new subscription keys is the same device', async () => {
    const web = { platform: 'web', userId: 'ann' } as const;
    const first = await world.tokens.register(TEST, { ...web, token: subscriptionJson({}) });
    const keys = { auth: Buffer.alloc(16, 1).toString('base64url') };
    const again = await world.tokens.register(TEST, { ...web, token: subscriptionJson(keys) });
    expect(again).toMatchObject({ isNew: false, token: { id: first.token.id } });
    expect(JSON.parse(again.token.token)).toMatchObject({ keys });
  });

  it('an APNs token in upper case is the same device', async () => {
    const ios = { platform: 'ios', apnsEnvironment: 'sandbox' } as const;
    await world.tokens.register(TEST, { ...ios, token: 'ab'.repeat(32) });
    const again = await world.tokens.register(TEST, { platform: 'ios', token: 'AB'.repeat(32) });
    expect(again).toMatchObject({ isNew: false, token: { apnsEnvironment: 'sandbox' } });
  });

  it('a registration moves a device to another project or environment without its user', async () => {
    const first = await world.tokens.register(TEST, device);
    await world.tokens.delete(TEST, first.token.id);
    for (const name of ['another project', 'another environment']) {
      const scope = OTHERS[name] ?? TEST;
      const moved = await world.tokens.register(scope, { token: 'fcm:1', platform: 'android' });
      expect(moved).toMatchObject({
        isNew: false,
        token: { ...namesOf(scope), id: first.token.id, userId: null, locale: null, timezone: null, isActive: false },
      });
    }
    expect(await world.rows()).toHaveLength(1);
    await expect(world.tokens.delete(TEST, first.token.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('devices of two organizations are separate, even with the same token', async () => {
    await world.tokens.register(TEST, device);
    const other = scopeLike(TEST, { orgId: 'org-b' });
    expect(await world.tokens.register(other, { ...device, userId: 'eve' })).toMatchObject({ isNew: true });
    expect((await world.rows()).map(({ scopeId, person }) => [scopeId, person])).toEqual([
      [TEST.scopeId, 'u:ann'],
      [other.scopeId, 'u:eve'],
    ]);
  });

  it('twenty concurrent registrations of one device make one row, and one of them is new', async () => {
    const two = [world.tokens, world.engine()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        two[at % 2]?.register(TEST, { token: 'fcm:1', platform: 'android', userId: `u${at}` }),
      ),
    );
    const rows = await world.rows();
    expect(rows).toHaveLength(1);
    expect(answers.filter((answer) => answer?.isNew)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer?.token.id))).toEqual(new Set([rows[0]?.id]));
    expect(await world.owners()).toEqual(rows.map(ownerOf));
  });

  it('concurrent registrations in two projects keep the device consistent', async () => {
    const shop = OTHERS['another project'] ?? TEST;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.tokens.register(at % 2 === 0 ? TEST : shop, {
          token: 'fcm:1',
          platform: 'android',
          userId: at % 2 === 0 ? 'of-app' : 'of-shop',
        }),
      ),
    );
    const rows = await world.rows();
    expect(rows).toHaveLength(1);
    expect(await world.owners()).toEqual(rows.map(ownerOf));
    expect(new Set(answers.map(({ token }) => token.id)).size).toBe(1);
    for (const { token } of answers) expect(token.userId).toBe(token.projectId === 'app' ? 'of-app' : 'of-shop');
  });

  it('a device has one owner while processes move it between three scopes and a user is erased', async () => {
    const engines = [world.tokens, world.engine()];
    const scopes = [TEST, OTHERS['another project'] ?? TEST, OTHERS['another environment'] ?? TEST];
    const work = Array.from({ length: 60 }, async (_, at) => {
      const [engine, scope] = [engines[at % 2] ?? world.tokens, scopes[at % 3] ?? TEST];
      if (at % 10 === 9) {
        const step = engine.eraser.begin({ scope, userId: 'ann', people: ['u:ann'], addresses: [] });
        while ((await step()).isMore);
        return;
      }
      const userId = at % 4 === 0 ? 'ann' : `user-${at}`;
      await engine.register(scope, { token: `fcm:${at % 5}`, platform: 'android', userId });
    });
    await Promise.all(work);
    const rows = await world.rows();
    expect(new Set(rows.map(({ tokenKey }) => tokenKey)).size).toBe(rows.length);
    expect(await world.owners()).toEqual(rows.map(ownerOf));
  });

  it('an erased device gets a new id when it registers again', async () => {
    const id = await world.device('fcm:1', 'ann');
    const step = world.tokens.eraser.begin({ scope: TEST, userId: 'ann', people: ['u:ann'], addresses: [] });
    while ((await step()).isMore);
    expect([await world.rows(), await world.owners()]).toEqual([[], []]);
    const again = await world.tokens.register(TEST, device);
    expect(again.isNew).toBe(true);
    expect(again.token.id).not.toBe(id);
  });

  it('deleting a token is idempotent', async () => {
    const id = await world.device('fcm:1', 'ann');
    for (let times = 0; times < 2; times += 1)
      expect(await world.tokens.delete(TEST, id)).toMatchObject({ id, isActive: false });
    expect(await world.rows()).toHaveLength(1);
  });

  it.each(Object.entries(OTHERS))('%s can neither delete nor see a token', async (_, scope) => {
    const id = await world.device('fcm:1', 'ann');
    const missing = await world.tokens.delete(scope, 'nothing').catch((error: unknown) => error);
    expect(await world.tokens.delete(scope, id).catch((error: unknown) => error)).toEqual(missing);
    expect(missing).toMatchObject({ code: 'NOT_FOUND' });
    expect(await world.tokens.ofPerson(scope, 'u:ann')).toEqual([]);
    expect(await world.rows()).toMatchObject([{ isActive: true }]);
  });

  it('the tokens of a user are listed newest first, including inactive ones', async () => {
    const ids = [await world.device('fcm:1', 'ann'), await world.device('fcm:2', 'ann')];
    await world.device('fcm:3', 'bob');
    await world.tokens.delete(TEST, ids[0] ?? '');
    const shown = await world.tokens.ofPerson(TEST, 'u:ann');
    expect(shown.map(({ id, isActive }) => [id, isActive])).toEqual([
      [ids[1], true],
      [ids[0], false],
    ]);
  });

  it('tokens of an anonymous user move to the identified user', async () => {
    await world.tokens.register(TEST, { token: 'fcm:1', platform: 'android', anonymousId: 'a1' });
    await world.tokens.register(TEST, { token: 'fcm:2', platform: 'android', anonymousId: 'a2' });
    const prod = scopeLike(TEST, { environment: 'prod' });
    await world.tokens.register(prod, { token: 'fcm:3', platform: 'android', anonymousId: 'a1' });
    const draft = newDraft([], world.clock.now());
    draft.merges.push({ scope: TEST, from: 'a:a1', to: 'u:ann' });
    world.tokens.merges.plan(draft, undefined);
    await world.storage.commit({ writes: draft.writes });
    expect((await world.rows()).map(({ person }) => person)).toEqual(['u:ann', 'a:a2', 'a:a1']);
  });

  it('a device of an anonymous id identified before is registered for the user', async () => {
    world.aliases.set('a1', 'ann');
    const { token } = await world.tokens.register(TEST, { token: 'fcm:1', platform: 'android', anonymousId: 'a1' });
    expect(token).toMatchObject({ userId: 'ann', anonymousId: null });
  });

  it('a token registered while its user was merged follows to the merged user', async () => {
    await world.tokens.register(TEST, { token: 'fcm:1', platform: 'android', anonymousId: 'a1' });
    await world.tokens.follow(TEST, 'a:a1', 'u:ann');
    expect(await world.rows()).toMatchObject([{ person: 'u:ann' }]);
  });

  it('a registration is one commit of two statements and one read, and builds no SQL', async () => {
    await world.device('fcm:1', 'ann');
    world.statements.length = 0;
    await world.device('fcm:1', 'ann');
    await world.device('fcm:2', 'ann');
    const each = ['push.own', 'push.upsert_person', 'push.devices'];
    expect(world.statements).toEqual([...each, ...each]);
  });

  it('webConfig returns the subscription key, or what is missing for it', async () => {
    const prod = scopeLike(TEST, { environment: 'prod' });
    await expect(world.tokens.webConfig(prod)).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { channel: 'push', provider: 'webpush', missing: ['publicKey', 'privateKey', 'subject'] },
    });
    const configured = world.engine({ vapidPublicKey: async () => 'BPublic' });
    for (const scope of [TEST, prod]) expect(await configured.webConfig(scope)).toEqual({ vapidPublicKey: 'BPublic' });
  });

  it('webConfig returns a sandbox key in test without a provider', async () => {
    const { vapidPublicKey } = await world.tokens.webConfig(TEST);
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const key = crypto.subtle.importKey('raw', Buffer.from(vapidPublicKey, 'base64url'), algorithm, true, ['verify']);
    await expect(key).resolves.toMatchObject({ type: 'public' });
  });

  it('a failed commit leaves nothing behind', async () => {
    world.observer.beforeCommit = () => {
      throw new Error('disk full');
    };
    await expect(world.device('fcm:1', 'ann')).rejects.toThrow('disk full');
    delete world.observer.beforeCommit;
    expect(await world.rows()).toEqual([]);
  });
});
