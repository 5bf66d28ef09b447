import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appOf, challengeOf, type Phone } from '../../test/support/identity/phone.ts';
import {
  type AuthWorld,
  EMAIL,
  HOUR,
  MINUTE,
  openAuth,
  PASSWORD,
  refused,
  SECOND,
} from '../../test/support/identity/world.ts';

const NOTICE = 'Failed sign-in to your account';
const WRONG = '000000';
const TTL = { expiresIn: 900 };

describe('a sign-in with a second factor', () => {
  let world: AuthWorld;
  let phone: Phone;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
    phone = await appOf(world);
  });
  afterEach(() => world.close());

  const verify = (challenge: { readonly id: string; readonly token: string }, code: string, of = world.auth) =>
    of.verifyMfa(world.scope, challenge.id, { token: challenge.token, code });
  const outcomeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'right',
      // Safe: the functions of sign-in throw errors of this form.
      (error: unknown) => (error as { details: { reason: string } }).details.reason,
    );
  /** Enters wrong codes, each after its wait, in as many challenges as they need. */
  const enterWrong = async (count: number): Promise<void> => {
    let challenge = await challengeOf(world);
    for (let entered = 0; entered < count; entered += 1) {
      if (entered > 0) world.clock.advance(15 * MINUTE);
      if (entered > 0) challenge = await challengeOf(world);
      expect(await outcomeOf(verify(challenge, WRONG))).toBe('code_invalid');
    }
  };
  const waitOf = async (): Promise<number> => {
    const { waitUntil } = await world.users.factors(world.scope, phone.userId);
    return waitUntil === null ? 0 : (waitUntil.getTime() - world.clock.now().getTime()) / SECOND;
  };

  it('a right code gives a session with two factors', async () => {
    const challenge = await challengeOf(world);
    expect(challenge).toMatchObject({ attemptsLeft: 5, factors: [{ type: 'totp' }, { type: 'recovery' }] });
    const tokens = await verify(challenge, phone.nextCode());
    expect(tokens).toMatchObject({ ...TTL, user: { mfaEnabled: true } });
    const { session } = await world.auth.authenticate(world.scope, tokens.accessToken, { fresh: true, aal2: true });
    expect(session).toMatchObject({ aal: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
    expect(await world.eventsOf(tokens.user.userId)).toContain('user.signed_in');
  });

  it('a right password alone is no sign-in: no session, no event, and no time of the last sign-in', async () => {
    const before = await world.users.get(world.scope, phone.userId);
    const events = await world.eventsOf(before.userId);
    world.clock.advance(MINUTE);
    await challengeOf(world);
    expect(await world.users.get(world.scope, phone.userId)).toEqual(before);
    expect(await world.eventsOf(before.userId)).toEqual(events);
  });

  it('M1 the sixth code of a challenge is refused, although it is right', async () => {
    const challenge = await challengeOf(world);
    const reasons: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) reasons.push(await outcomeOf(verify(challenge, WRONG)));
    expect(reasons).toEqual(Array(5).fill('code_invalid'));
    expect(await outcomeOf(verify(challenge, phone.nextCode()))).toBe('challenge_expired');
    // The account itself need not wait.
    expect(await outcomeOf(verify(await challengeOf(world), phone.nextCode()))).toBe('right');
  });

  it('M2 of 20 parallel codes in two processes at most 5 are evaluated', async () => {
    const other = await world.start();
    const challenge = await challengeOf(world);
    const scope = await world.scopeIn(other);
    const { id, token } = challenge;
    const calls = Array.from({ length: 20 }, (_, at) =>
      outcomeOf(at % 2 === 0 ? verify(challenge, WRONG) : other.auth.verifyMfa(scope, id, { token, code: WRONG })),
    );
    const reasons = await Promise.all(calls);
    const evaluated = reasons.filter((reason) => reason === 'code_invalid').length;
    expect(evaluated).toBeLessThanOrEqual(5);
    expect(evaluated).toBeGreaterThan(0);
    expect((await world.users.factors(world.scope, phone.userId)).wrongCodes).toBe(evaluated);
    expect(reasons).not.toContain('right');
  });

  it('M2 of 20 parallel right codes in two processes one signs in', async () => {
    const other = await world.start();
    const { id, token } = await challengeOf(world);
    const code = phone.nextCode();
    const scope = await world.scopeIn(other);
    const calls = Array.from({ length: 20 }, (_, at) =>
      outcomeOf(
        (at % 2 === 0 ? world.auth : other.auth).verifyMfa(at % 2 === 0 ? world.scope : scope, id, { token, code }),
      ),
    );
    expect((await Promise.all(calls)).filter((reason) => reason === 'right')).toHaveLength(1);
  });

  it('M3 a code works once, in another challenge too', async () => {
    const code = phone.nextCode();
    const [first, second] = [await challengeOf(world), await challengeOf(world)];
    expect(await outcomeOf(verify(first, code))).toBe('right');
    expect(await outcomeOf(verify(first, code))).toBe('challenge_expired');
    expect(await outcomeOf(verify(second, code))).toBe('code_invalid');
  });

  it('M4 waits after wrong codes in a row double from 30 seconds to 15 minutes, across challenges', async () => {
    await enterWrong(5);
    expect(await waitOf()).toBe(0);
    const waits: number[] = [];
    for (let wrong = 6; wrong <= 12; wrong += 1) {
      world.clock.advance(15 * MINUTE);
      await outcomeOf(verify(await challengeOf(world), WRONG));
      waits.push(await waitOf());
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  it('M5 a right code within a wait is not checked, and takes nothing', async () => {
    await enterWrong(6);
    const challenge = await challengeOf(world);
    const code = phone.nextCode();
    const refusal = { code: 'RATE_LIMITED', details: { reason: 'mfa_wait', retryAfterSeconds: 30 } };
    for (let tries = 0; tries < 6; tries += 1) await expect(verify(challenge, code)).rejects.toMatchObject(refusal);
    world.clock.advance(30 * SECOND);
    expect(await outcomeOf(verify(challenge, phone.nextCode()))).toBe('right');
  });

  it('M6 a right code ends the row of wrong ones, M13 and does not lower their total', async () => {
    await enterWrong(6);
    world.clock.advance(MINUTE);
    expect(await outcomeOf(verify(await challengeOf(world), phone.nextCode()))).toBe('right');
    world.clock.advance(MINUTE);
    expect(await waitOf()).toBe(0);
    expect(await outcomeOf(verify(await challengeOf(world), WRONG))).toBe('code_invalid');
    expect(await waitOf()).toBe(0);
    expect((await world.users.factors(world.scope, phone.userId)).wrongCodes).toBe(7);
  });

  it('M7 the 100th wrong code blocks every sign-in until an administrator resets the second factors', async () => {
    const signedIn = await verify(await challengeOf(world), phone.nextCode());
    await enterWrong(99);
    world.clock.advance(15 * MINUTE);
    const open = await challengeOf(world);
    expect(await outcomeOf(verify(open, WRONG))).toBe('code_invalid');
    world.clock.advance(15 * MINUTE);
    expect((await world.users.factors(world.scope, phone.userId)).blockedAt).not.toBeNull();
    await expect(world.auth.signIn(world.scope, { email: EMAIL, password: PASSWORD })).rejects.toMatchObject(
      refused('mfa_blocked'),
    );
    // Sessions go on.
    const { refreshToken } = await world.auth.refresh(world.scope, { refreshToken: signedIn.refreshToken });
    expect(await world.users.resetMfa(world.scope, phone.userId, { actor: 'key:1' })).toEqual({ revoked: 2 });
    await expect(world.auth.refresh(world.scope, { refreshToken })).rejects.toMatchObject(refused('session_expired'));
    const { user } = await world.signIn();
    expect(user.mfaEnabled).toBe(false);
    expect(await world.users.factors(world.scope, phone.userId)).toEqual({
      ...{ factors: [], recoveryCodesLeft: 0, wrongCodes: 0, waitUntil: null, blockedAt: null },
    });
    expect(await world.eventsOf(user.userId)).toContain('user.session_expired');
  });

  it('M8 the owner gets one email per challenge with a wrong code, and at most 5 an hour', async () => {
    const notices = async () => (await world.emails()).filter(({ subject }) => subject === NOTICE).length;
    const challenge = await challengeOf(world);
    await outcomeOf(verify(challenge, WRONG));
    expect(await notices()).toBe(1);
    await outcomeOf(verify(challenge, WRONG));
    expect(await notices()).toBe(1);
    for (let challenges = 0; challenges < 8; challenges += 1) {
      // Right codes in between, so that nothing must wait.
      const next = await challengeOf(world);
      await outcomeOf(verify(next, WRONG));
      world.clock.advance(MINUTE);
      await outcomeOf(verify(next, phone.nextCode()));
    }
    expect(await notices()).toBe(5);
    world.clock.advance(HOUR);
    await outcomeOf(verify(await challengeOf(world), WRONG));
    expect(await notices()).toBe(6);
  });

  it('M9 a password reset does not skip the second factor', async () => {
    world.clock.advance(MINUTE);
    await world.auth.forgotPassword(world.scope, { email: EMAIL });
    const { token } = await world.lastEmail();
    const result = await world.auth.resetPassword(world.scope, { token, password: 'another good passphrase' });
    if (!('mfaRequired' in result)) throw new Error('the reset signed in without a second factor');
    const { user } = await verify(result.challenge, phone.nextCode());
    expect(user.mfaEnabled).toBe(true);
  });

  it('M10 a restart keeps the counters, and the challenge', async () => {
    await enterWrong(6);
    const challenge = await challengeOf(world);
    const other = await world.start();
    const call = other.auth.verifyMfa(await world.scopeIn(other), challenge.id, {
      token: challenge.token,
      code: WRONG,
    });
    expect(await outcomeOf(call)).toBe('mfa_wait');
  });

  it('M11 a recovery code works once, in two processes at the same time too', async () => {
    const other = await world.start();
    const scope = await world.scopeIn(other);
    const [code = '', another = ''] = phone.recoveryCodes;
    const challenges = [await challengeOf(world), await challengeOf(world), await challengeOf(world)];
    const calls = challenges.map(({ id, token }, at) =>
      outcomeOf((at === 0 ? other.auth : world.auth).verifyMfa(at === 0 ? scope : world.scope, id, { token, code })),
    );
    expect((await Promise.all(calls)).toSorted()).toEqual(['code_invalid', 'code_invalid', 'right']);
    expect((await world.users.factors(world.scope, phone.userId)).recoveryCodesLeft).toBe(9);
    const typed = another.toLowerCase().replaceAll('-', ' ');
    expect(await outcomeOf(verify(await challengeOf(world), typed))).toBe('right');
  });

  it('M12 the id of a challenge without its secret is answered like an unknown one', async () => {
    const { id } = await challengeOf(world);
    const token = `mfc_${'A'.repeat(32)}`;
    const code = phone.nextCode();
    const unknown = '00000000-0000-7000-8000-000000000000';
    const attempt = (of: string) => world.workOf(() => world.auth.verifyMfa(world.scope, of, { token, code }));
    // Reads the settings, which are cached afterwards.
    await attempt(unknown);
    const known = await attempt(id);
    expect(known.answer).toMatchObject(refused('challenge_expired'));
    expect(known).toEqual(await attempt(unknown));
  });

  it('T3 a challenge of one project is unknown to another, and stays valid', async () => {
    const { id, token } = await challengeOf(world);
    const code = phone.nextCode();
    const elsewhere = await world.project();
    const call = world.auth.verifyMfa(elsewhere, id, { token, code });
    await expect(call).rejects.toMatchObject(refused('challenge_expired'));
    expect(await outcomeOf(verify({ id, token }, code))).toBe('right');
  });

  it('M15 step-up with a code runs the ladder, and makes a session one with two factors', async () => {
    await world.auth.updateSettings(world.scope, { mfa: { mode: 'off' } });
    const { accessToken } = await world.signIn();
    await world.auth.updateSettings(world.scope, { mfa: null });
    const bearer = await world.auth.authenticate(world.scope, accessToken);
    await expect(world.auth.authenticate(world.scope, accessToken, { aal2: true })).rejects.toMatchObject(
      refused('reauth_required'),
    );
    const stepUp = (code: string) => outcomeOf(world.auth.reauthenticate(world.scope, bearer, { code }));
    const reasons: string[] = [];
    for (let tries = 0; tries < 6; tries += 1) reasons.push(await stepUp(WRONG));
    expect(reasons).toEqual([...Array(5).fill('code_invalid'), 'challenge_expired']);
    // The first factor of this session was proven long ago, so nobody is notified.
    expect((await world.emails()).map(({ subject }) => subject)).not.toContain(NOTICE);
    world.clock.advance(10 * MINUTE);
    expect(await stepUp(WRONG)).toBe('code_invalid');
    expect(await stepUp(phone.nextCode())).toBe('mfa_wait');
    world.clock.advance(MINUTE);
    const tokens = await world.auth.reauthenticate(world.scope, bearer, { code: phone.nextCode() });
    await world.auth.authenticate(world.scope, tokens.accessToken, { aal2: true, fresh: true });
  });

  it('a user removes a factor with a code by the same ladder, and is notified', async () => {
    const { accessToken } = await verify(await challengeOf(world), phone.nextCode());
    const bearer = await world.auth.authenticate(world.scope, accessToken, { fresh: true, aal2: true });
    const remove = (code: string) => world.auth.deleteFactor(world.scope, bearer, phone.factorId, { code });
    expect(await outcomeOf(remove(WRONG))).toBe('code_invalid');
    world.clock.advance(MINUTE);
    expect(await remove(phone.nextCode())).toEqual({ mfaEnabled: false });
    expect((await world.lastEmail()).subject).toBe('A second factor was removed');
    const { user } = await world.signIn();
    expect(user.mfaEnabled).toBe(false);
    expect((await world.users.factors(world.scope, phone.userId)).recoveryCodesLeft).toBe(0);
  });

  it('a factor that is removed with a wrong password stays', async () => {
    const { accessToken } = await verify(await challengeOf(world), phone.nextCode());
    const bearer = await world.auth.authenticate(world.scope, accessToken);
    const remove = (password: string) =>
      outcomeOf(world.auth.deleteFactor(world.scope, bearer, phone.factorId, { password }));
    expect(await remove('a wrong passphrase')).toBe('invalid_credentials');
    await challengeOf(world);
    expect(await remove(PASSWORD)).toBe('right');
  });

  it('an erased user leaves no row of second factors', async () => {
    await outcomeOf(verify(await challengeOf(world), WRONG));
    await world.users.delete(world.scope, phone.userId);
    await world.beckon.worker.drain();
    const { authFactors, authRecoveryCodes, authMfaState, authMfaChallenges } = world.database.tables;
    for (const table of [authFactors, authRecoveryCodes, authMfaState, authMfaChallenges])
      expect(await world.database.storage.db.select().from(table)).toEqual([]);
  });
});

describe('the enrollment of an authenticator app', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
  });
  afterEach(() => world.close());

  it('a code of the enrollment cannot be used for a sign-in', async () => {
    const phone = await appOf(world);
    const { id, token } = await challengeOf(world);
    const code = phone.lastCode();
    const call = world.auth.verifyMfa(world.scope, id, { token, code });
    await expect(call).rejects.toMatchObject(refused('code_invalid'));
  });

  it('an enrollment takes five codes and then must begin again; nobody needs it before it is confirmed', async () => {
    const { accessToken } = await world.signIn();
    const bearer = await world.auth.authenticate(world.scope, accessToken);
    const { factorId } = await world.auth.enrollTotp(world.scope, bearer);
    const confirm = (code: string) => world.auth.confirmTotp(world.scope, bearer, { factorId, code });
    await Promise.all(
      Array.from({ length: 12 }, () => expect(confirm(WRONG)).rejects.toMatchObject(refused('code_invalid'))),
    );
    const { authFactors } = world.database.tables;
    const rows = await world.database.storage.db.select().from(authFactors);
    expect(rows.map(({ tries }) => tries)).toEqual([5]);
    await world.signIn();
    // Another enrollment replaces this one.
    await world.auth.enrollTotp(world.scope, bearer);
    await expect(confirm(WRONG)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a second app and new recovery codes replace the former codes', async () => {
    const phone = await appOf(world);
    const { id, token } = await challengeOf(world);
    const { accessToken } = await world.auth.verifyMfa(world.scope, id, { token, code: phone.nextCode() });
    const bearer = await world.auth.authenticate(world.scope, accessToken);
    const { recoveryCodes } = await world.auth.renewRecoveryCodes(world.scope, bearer);
    expect(recoveryCodes).toHaveLength(10);
    const next = await challengeOf(world);
    const [former = ''] = phone.recoveryCodes;
    const call = (code: string) => world.auth.verifyMfa(world.scope, next.id, { token: next.token, code });
    await expect(call(former)).rejects.toMatchObject(refused('code_invalid'));
    await call(recoveryCodes[0] ?? '');
  });

  it('M14 a project that requires a second factor lets users without one enroll, and nothing else', async () => {
    const { auth, scope } = world;
    await auth.updateSettings(scope, { mfa: { mode: 'required' } });
    const tokens = await world.signIn();
    expect(tokens.mfaEnrollmentRequired).toBe(true);
    const needs = (more: object) => auth.authenticate(scope, tokens.accessToken, more);
    await expect(needs({})).rejects.toMatchObject(refused('mfa_enrollment_required'));
    const refreshed = await auth.refresh(scope, { refreshToken: tokens.refreshToken });
    expect(refreshed.mfaEnrollmentRequired).toBe(true);
    await needs({ beforeEnrollment: true });
    const phone = await appOf(world);
    expect(phone.tokens).not.toHaveProperty('mfaEnrollmentRequired');
    await auth.authenticate(scope, phone.tokens.accessToken, { aal2: true });
    // A session without the factor stays one with one factor.
    await expect(needs({ aal2: true })).rejects.toMatchObject(refused('reauth_required'));
    await challengeOf(world);
  });

  it('M16 a factor without its secret is lost: a recovery code or a reset helps, no other way around', async () => {
    const phone = await appOf(world);
    const { authFactors } = world.database.tables;
    await world.database.storage.db.update(authFactors).set({ secret: null });
    const challenge = await challengeOf(world);
    expect(challenge.factors.map(({ type }) => type)).toEqual(['recovery']);
    const call = (code: string) => world.auth.verifyMfa(world.scope, challenge.id, { token: challenge.token, code });
    await expect(call(phone.nextCode())).rejects.toMatchObject(refused('code_invalid'));
    expect((await world.users.factors(world.scope, phone.userId)).factors).toMatchObject([{ lost: true }]);
    const { accessToken } = await call(phone.recoveryCodes[0] ?? '');
    const bearer = await world.auth.authenticate(world.scope, accessToken, { fresh: true, aal2: true });
    const removed = await world.auth.deleteFactor(world.scope, bearer, phone.factorId, { password: PASSWORD });
    expect(removed).toEqual({ mfaEnabled: false });
  });

  it('the first proof of a mailbox by a reset removes factors that were enrolled before', async () => {
    const { auth, scope } = world;
    await auth.updateSettings(scope, { signup: { requireVerifiedEmail: false, autoSignIn: true } });
    const email = 'victim@example.com';
    const signedUp = await auth.signUp(scope, { email, password: PASSWORD });
    if (!('accessToken' in signedUp)) throw new Error('no tokens');
    await appOf(world, signedUp.accessToken);
    await world.lastEmail();
    world.clock.advance(MINUTE);
    await auth.forgotPassword(scope, { email });
    const { token } = await world.lastEmail();
    const reset = await auth.resetPassword(scope, { token, password: 'another good passphrase' });
    expect(reset).toMatchObject({ user: { mfaEnabled: false } });
  });
});
