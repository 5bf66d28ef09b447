import { beforeEach, describe, expect, it } from 'vitest';
import { openSocialAuth, type SocialAuth } from '../../test/support/identity/social-auth.ts';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { EMAIL, MINUTE, PASSWORD, refused } from '../../test/support/identity/world.ts';
import type { TokenSet } from './shapes/answers.generated.ts';

const VERIFIED = { email: EMAIL, email_verified: true, name: 'Ann' };
const ATTACKER = 'password of the attacker';

describe('links between identities and accounts', () => {
  let world: SocialAuth;
  beforeEach(async () => {
    world = await openSocialAuth();
    world.says(VERIFIED);
  });

  const linked = async (tokens: TokenSet) => {
    const bearer = await world.bearerOf(tokens);
    const begun = await world.begin('google', bearer);
    const code = await world.code(begun);
    return { bearer, begun, code };
  };
  const link = async (tokens: TokenSet) => {
    const { bearer, begun, code } = await linked(tokens);
    return world.auth.exchangeCode(world.scope, { code, codeVerifier: begun.codeVerifier }, {}, bearer);
  };

  it('L1 a first proof by a provider removes the password, sessions and identities of an earlier sign-up', async () => {
    await world.auth.updateSettings(world.scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    const attacker = await tokensOf(
      world.auth.signUp(world.scope, { email: EMAIL, password: ATTACKER }) as Promise<TokenSet>,
    );
    world.says({ sub: 'attacker', email: 'attacker@example.com', email_verified: true });
    await link(attacker);
    world.says(VERIFIED);
    const owner = await world.social();
    expect(owner.user).toMatchObject({ id: attacker.user.id, email: EMAIL, emailVerified: true });
    await expect(world.auth.signIn(world.scope, { email: EMAIL, password: ATTACKER })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    await expect(world.bearerOf(attacker)).rejects.toMatchObject(refused('session_expired'));
    await expect(world.auth.refresh(world.scope, { refreshToken: attacker.refreshToken })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    const { data } = await world.users.identities(world.scope, owner.user.id);
    expect(data.map(({ subject }) => subject)).toEqual(['user-1']);
    world.says({ sub: 'attacker', email: 'attacker@example.com', email_verified: true });
    expect((await world.social()).user.id).not.toBe(owner.user.id);
  });

  it('L1 a first proof by email removes the identities that were linked before it', async () => {
    await world.auth.updateSettings(world.scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    const attacker = await tokensOf(
      world.auth.signUp(world.scope, { email: EMAIL, password: ATTACKER }) as Promise<TokenSet>,
    );
    world.says({ sub: 'attacker', email: 'attacker@example.com', email_verified: true });
    await link(attacker);
    await world.lastEmail();
    world.clock.advance(2 * MINUTE);
    await world.auth.forgotPassword(world.scope, { email: EMAIL });
    const { token } = await world.lastEmail();
    await world.auth.resetPassword(world.scope, { token, password: PASSWORD });
    expect((await world.users.identities(world.scope, attacker.user.id)).data).toEqual([]);
  });

  it('L2 a verified address with a verified account is refused unless the settings link the provider', async () => {
    await world.register();
    const { user } = await world.signIn();
    await expect(world.social()).rejects.toMatchObject({
      code: 'CONFLICT',
      ...refused('account_exists_link_required'),
    });
    await world.auth.updateSettings(world.scope, { linking: { autoLinkProviders: ['github'] } });
    await expect(world.social()).rejects.toMatchObject(refused('account_exists_link_required'));
    await world.auth.updateSettings(world.scope, { linking: { autoLinkProviders: ['google'] } });
    expect((await world.social()).user.id).toBe(user.id);
    // The password belongs to the owner of the mailbox, so it stays.
    expect((await world.signIn()).user.id).toBe(user.id);
    expect(await world.eventsOf(user.userId)).toContain('user.identified');
  });

  it('L3 an unverified address is never matched under any settings', async () => {
    await world.auth.updateSettings(world.scope, { linking: { autoLinkProviders: ['google'] } });
    await world.register();
    const { user } = await world.signIn();
    world.says({ email: EMAIL, email_verified: false });
    const other = await world.social();
    expect(other.user.id).not.toBe(user.id);
    expect(other.user).toMatchObject({ email: null, emailVerified: false });
  });

  it('a signed-in user links an identity and then signs in with it', async () => {
    await world.register();
    const tokens = await world.signIn();
    expect(await link(tokens)).toMatchObject({ linked: { provider: 'google', email: EMAIL } });
    expect((await world.social()).user.id).toBe(tokens.user.id);
    const bearer = await world.bearerOf(tokens);
    expect((await world.auth.identities(world.scope, bearer)).data).toHaveLength(1);
    // Linking it again changes nothing.
    expect(await link(tokens)).toMatchObject({ linked: { provider: 'google' } });
    expect((await world.auth.identities(world.scope, bearer)).data).toHaveLength(1);
  });

  it('O13 a link that is finished in the browser of another person links nothing', async () => {
    await world.register();
    const victim = await world.signIn();
    await world.users.create(world.scope, { email: 'bob@example.com', emailVerified: true, password: ATTACKER });
    const bob = await world.signIn(world.scope, 'bob@example.com', ATTACKER);
    const { begun, code, bearer } = await linked(bob);
    const input = { code, codeVerifier: begun.codeVerifier };
    const exchange = (as: typeof bearer | null) => world.auth.exchangeCode(world.scope, input, {}, as);
    const other = await world.bearerOf(await world.signIn(world.scope, 'bob@example.com', ATTACKER));
    for (const as of [null, await world.bearerOf(victim), other])
      await expect(exchange(as)).rejects.toMatchObject(refused('invalid_grant'));
    for (const { user } of [victim, bob]) expect((await world.users.identities(world.scope, user.id)).data).toEqual([]);
    expect(await exchange(bearer)).toMatchObject({ linked: { provider: 'google' } });
  });

  it('O13 a link whose session has ended links nothing', async () => {
    await world.register();
    const { begun, code, bearer } = await linked(await world.signIn());
    await world.auth.logout(world.scope, bearer);
    await expect(
      world.auth.exchangeCode(world.scope, { code, codeVerifier: begun.codeVerifier }, {}, bearer),
    ).rejects.toMatchObject(refused('invalid_grant'));
  });

  it('an identity of another account is refused with credential_exists', async () => {
    await world.social();
    await world.users.create(world.scope, { email: 'bob@example.com', emailVerified: true, password: ATTACKER });
    const bob = await world.signIn(world.scope, 'bob@example.com', ATTACKER);
    await expect(link(bob)).rejects.toMatchObject({ code: 'CONFLICT', ...refused('credential_exists') });
  });

  it('the last way to sign in cannot be removed', async () => {
    world.says({ email: EMAIL, email_verified: false });
    const tokens = await world.social();
    const bearer = await world.bearerOf(tokens);
    const ids = async () => (await world.auth.identities(world.scope, bearer)).data.map(({ id }) => id);
    const unlink = async (id: string) => world.auth.unlinkIdentity(world.scope, bearer, id);
    const [first = ''] = await ids();
    await expect(unlink(first)).rejects.toMatchObject({ code: 'CONFLICT', ...refused('last_method') });
    world.says({ sub: 'second', email: EMAIL, email_verified: false });
    await link(tokens);
    const both = await ids();
    // Of two removals at once, one finds the other identity gone.
    const results = await Promise.allSettled(both.map(unlink));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await ids()).toHaveLength(1);
    await expect(unlink('01890000-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a verified address counts as a way to sign in', async () => {
    const tokens = await world.social();
    const bearer = await world.bearerOf(tokens);
    const { data } = await world.auth.identities(world.scope, bearer);
    expect(await world.auth.unlinkIdentity(world.scope, bearer, data[0]?.id ?? '')).toEqual({ unlinked: true });
    expect((await world.auth.identities(world.scope, bearer)).data).toEqual([]);
    const { data: entries } = await world.auth.audit(world.scope, { action: 'identity.unlink' });
    expect(entries).toMatchObject([{ actor: `user:${tokens.user.id}`, detail: { provider: 'google' } }]);
  });

  it('two first sign-ins of one identity at once create one account', async () => {
    const flows = [await world.begin(), await world.begin()];
    const codes: string[] = [];
    for (const begun of flows) {
      world.idp.authorize(begun.authorizationUrl);
      codes.push(await world.code(begun));
    }
    const tokens = await Promise.all(flows.map((begun, index) => world.exchange(begun, codes[index] ?? '')));
    expect(new Set(tokens.map(({ user }) => user.id)).size).toBe(1);
    expect((await world.users.list(world.scope)).data).toHaveLength(1);
  });

  describe('a guest', () => {
    const guestOf = async (): Promise<TokenSet> => {
      world.says({ sub: 'guest', email: undefined, email_verified: undefined });
      const tokens = await world.social();
      const { authUsers, authIdentities } = world.database.tables;
      const { db } = world.database.storage;
      await db.update(authUsers).set({ isAnonymous: true });
      await db.delete(authIdentities);
      return tokens;
    };
    const upgrade = async (tokens: TokenSet) => {
      const begun = await world.begin();
      const code = await world.code(begun);
      const input = { code, codeVerifier: begun.codeVerifier };
      const upgraded = await world.auth.upgradeGuest(world.scope, await world.bearerOf(tokens), input);
      if (!('accessToken' in upgraded)) throw new Error('an identity upgrades at once');
      return upgraded;
    };

    it('a guest becomes a user with the same id by an identity, and its session stays valid', async () => {
      const guest = await guestOf();
      world.says(VERIFIED);
      const tokens = await upgrade(guest);
      expect(tokens).toMatchObject({
        ...{ sessionId: guest.sessionId },
        user: { id: guest.user.id, userId: guest.user.userId, email: EMAIL, emailVerified: true, isAnonymous: false },
      });
      const events = await world.eventsOf(guest.user.userId);
      expect(events.filter((name) => name === 'user.signed_up')).toHaveLength(2);
      expect((await world.social()).user.id).toBe(guest.user.id);
      await expect(upgrade(tokens)).rejects.toMatchObject(refused('not_anonymous'));
    });

    it('a guest is not upgraded by an identity or a verified address of another account', async () => {
      await world.register();
      const guest = await guestOf();
      world.says(VERIFIED);
      await expect(upgrade(guest)).rejects.toMatchObject({ code: 'CONFLICT', ...refused('account_exists') });
      expect((await world.users.get(world.scope, guest.user.id)).isAnonymous).toBe(true);
    });
  });

  it('W6 an erasure leaves no identity', async () => {
    const { user } = await world.social();
    await world.users.delete(world.scope, user.id);
    await world.beckon.worker.drain();
    const { db } = world.database.storage;
    expect(await db.select().from(world.database.tables.authIdentities)).toEqual([]);
    // The state of a redirect holds nothing about a person.
    const rows = await db.select().from(world.database.tables.authOneTime);
    expect(rows.map(({ kind }) => kind)).toEqual(['state']);
  });
});
