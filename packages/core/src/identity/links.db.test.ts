import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import {
  type AuthWorld,
  DAY,
  EMAIL,
  HOUR,
  MINUTE,
  openAuth,
  PASSWORD,
  refused,
} from '../../test/support/identity/world.ts';

const OTHER = 'another good passphrase';
const THIRD = 'yet another passphrase';

describe('links and the proof of a mailbox', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
  });
  afterEach(() => world.close());

  const signUp = (password = PASSWORD, codeChallenge?: string) =>
    world.auth.signUp(world.scope, { email: EMAIL, password, ...(codeChallenge !== undefined && { codeChallenge }) });

  it('L1 a proof of the mailbox without the password of an earlier sign-up removes that password', async () => {
    const { auth, scope, lastEmail, signIn } = world;
    await signUp('the password of an attacker');
    const { token } = await lastEmail();
    expect(await auth.verifyEmail(scope, { token })).toEqual({ verified: true, passwordKept: false });
    await expect(signIn(scope, EMAIL, 'the password of an attacker')).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
  });

  it('L1 sessions that an automatic sign-in started before the proof end with it', async () => {
    const { auth, scope, lastEmail } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true } });
    const attacker = await signUp('the password of an attacker');
    if (!('accessToken' in attacker)) throw new Error('the sign-up started no session');
    const { token } = await lastEmail();
    await auth.verifyEmail(scope, { token });
    await expect(auth.authenticate(scope, attacker.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(auth.refresh(scope, { refreshToken: attacker.refreshToken })).rejects.toMatchObject(
      refused('session_expired'),
    );
  });

  it('L5 a verification answers no session, and its token works once', async () => {
    const { auth, users, scope, lastEmail, signIn } = world;
    await signUp();
    await expect(signIn()).rejects.toMatchObject(refused('email_not_verified'));
    const { token } = await lastEmail();
    const answer = await auth.verifyEmail(scope, { token, password: PASSWORD });
    expect(answer).toEqual({ verified: true, passwordKept: true });
    const user = (await users.list(scope)).data[0];
    expect((await users.sessions(scope, user?.id ?? '')).data).toEqual([]);
    await expect(auth.verifyEmail(scope, { token, password: PASSWORD })).rejects.toMatchObject(
      refused('token_invalid'),
    );
    expect((await signIn()).user).toMatchObject({ email: EMAIL, emailVerified: true });
  });

  it('L6 the code of a verification, and a reset, remove what was there before the first proof', async () => {
    const { auth, scope, clock, lastEmail, signIn } = world;
    await signUp('the password of an attacker');
    const { code } = await lastEmail();
    expect(await auth.verifyEmail(scope, { email: EMAIL, code })).toEqual({ verified: true, passwordKept: false });
    await expect(signIn(scope, EMAIL, 'the password of an attacker')).rejects.toMatchObject(
      refused('invalid_credentials'),
    );

    clock.advance(MINUTE);
    const bob = 'bob@example.com';
    await auth.signUp(scope, { email: bob, password: 'the password of an attacker' });
    await auth.forgotPassword(scope, { email: bob });
    await lastEmail();
    // The reset is over the limit of one email a minute.
    clock.advance(MINUTE);
    await auth.forgotPassword(scope, { email: bob });
    const { token } = await lastEmail();
    const { user } = await tokensOf(auth.resetPassword(scope, { token, password: OTHER }));
    expect(user).toMatchObject({ email: bob, emailVerified: true });
    expect(await world.eventsOf(user.userId)).toEqual(['user.signed_up', 'user.password_reset', 'user.signed_in']);
    await expect(signIn(scope, bob, 'the password of an attacker')).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    expect((await signIn(scope, bob, OTHER)).user.id).toBe(user.id);
  });

  it('L7 a change of address kills outstanding links, notifies both addresses, and can be undone for 72 hours by the former one', async () => {
    const { auth, scope, clock, lastEmail, emails, register, signIn } = world;
    await register();
    const session = await signIn();
    const bearer = await auth.authenticate(scope, session.accessToken, { fresh: true });
    clock.advance(MINUTE);
    await auth.forgotPassword(scope, { email: EMAIL });
    const reset = (await lastEmail()).token;
    await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
    const change = await lastEmail();
    expect(change).toMatchObject({ to: 'ann@new.example', subject: 'Confirm your new email address' });
    expect(await auth.me(scope, bearer)).toMatchObject({ email: EMAIL });
    expect(await auth.verifyEmail(scope, { token: change.token })).toMatchObject({ verified: true });
    await expect(auth.verifyEmail(scope, { token: change.token })).rejects.toMatchObject(refused('token_invalid'));
    await expect(auth.resetPassword(scope, { token: reset, password: OTHER })).rejects.toMatchObject(
      refused('token_invalid'),
    );
    const notices = (await emails()).filter(({ subject }) => subject === 'Your email address was changed');
    expect(notices.map(({ to }) => to).toSorted()).toEqual([EMAIL, 'ann@new.example']);
    const notice = notices.find(({ to }) => to === EMAIL);
    expect(notices.find(({ to }) => to !== EMAIL)).toMatchObject({ token: '', code: '' });
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
    const moved = await signIn(scope, 'ann@new.example');
    expect((await world.beckon.profiles.get(scope, moved.user.userId)).email).toBe('ann@new.example');

    clock.advance(71 * HOUR);
    expect(await auth.undoEmailChange(scope, { token: notice?.token ?? '' })).toEqual({ restored: true });
    await expect(auth.authenticate(scope, session.accessToken)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(auth.refresh(scope, { refreshToken: moved.refreshToken })).rejects.toMatchObject(
      refused('session_expired'),
    );
    expect((await signIn()).user.email).toBe(EMAIL);
    await expect(auth.undoEmailChange(scope, { token: notice?.token ?? '' })).rejects.toMatchObject(
      refused('token_invalid'),
    );
  });

  it('L7 a change of address cannot be undone after 72 hours', async () => {
    const { auth, scope, clock, lastEmail, register, signIn } = world;
    await register();
    const bearer = await auth.authenticate(scope, (await signIn()).accessToken);
    await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
    await auth.verifyEmail(scope, { token: (await lastEmail()).token });
    const { token } = await lastEmail();
    clock.advance(72 * HOUR);
    await expect(auth.undoEmailChange(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
  });

  it('L8 of two sign-ups of one address the proof of each keeps its own password only', async () => {
    const { auth, scope, clock, lastEmail, signIn } = world;
    await signUp('the password of an attacker');
    const first = (await lastEmail()).token;
    clock.advance(MINUTE);
    await signUp(PASSWORD);
    const second = (await lastEmail()).token;
    await expect(auth.verifyEmail(scope, { token: first, password: PASSWORD })).rejects.toMatchObject(
      refused('token_invalid'),
    );
    expect(await auth.verifyEmail(scope, { token: second, password: PASSWORD })).toMatchObject({ passwordKept: true });
    await expect(signIn(scope, EMAIL, 'the password of an attacker')).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    expect((await signIn()).user.emailVerified).toBe(true);
  });

  it('L8 the password of the first sign-up does not keep that of the second', async () => {
    const { auth, scope, clock, lastEmail, signIn } = world;
    await signUp(PASSWORD);
    await lastEmail();
    clock.advance(MINUTE);
    await signUp('the password of an attacker');
    const { token } = await lastEmail();
    expect(await auth.verifyEmail(scope, { token, password: PASSWORD })).toMatchObject({ passwordKept: false });
    for (const password of [PASSWORD, 'the password of an attacker'])
      await expect(signIn(scope, EMAIL, password)).rejects.toMatchObject(refused('invalid_credentials'));
  });

  it('H2 wrong codes spend nothing until the fifth, which ends link and code', async () => {
    const { auth, users, scope, lastEmail } = world;
    await signUp();
    const { token, code } = await lastEmail();
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 4; tries += 1)
      await expect(auth.verifyEmail(scope, { email: EMAIL, code: wrong })).rejects.toMatchObject(
        refused('code_invalid'),
      );
    expect((await users.list(scope)).data).toMatchObject([{ emailVerified: false }]);
    await expect(auth.verifyEmail(scope, { email: EMAIL, code: wrong })).rejects.toMatchObject(refused('code_invalid'));
    await expect(auth.verifyEmail(scope, { email: EMAIL, code })).rejects.toMatchObject(refused('code_invalid'));
    await expect(auth.verifyEmail(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
  });

  it('H2 a code that is right after four wrong ones verifies the address', async () => {
    const { auth, scope, lastEmail } = world;
    await signUp();
    const { code } = await lastEmail();
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 4; tries += 1)
      await expect(auth.verifyEmail(scope, { email: EMAIL, code: wrong })).rejects.toThrow();
    expect(await auth.verifyEmail(scope, { email: EMAIL, code, password: PASSWORD })).toMatchObject({ verified: true });
  });

  it('H4 a reset link is dead after its use, after a newer one, after a change of the password and after 30 minutes', async () => {
    const { auth, users, scope, clock, lastEmail, register, signIn } = world;
    await register();
    const request = async (): Promise<string> => {
      clock.advance(15 * MINUTE);
      await auth.forgotPassword(scope, { email: EMAIL });
      return (await lastEmail()).token;
    };
    const isDead = (token: string) =>
      expect(auth.resetPassword(scope, { token, password: THIRD })).rejects.toMatchObject(refused('token_invalid'));
    const first = await request();
    const second = await request();
    await isDead(first);
    const before = await signIn();
    await auth.resetPassword(scope, { token: second, password: OTHER });
    await isDead(second);
    // A reset ends all sessions and starts one.
    await expect(auth.authenticate(scope, before.accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(auth.refresh(scope, { refreshToken: before.refreshToken })).rejects.toMatchObject(
      refused('session_expired'),
    );
    expect((await users.sessions(scope, before.user.id)).data).toHaveLength(1);
    const third = await request();
    const bearer = await auth.authenticate(scope, (await signIn(scope, EMAIL, OTHER)).accessToken);
    await auth.changePassword(scope, bearer, { currentPassword: OTHER, newPassword: PASSWORD });
    await isDead(third);
    const fourth = await request();
    clock.advance(30 * MINUTE);
    await isDead(fourth);
    await expect(signIn(scope, EMAIL, THIRD)).rejects.toMatchObject(refused('invalid_credentials'));
  });

  it('H4 two uses of one reset link at the same time change the password once', async () => {
    const { auth, users, scope, clock, lastEmail, register } = world;
    await register();
    clock.advance(DAY);
    await auth.forgotPassword(scope, { email: EMAIL });
    const { token } = await lastEmail();
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) => auth.resetPassword(scope, { token, password: `${OTHER} ${at}` })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const user = (await users.list(scope)).data[0];
    expect((await users.sessions(scope, user?.id ?? '')).data).toHaveLength(1);
  });
});
