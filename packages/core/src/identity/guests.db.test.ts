import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { type AuthWorld, DAY, EMAIL, MINUTE, openAuth, PASSWORD, refused } from '../../test/support/identity/world.ts';
import type { GuestInput } from './guests/api.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

describe('guests', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.auth.updateSettings(world.scope, { anonymous: { enabled: true } });
  });
  afterEach(() => world.close());

  const guest = async (input: GuestInput = {}) => {
    const signedIn = await tokensOf(world.auth.signInAsGuest(world.scope, input));
    return { ...signedIn, bearer: await world.auth.authenticate(world.scope, signedIn.accessToken) };
  };

  it('a guest gets an account, a profile and a session, and may refresh it', async () => {
    const { auth, scope, beckon, eventsOf } = world;
    const { user, refreshToken } = await guest({ metadata: { cart: 3 } });
    expect(user).toMatchObject({ isAnonymous: true, email: null, source: 'anonymous', metadata: { cart: 3 } });
    expect(await eventsOf(user.userId)).toEqual(['user.signed_up', 'user.signed_in']);
    const signedUp = (await beckon.profiles.events(scope, user.userId)).data.at(-1);
    expect(signedUp).toMatchObject({ properties: { anonymous: true, source: 'anonymous' } });
    expect((await auth.refresh(scope, { refreshToken })).user.id).toBe(user.id);
  });

  it('a guest deletes itself at any time, although it cannot sign in again before', async () => {
    const { auth, users, scope, clock, beckon } = world;
    const { accessToken, user } = await guest();
    clock.advance(11 * MINUTE);
    const bearer = await auth.authenticate(scope, accessToken, { fresh: true, aal2: true });
    await auth.deleteMe(scope, bearer);
    await beckon.worker.drain();
    await expect(users.get(scope, user.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('guests are refused unless the project enables them', async () => {
    const { auth, scope } = world;
    await auth.updateSettings(scope, { anonymous: null });
    await expect(guest()).rejects.toMatchObject(refused('anonymous_disabled'));
  });

  it('metadata of a guest is cut at 4 KB', async () => {
    const { user } = await guest({ metadata: { kept: 1, large: 'x'.repeat(8_000) } });
    expect(JSON.stringify(user.metadata).length).toBeLessThanOrEqual(4_096);
    expect(user.metadata).toMatchObject({ kept: 1, _truncated: true });
  });

  it('the profile of the visitor is merged into that of the guest, as an identify call does', async () => {
    const { scope, beckon, eventsOf } = world;
    const view = (anonymousId: string) =>
      beckon.events.track(scope, { module: 'shop', eventType: 'page.viewed', anonymousId });
    await view('visitor-1');
    const { user } = await guest({ anonymousId: 'visitor-1' });
    await view('visitor-1');
    expect((await eventsOf(user.userId)).filter((type) => type === 'page.viewed')).toHaveLength(2);
    // The visitor already belongs to the first guest, and a placeholder would merge all visitors whose client sends it.
    await view('undefined');
    for (const anonymousId of ['visitor-1', 'undefined']) {
      const other = await guest({ anonymousId });
      expect(await beckon.profiles.get(scope, other.user.userId)).toMatchObject({ email: null });
      expect(await eventsOf(other.user.userId)).not.toContain('page.viewed');
    }
  });

  it.each(['token', 'code'] as const)('a guest becomes a user of the same id by the %s of an email', async (way) => {
    const { auth, scope, lastEmail, beckon, eventsOf, signIn } = world;
    const { user, bearer, accessToken, refreshToken } = await guest({ metadata: { cart: 3 } });
    const input = { email: EMAIL, password: PASSWORD, codeChallenge: CHALLENGE };
    expect(await auth.upgradeGuest(scope, bearer, input)).toEqual({ status: 'verification_required' });
    expect((await auth.me(scope, await auth.authenticate(scope, accessToken))).isAnonymous).toBe(true);
    const { token, code } = await lastEmail();
    const proof = way === 'token' ? { token, codeVerifier: VERIFIER } : { email: EMAIL, code, password: PASSWORD };
    expect(await auth.verifyEmail(scope, proof)).toEqual({ verified: true, passwordKept: true });
    const refreshed = await auth.refresh(scope, { refreshToken });
    const upgraded = { id: user.id, userId: user.userId, isAnonymous: false, email: EMAIL, emailVerified: true };
    expect(refreshed.user).toMatchObject({ ...upgraded, metadata: { cart: 3 } });
    expect((await signIn()).user.id).toBe(user.id);
    expect(await beckon.profiles.get(scope, user.userId)).toMatchObject({ email: EMAIL });
    const events = await eventsOf(user.userId);
    expect(events.slice(2).toSorted()).toEqual(['user.identified', 'user.signed_in', 'user.signed_up']);
    const { data } = await beckon.profiles.events(scope, user.userId);
    const signedUp = data.filter(({ eventType }) => eventType === 'user.signed_up').map((one) => one.properties);
    expect(signedUp).toEqual(expect.arrayContaining([expect.objectContaining({ upgraded: true })]));
    await expect(auth.verifyEmail(scope, proof)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('a guest stays one when the owner of the mailbox follows the link without the verifier and the password', async () => {
    const { auth, users, scope, lastEmail } = world;
    const { user, bearer } = await guest();
    await auth.upgradeGuest(scope, bearer, { email: EMAIL, password: PASSWORD, codeChallenge: CHALLENGE });
    const { token } = await lastEmail();
    for (const proof of [{}, { codeVerifier: 'w'.repeat(43) }, { password: 'another password' }])
      await expect(auth.verifyEmail(scope, { token, ...proof })).rejects.toMatchObject(refused('token_invalid'));
    expect(await users.get(scope, user.id)).toMatchObject({ isAnonymous: true, email: null });
  });

  it('the address of another user is answered alike, and refused after the proof', async () => {
    const { auth, scope, clock, register } = world;
    await register();
    clock.advance(MINUTE);
    const { bearer, user } = await guest();
    const upgrade = (email: string) => auth.upgradeGuest(scope, bearer, { email, password: PASSWORD });
    expect(await upgrade(EMAIL)).toEqual(await upgrade('new@example.com'));
    const mail = (await world.emails()).find(({ to, subject }) => to === EMAIL && subject.startsWith('Confirm'));
    expect(mail).toBeDefined();
    const last = (await world.emails()).filter(({ to }) => to === EMAIL).at(-1);
    await expect(auth.verifyEmail(scope, { token: last?.token ?? '', password: PASSWORD })).rejects.toMatchObject(
      refused('account_exists'),
    );
    expect((await world.users.get(scope, user.id)).isAnonymous).toBe(true);
    expect((await world.emails()).map(({ to }) => to)).toContain('new@example.com');
  });

  it('only guests are upgraded, and guests may not call what is for users', async () => {
    const { auth, scope, register, signIn } = world;
    await register();
    const user = await signIn();
    const bearer = await auth.authenticate(scope, user.accessToken, { anonymous: 'refused' });
    await expect(auth.authenticate(scope, user.accessToken, { anonymous: 'only' })).rejects.toMatchObject(
      refused('not_anonymous'),
    );
    await expect(auth.upgradeGuest(scope, bearer, { email: EMAIL, password: PASSWORD })).rejects.toMatchObject(
      refused('not_anonymous'),
    );
    const { accessToken } = await guest();
    await auth.authenticate(scope, accessToken, { anonymous: 'only' });
    await expect(auth.authenticate(scope, accessToken, { anonymous: 'refused' })).rejects.toMatchObject(
      refused('anonymous'),
    );
  });

  it('guests that nobody used for anonymous.keepDays are erased with their data, others are kept', async () => {
    const { auth, users, scope, clock, beckon, register } = world;
    await auth.updateSettings(scope, { anonymous: { enabled: true, keepDays: 3 } });
    await register();
    const idle = await guest();
    const active = await guest();
    clock.advance(2 * DAY);
    const { refreshToken } = await auth.refresh(scope, { refreshToken: active.refreshToken });
    await beckon.worker.drain();
    expect((await users.list(scope)).data).toHaveLength(3);
    clock.advance(DAY);
    // Maintenance requests the erasure; the worker erases.
    for (let round = 0; round < 3; round += 1) await beckon.worker.drain();
    await expect(users.get(scope, idle.user.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beckon.profiles.get(scope, idle.user.userId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await users.list(scope)).data.map(({ email }) => email)).toEqual([null, EMAIL]);
    expect((await auth.refresh(scope, { refreshToken })).user.id).toBe(active.user.id);
  });
});
