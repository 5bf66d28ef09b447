import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appOf } from '../../../test/support/identity/phone.ts';
import { tokensOf } from '../../../test/support/identity/tokens.ts';
import { type AuthWorld, EMAIL, openAuth, PASSWORD, refused } from '../../../test/support/identity/world.ts';

describe('an administrator who verifies an address', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
  });
  afterEach(() => world.close());

  const signIn = (email = EMAIL) => world.auth.signIn(world.scope, { email, password: PASSWORD });
  const idOf = async () => (await world.users.list(world.scope, { email: EMAIL })).data[0]?.id ?? '';

  it('L1 removes password, app, identities and sessions that a stranger has added to the account', async () => {
    const { auth, users, scope } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    const stranger = await tokensOf(signIn());
    const { tokens } = await appOf(world, stranger.accessToken);
    const id = await idOf();
    await users.import(scope, {
      users: [{ id, identities: [{ provider: 'github', subject: 'stranger' }] }],
      options: { onConflict: 'update' },
    });
    expect((await users.identities(scope, id)).data).toHaveLength(1);

    expect(await users.update(scope, id, { emailVerified: true })).toMatchObject({
      ...{ emailVerified: true, mfaEnabled: false },
    });
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
    await expect(auth.authenticate(scope, tokens.accessToken)).rejects.toMatchObject(refused('session_expired'));
    expect((await users.identities(scope, id)).data).toEqual([]);
    expect((await users.sessions(scope, id)).data).toEqual([]);
    expect(await world.database.storage.db.select().from(world.database.tables.authFactors)).toEqual([]);
  });

  it('makes an account of a sign-up usable and raises user.signed_up', async () => {
    const { auth, users, beckon, scope } = world;
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    const id = await idOf();
    const { userId } = await users.update(scope, id, { emailVerified: true, name: 'Ann' });
    expect(await beckon.profiles.get(scope, userId)).toMatchObject({ email: EMAIL });
    expect(await world.eventsOf(userId)).toEqual(['user.signed_up']);
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
  });

  it('keeps the credentials of an account that was verified before, and of one without an address', async () => {
    const { users, scope } = world;
    const { id } = await users.create(scope, { email: EMAIL, emailVerified: true, password: PASSWORD });
    await users.update(scope, id, { emailVerified: true, name: 'Ann' });
    await tokensOf(signIn());
    const ben = await users.create(scope, { externalId: 'ben', password: PASSWORD });
    await users.update(scope, ben.id, { email: 'ben@example.com', emailVerified: true });
    expect((await tokensOf(signIn('ben@example.com'))).user.userId).toBe('ben');
  });
});
