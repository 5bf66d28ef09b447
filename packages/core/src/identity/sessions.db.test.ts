import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuthWorld,
  DAY,
  EMAIL,
  HOUR,
  MINUTE,
  openAuth,
  PASSWORD,
  refused,
  SECOND,
} from '../../test/support/identity/world.ts';

const OTHER = 'another good passphrase';

describe('sessions', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
  });
  afterEach(() => world.close());

  const bearerOf = (accessToken: string) => world.auth.authenticate(world.scope, accessToken);
  const refresh = (refreshToken: string, deviceToken?: string) =>
    world.auth.refresh(world.scope, { refreshToken, ...(deviceToken !== undefined && { deviceToken }) });
  const expired = async (userId: string) => {
    const { data } = await world.beckon.profiles.events(world.scope, userId, { limit: 200 });
    return data.filter(({ eventType }) => eventType === 'user.session_expired').map(({ properties }) => properties);
  };

  it('K3 the reuse of a refresh token ends its session, with one event for any number of tries', async () => {
    const { clock, signIn } = world;
    const first = await signIn();
    const second = await refresh(first.refreshToken);
    await refresh(second.refreshToken);
    clock.advance(11 * SECOND);
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => refresh(first.refreshToken)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(refresh(second.refreshToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(bearerOf(second.accessToken)).rejects.toMatchObject(refused('session_expired'));
    expect(await expired(first.user.userId)).toEqual([
      { userId: first.user.userId, sessionId: first.sessionId, reason: 'refresh_reuse' },
    ]);
  });

  it('K3 a token is reused within ten seconds too once its child was used', async () => {
    const first = await world.signIn();
    const second = await refresh(first.refreshToken);
    await refresh(second.refreshToken);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject(refused('refresh_reused'));
  });

  it('K4 of 50 refreshes at the same time at most 4 answer tokens, the rest are in progress, and the session lives', async () => {
    const { refreshToken } = await world.signIn();
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => refresh(refreshToken)));
    const answered = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const errors = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(answered).toHaveLength(4);
    expect(new Set(answered.map((tokens) => tokens.refreshToken)).size).toBe(4);
    expect(errors.map(({ code, details }) => `${code} ${details?.reason}`)).toEqual(
      Array(46).fill('CONFLICT refresh_in_progress'),
    );
    for (const { accessToken } of answered) await bearerOf(accessToken);
    await refresh(answered[0]?.refreshToken ?? '');
  });

  it('K4 a lost answer is recovered after ten seconds with the device token only', async () => {
    const { clock, signIn } = world;
    const first = await signIn();
    await refresh(first.refreshToken);
    clock.advance(MINUTE);
    const again = await refresh(first.refreshToken, first.deviceToken);
    expect(again.sessionId).toBe(first.sessionId);
    const other = await signIn();
    await refresh(other.refreshToken);
    clock.advance(MINUTE);
    // The token of another device of the same user.
    await expect(refresh(other.refreshToken, first.deviceToken)).rejects.toMatchObject(refused('refresh_reused'));
  });

  it('K5 a revoked session and a disabled user are refused at once, and a disabled user cannot sign in', async () => {
    const { users, scope, signIn } = world;
    const first = await signIn();
    const { id, userId } = first.user;
    await users.revokeSessions(scope, id);
    await expect(bearerOf(first.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(refresh(first.refreshToken)).rejects.toMatchObject(refused('session_expired'));
    const second = await signIn();
    world.statements.length = 0;
    await users.update(scope, id, { disabled: true });
    // One commit, so there is no moment at which the user is disabled and a session lives.
    const { statements } = world;
    expect(statements.filter((name) => name === 'auth.change_user' || name === 'auth.revoke_session')).toHaveLength(2);
    await expect(bearerOf(second.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(refresh(second.refreshToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
    expect((await expired(userId)).map(({ reason }) => reason).toSorted()).toEqual(['admin', 'disabled']);
    await users.update(scope, id, { disabled: false });
    await expect(bearerOf(second.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await signIn();
  });

  it('K5 users of whom a failed commit disables one keep their sessions', async () => {
    let fails = false;
    const { scope, start, scopeIn } = world;
    const beckon = await start({
      hooks: {
        auth: {
          during: () => {
            if (fails) throw new Error('the host refuses');
          },
        },
      },
    });
    const { accessToken, user } = await world.signIn();
    fails = true;
    const own = await scopeIn(beckon, scope);
    await expect(beckon.users.update(own, user.id, { disabled: true })).rejects.toThrow('the host refuses');
    expect((await world.users.get(scope, user.id)).disabled).toBe(false);
    expect((await bearerOf(accessToken)).account.disabledAt).toBeNull();
  });

  it('K6 a rotation of the signing key publishes the next key first, and tokens of both are valid', async () => {
    const { auth, scope, clock, beckon, signIn } = world;
    const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    const published = async () => (await auth.jwks(scope)).keys.map(({ kid }) => kid);
    const before = await signIn();
    const old = kidOf(before.accessToken);
    await auth.rotateSigningKey(scope);
    await expect(auth.rotateSigningKey(scope)).rejects.toMatchObject(refused('rotation_running'));
    const [next] = (await auth.listSigningKeys(scope)).data.filter(({ state }) => state === 'next');
    expect(await published()).toContain(next?.kid);
    expect(kidOf((await signIn()).accessToken)).toBe(old);
    clock.advance(11 * MINUTE);
    await beckon.worker.drain();
    const after = await signIn();
    expect(kidOf(after.accessToken)).toBe(next?.kid);
    await bearerOf(before.accessToken);
    await bearerOf(after.accessToken);
    expect(await published()).toEqual(expect.arrayContaining([old, next?.kid]));
    clock.advance(2 * HOUR);
    await beckon.worker.drain();
    clock.advance(MINUTE);
    expect(await published()).toEqual([next?.kid]);
    await expect(bearerOf(before.accessToken)).rejects.toMatchObject(refused('token_invalid'));
  });

  it('an access token expires after its 15 minutes, and its session goes on', async () => {
    const { clock, signIn } = world;
    const { accessToken, refreshToken, expiresIn } = await signIn();
    expect(expiresIn).toBe(900);
    // Verification allows for clocks that differ by a minute.
    clock.advance(17 * MINUTE);
    await expect(bearerOf(accessToken)).rejects.toMatchObject(refused('token_invalid'));
    await bearerOf((await refresh(refreshToken)).accessToken);
  });

  it.each([
    ['idle', 30, 0],
    ['absolute', 90, 4],
  ])('a session past its %s limit is refused, and its event is raised once', async (reason, days, refreshes) => {
    const { clock, beckon, signIn } = world;
    const first = await signIn();
    let { refreshToken } = first;
    for (let at = 0; at < refreshes; at += 1) {
      clock.advance(20 * DAY);
      ({ refreshToken } = await refresh(refreshToken));
    }
    clock.advance((days - refreshes * 20) * DAY - SECOND);
    expect((await world.users.sessions(world.scope, first.user.id)).data).toHaveLength(1);
    clock.advance(SECOND);
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => refresh(refreshToken)));
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(refresh(refreshToken)).rejects.toMatchObject(refused('session_expired'));
    await beckon.worker.drain();
    expect(await expired(first.user.userId)).toEqual([
      { userId: first.user.userId, sessionId: first.sessionId, reason },
    ]);
  });

  it('maintenance ends sessions past a limit with their events, and removes them a day later', async () => {
    const { users, scope, clock, beckon, database, signIn } = world;
    const { user, sessionId } = await signIn();
    clock.advance(30 * DAY + SECOND);
    await beckon.worker.drain();
    expect(await expired(user.userId)).toEqual([{ userId: user.userId, sessionId, reason: 'idle' }]);
    const rows = async () => [
      (await database.storage.db.select().from(database.tables.authSessions)).length,
      (await database.storage.db.select().from(database.tables.authRefreshTokens)).length,
    ];
    expect(await rows()).toEqual([1, 1]);
    clock.advance(DAY + SECOND);
    await beckon.worker.drain();
    expect(await rows()).toEqual([0, 0]);
    expect((await users.sessions(scope, user.id)).data).toEqual([]);
  });

  it('users list their sessions and end the current one, all others, one by id, or all', async () => {
    const { auth, scope, clock, signIn } = world;
    const tokens = [];
    for (let at = 0; at < 4; at += 1) {
      clock.advance(SECOND);
      tokens.push(await signIn());
    }
    const [a, b, c, d] = await Promise.all(tokens.map(({ accessToken }) => bearerOf(accessToken)));
    if (!a || !b || !c || !d) throw new Error('four sessions were started');
    const ids = async () => (await auth.sessions(scope, d)).data.map(({ id }) => id);
    const { data } = await auth.sessions(scope, d);
    expect(data.map(({ id }) => id)).toEqual(tokens.map(({ sessionId }) => sessionId).toReversed());
    expect(data[0]).toMatchObject({ current: true, ipNet: '203.0.113.0/24', userAgent: 'browser', aal: 'aal1' });
    expect(data.slice(1).every(({ current }) => !current)).toBe(true);
    expect(await auth.logout(scope, a)).toEqual({ revoked: 1 });
    expect(await ids()).toHaveLength(3);
    expect(await auth.revokeSession(scope, d, b.session.id)).toEqual({ revoked: 1 });
    await expect(auth.revokeSession(scope, d, b.session.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await auth.logout(scope, d, { scope: 'others' })).toEqual({ revoked: 1 });
    expect(await ids()).toEqual([d.session.id]);
    await signIn();
    expect(await auth.logout(scope, d, { scope: 'all' })).toEqual({ revoked: 2 });
    for (const { accessToken } of tokens)
      await expect(bearerOf(accessToken)).rejects.toMatchObject(refused('session_expired'));
    expect(await expired(a.account.userId)).toEqual([]);
  });

  it('a user cannot end a session of another user', async () => {
    const { auth, scope, clock, register, signIn } = world;
    clock.advance(MINUTE);
    await register(scope, 'bob@example.com', OTHER);
    const ann = await signIn();
    const bob = await bearerOf((await signIn(scope, 'bob@example.com', OTHER)).accessToken);
    await expect(auth.revokeSession(scope, bob, ann.sessionId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bearerOf(ann.accessToken);
  });

  it('what needs a recent sign-in is refused after 10 minutes until the password is entered again', async () => {
    const { auth, scope, clock, signIn } = world;
    const { accessToken } = await signIn();
    const fresh = (token: string) => auth.authenticate(scope, token, { fresh: true });
    clock.advance(10 * MINUTE);
    const bearer = await fresh(accessToken);
    clock.advance(SECOND);
    await expect(fresh(accessToken)).rejects.toMatchObject({ code: 'FORBIDDEN', ...refused('reauth_required') });
    await expect(auth.reauthenticate(scope, bearer, { password: OTHER })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    const renewed = await auth.reauthenticate(scope, bearer, { password: PASSWORD });
    expect(renewed.sessionId).toBe(bearer.session.id);
    expect((await fresh(renewed.accessToken)).session.authTime).toEqual(clock.now());
    await refresh(renewed.refreshToken);
  });

  it('reauthentication of a session that has ended is refused', async () => {
    const { auth, scope, signIn } = world;
    const bearer = await bearerOf((await signIn()).accessToken);
    await auth.logout(scope, bearer);
    await expect(auth.reauthenticate(scope, bearer, { password: PASSWORD })).rejects.toMatchObject(
      refused('session_expired'),
    );
  });

  it('a sign-in over the maximum number of sessions ends the oldest one', async () => {
    const { auth, users, scope, clock, signIn } = world;
    await auth.updateSettings(scope, { session: { maxPerUser: 3 } });
    const tokens = [];
    for (let at = 0; at < 5; at += 1) {
      clock.advance(SECOND);
      tokens.push(await signIn());
    }
    const { data } = await users.sessions(scope, tokens[0]?.user.id ?? '');
    expect(data.map(({ id }) => id).toSorted()).toEqual(
      tokens
        .slice(2)
        .map(({ sessionId }) => sessionId)
        .toSorted(),
    );
    await expect(refresh(tokens[0]?.refreshToken ?? '')).rejects.toMatchObject(refused('session_expired'));
  });

  it('a change of the password ends the other sessions, and is refused without the present one', async () => {
    const { auth, scope, signIn } = world;
    const other = await signIn();
    const mine = await signIn();
    const bearer = await bearerOf(mine.accessToken);
    const change = (currentPassword?: string) =>
      auth.changePassword(scope, bearer, {
        newPassword: OTHER,
        ...(currentPassword !== undefined && { currentPassword }),
      });
    await expect(change()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(change(OTHER)).rejects.toMatchObject(refused('invalid_credentials'));
    expect(await change(PASSWORD)).toEqual({ revoked: 1 });
    await bearerOf(mine.accessToken);
    await expect(bearerOf(other.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
    expect((await signIn(scope, EMAIL, OTHER)).user.id).toBe(mine.user.id);
  });
});
