import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthWorld, EMAIL, MINUTE, openAuth, PASSWORD, refused } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import type { Scope } from '../foundation/scope.ts';

const OTHER = 'another good passphrase';

describe.each(['two projects', 'two environments of one project'])('accounts of %s', (which) => {
  const id = (name: string): string => (which === 'two projects' ? name : `T6 ${name}`);
  let world: AuthWorld;
  let a: Scope;
  let b: Scope;
  beforeEach(async () => {
    // In prod emails go out through the host's transport.
    const make = () => ({
      name: 'courier',
      maxInFlight: 5,
      send: async () => ({ result: 'accepted', providerId: null }) as const,
      close: async () => undefined,
    });
    const from = { email: 'shop@example.com', name: 'Shop' };
    world = await openAuth({ transports: { email: { name: 'courier', from, make } } });
    a = world.scope;
    b = which === 'two projects' ? await world.project() : await world.environmentOf(a, 'prod');
  });
  afterEach(() => world.close());

  const both = async () => {
    await world.register(a);
    const user = { email: EMAIL, emailVerified: true, password: OTHER };
    await world.users.create(b, user);
  };

  it(id('T1 one address is two users with their own passwords'), async () => {
    await both();
    const [ofA, ofB] = [await world.signIn(a), await world.signIn(b, EMAIL, OTHER)];
    expect(ofA.user.id).not.toBe(ofB.user.id);
    await expect(world.signIn(b)).rejects.toMatchObject(refused('invalid_credentials'));
    await expect(world.signIn(a, EMAIL, OTHER)).rejects.toMatchObject(refused('invalid_credentials'));
    await expect(world.users.get(b, ofA.user.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(world.users.update(b, ofA.user.id, { disabled: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(world.users.delete(b, ofA.user.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await world.users.list(b)).data.map((user) => user.id)).toEqual([ofB.user.id]);
  });

  it(id('T2 an access token of one is refused by the other'), async () => {
    await both();
    const { accessToken } = await world.signIn(a);
    await world.signIn(b, EMAIL, OTHER);
    await expect(world.auth.authenticate(b, accessToken)).rejects.toMatchObject(refused('token_invalid'));
    await world.auth.authenticate(a, accessToken);
  });

  it(id('T3 refresh tokens, links and codes of one are unknown to the other, and stay valid'), async () => {
    const { auth, clock, lastEmail } = world;
    await auth.signUp(a, { email: EMAIL, password: PASSWORD });
    const { token, code } = await lastEmail(a);
    // Equal answers and equal work.
    const verify = (text: string) => world.workOf(() => auth.verifyEmail(b, { token: text }));
    // Reads the settings, which are cached afterwards.
    await verify(`ev_${'A'.repeat(43)}`);
    const unknownLink = await verify(`ev_${'A'.repeat(43)}`);
    expect(unknownLink.answer).toMatchObject(refused('token_invalid'));
    expect(await verify(token)).toEqual(unknownLink);
    await expect(auth.verifyEmail(b, { email: EMAIL, code })).rejects.toMatchObject(refused('code_invalid'));
    await auth.verifyEmail(a, { token, password: PASSWORD });
    const { refreshToken } = await world.signIn(a);
    const unknown = await world.workOf(() => auth.refresh(b, { refreshToken: `rt_${'A'.repeat(43)}` }));
    const foreign = await world.workOf(() => auth.refresh(b, { refreshToken }));
    expect(foreign).toEqual(unknown);
    expect(foreign.answer).toMatchObject(refused('refresh_invalid'));
    await auth.refresh(a, { refreshToken });
    clock.advance(MINUTE);
    await auth.forgotPassword(a, { email: EMAIL });
    const reset = (await lastEmail(a)).token;
    await expect(auth.resetPassword(b, { token: reset, password: OTHER })).rejects.toMatchObject(
      refused('token_invalid'),
    );
    await auth.resetPassword(a, { token: reset, password: OTHER });
  });

  it(
    id('T5 a session of one is unknown to the other, and a row of it under the other scope leads to no account'),
    async () => {
      await both();
      const { auth, users } = world;
      const mine = await world.signIn(a);
      const theirs = await auth.authenticate(b, (await world.signIn(b, EMAIL, OTHER)).accessToken);
      const missing = { code: 'NOT_FOUND' };
      await expect(auth.revokeSession(b, theirs, mine.sessionId)).rejects.toMatchObject(missing);
      await expect(users.revokeSessions(b, mine.user.id)).rejects.toMatchObject(missing);
      await expect(users.sendReset(b, mine.user.id)).rejects.toMatchObject(missing);
      const { db } = world.database.storage;
      const { authSessions } = world.database.tables;
      const row = (await db.select().from(authSessions)).find((session) => session.id === mine.sessionId);
      await db.insert(authSessions).values(unchecked({ ...row, scopeId: b.scopeId }));
      await expect(auth.authenticate(b, mine.accessToken)).rejects.toMatchObject(refused('token_invalid'));
      await expect(auth.refresh(b, { refreshToken: mine.refreshToken })).rejects.toMatchObject(
        refused('refresh_invalid'),
      );
      await auth.authenticate(a, mine.accessToken);
    },
  );
});
