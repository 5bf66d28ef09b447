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
import type { Scope } from '../foundation/scope.ts';

const OTHER = 'another good passphrase';

describe('answers and their work', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
  });
  afterEach(() => world.close());

  it('E1 a sign-in is refused alike for a wrong password, an unknown address, a disabled and a passwordless user', async () => {
    const { auth, users, scope, workOf } = world;
    for (const name of ['disabled', 'without'])
      await users.create(scope, {
        ...{ email: `${name}@example.com`, emailVerified: true },
        ...(name === 'disabled' && { password: PASSWORD }),
      });
    const [disabled] = (await users.list(scope, { email: 'disabled@example.com' })).data;
    await users.update(scope, disabled?.id ?? '', { disabled: true });
    const signIn = (email: string, password: string) => workOf(() => auth.signIn(scope, { email, password }));
    // The first look-up of a process may prepare what later ones find.
    await signIn(EMAIL, OTHER);
    const wrong = await signIn(EMAIL, OTHER);
    expect(wrong.answer).toMatchObject({ code: 'UNAUTHORIZED', ...refused('invalid_credentials') });
    expect(wrong.hashes).toEqual({ hash: 0, verify: 1 });
    expect(wrong.statements).toContain('auth.password');
    expect(await signIn('nobody@example.com', OTHER)).toEqual(wrong);
    expect(await signIn('without@example.com', OTHER)).toEqual(wrong);
    expect(await signIn('disabled@example.com', OTHER)).toEqual(wrong);
    expect(await signIn('disabled@example.com', PASSWORD)).toEqual(wrong);
    expect(await signIn('no address', OTHER)).toEqual(wrong);
  });

  it('E3 a sign-up is answered alike, and hashes once, for a new, an unverified and a verified address', async () => {
    const { auth, users, scope, clock, workOf, emails } = world;
    const signUp = (email: string) => workOf(() => auth.signUp(scope, { email, password: PASSWORD }));
    clock.advance(MINUTE);
    await users.create(scope, { email: 'unverified@example.com' });
    // Reads the settings, which are cached afterwards.
    await signUp('somebody@example.com');
    const verified = await signUp(EMAIL);
    const fresh = await signUp('new@example.com');
    const unverified = await signUp('unverified@example.com');
    expect(fresh.answer).toEqual({ status: 'verification_required' });
    for (const { answer, hashes } of [verified, unverified])
      expect({ answer, hashes }).toEqual({
        answer: fresh.answer,
        hashes: { hash: 1, verify: 0 },
      });
    expect(fresh.hashes).toEqual({ hash: 1, verify: 0 });
    const reads = (statements: readonly string[]) =>
      statements.filter((one) => !/insert|put_|replace|change_|seal/.test(one));
    expect(reads(fresh.statements)).toContain('auth.user_by_email');
    expect(reads(verified.statements)).toEqual(reads(fresh.statements));
    expect(reads(unverified.statements)).toEqual(reads(fresh.statements));
    expect((await emails()).slice(-3).map(({ to, subject }) => `${to} ${subject}`)).toEqual([
      `${EMAIL} You already have an account`,
      'new@example.com Confirm your email address',
      'unverified@example.com Confirm your email address',
    ]);
  });

  it.each(['forgotPassword', 'requestVerification'] as const)(
    'E3 %s is answered alike, with the same look-ups, for existing and unknown addresses',
    async (name) => {
      const { auth, users, scope, clock, workOf, emails } = world;
      await users.create(scope, { email: 'unverified@example.com' });
      clock.advance(MINUTE);
      // Reads the settings, which are cached afterwards.
      await auth[name](scope, { email: 'somebody@example.com' });
      const ask = (email: string) => workOf(() => auth[name](scope, { email }));
      const existing = await ask('unverified@example.com');
      const count = (await emails()).length;
      const unknown = await ask('nobody@example.com');
      expect(existing.answer).toEqual({ sent: true });
      expect(unknown.answer).toEqual(existing.answer);
      expect(unknown.hashes).toEqual({ hash: 0, verify: 0 });
      expect(existing.hashes).toEqual(unknown.hashes);
      const ofSend = ['sending.insert_send', 'sending.seal', 'sending.insert_message'];
      // PostgreSQL wakes workers by a statement.
      const more = [...ofSend, 'wake'];
      expect(existing.statements).toEqual(expect.arrayContaining(ofSend));
      expect(unknown.statements).toEqual(existing.statements.filter((one) => !more.includes(one)));
      expect(await emails()).toHaveLength(count);
    },
  );

  it('E4 over the limit of emails the answer is the same, nothing is written, and the earlier link and code work', async () => {
    const { auth, scope, clock, workOf, emails, lastEmail } = world;
    clock.advance(MINUTE);
    await auth.forgotPassword(scope, { email: EMAIL });
    const { token } = await lastEmail();
    const count = (await emails()).length;
    const over = await workOf(() => auth.forgotPassword(scope, { email: EMAIL }));
    expect(over.answer).toEqual({ sent: true });
    expect(over.statements.filter((name) => name.startsWith('auth.'))).toEqual([
      'auth.mail_counts',
      'auth.mail_budget',
    ]);
    await auth.forgotPassword(scope, { email: 'nobody@example.com' });
    expect(await workOf(() => auth.forgotPassword(scope, { email: 'nobody@example.com' }))).toEqual(over);
    expect(await emails()).toHaveLength(count);
    await auth.resetPassword(scope, { token, password: OTHER });

    const bob = 'bob@example.com';
    await auth.signUp(scope, { email: bob, password: PASSWORD });
    const { code } = await lastEmail();
    const again = await workOf(() => auth.signUp(scope, { email: bob, password: OTHER }));
    expect(again).toMatchObject({ answer: { status: 'verification_required' }, hashes: { hash: 1, verify: 0 } });
    expect(await auth.verifyEmail(scope, { email: bob, code, password: PASSWORD })).toMatchObject({
      passwordKept: true,
    });
  });

  it('E7 without an email provider every address is answered alike, before any account is looked up', async () => {
    const { auth, users, scope, workOf, environmentOf } = world;
    const prod = await environmentOf(scope, 'prod');
    await users.create(prod, { email: EMAIL, emailVerified: true, password: PASSWORD });
    const calls = [
      (email: string) => auth.signUp(prod, { email, password: OTHER }),
      (email: string) => auth.forgotPassword(prod, { email }),
      (email: string) => auth.requestVerification(prod, { email }),
    ];
    for (const call of calls) {
      await workOf(() => call(EMAIL));
      const existing = await workOf(() => call(EMAIL));
      expect(existing.answer).toMatchObject({
        code: 'PROVIDER_NOT_CONFIGURED',
        details: { channel: 'email', missing: ['provider'] },
      });
      expect(existing.statements.filter((name) => name.startsWith('auth.user'))).toEqual([]);
      expect(existing.hashes).toEqual({ hash: 0, verify: 0 });
      expect(await workOf(() => call('nobody@example.com'))).toEqual(existing);
    }
  });

  it('E7 over mail.perHour every route that mails answers alike, before any account is looked up, in every process', async () => {
    const { auth, scope, clock, workOf, start, scopeIn } = world;
    const other = await start();
    const own = await scopeIn(other, scope);
    clock.advance(MINUTE);
    await auth.updateSettings(scope, { mail: { perHour: 3 }, redirectUris: ['https://app.example.com/auth'] });
    // The email of the registration counts, and so do those to unknown addresses.
    await other.auth.forgotPassword(own, { email: 'first@example.com' });
    await auth.forgotPassword(scope, { email: 'second@example.com' });
    const calls = [
      (email: string) => auth.signUp(scope, { email, password: OTHER }),
      (email: string) => auth.forgotPassword(scope, { email }),
      (email: string) => auth.requestVerification(scope, { email }),
      (email: string) => auth.requestMagicLink(scope, { email }),
      (email: string) => auth.requestEmailCode(scope, { email }),
      (email: string) => other.auth.forgotPassword(own, { email }),
    ];
    for (const call of calls) {
      await workOf(() => call(EMAIL));
      const existing = await workOf(() => call(EMAIL));
      expect(existing.answer).toMatchObject({ code: 'RATE_LIMITED', details: { limit: 3, reason: 'project_mail' } });
      expect(existing.statements).toEqual(['auth.mail_counts']);
      expect(existing.hashes).toEqual({ hash: 0, verify: 0 });
      expect(await workOf(() => call('nobody@example.com'))).toEqual(existing);
    }
    await auth.updateSettings(scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    await expect(auth.signUp(scope, { email: 'third@example.com', password: OTHER })).rejects.toMatchObject(
      refused('project_mail'),
    );
    clock.advance(70 * MINUTE);
    expect(await auth.forgotPassword(scope, { email: EMAIL })).toEqual({ sent: true });
  });

  it('emails of one project leave the hour of another one as it is, and old counts are removed', async () => {
    const { auth, scope, project, clock, beckon, database } = world;
    await auth.updateSettings(scope, { mail: { perHour: 1 } });
    await expect(auth.forgotPassword(scope, { email: 'a@example.com' })).rejects.toMatchObject(refused('project_mail'));
    expect(await auth.forgotPassword(await project(), { email: 'a@example.com' })).toEqual({ sent: true });
    const counts = () => database.storage.db.select().from(database.tables.authMailCounts);
    expect(await counts()).toHaveLength(2);
    clock.advance(2 * HOUR);
    await beckon.worker.drain();
    expect(await counts()).toEqual([]);
  });

  it('E7 without publicUrl a sign-in is refused alike for every address', async () => {
    const { scope, workOf } = world;
    const beckon = await world.start({ publicUrl: undefined });
    const own = await world.scopeIn(beckon, scope);
    const call = (email: string) => workOf(() => beckon.auth.signIn(own, { email, password: PASSWORD }));
    const existing = await call(EMAIL);
    expect(existing.answer).toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { channel: 'auth', provider: 'beckon', missing: ['publicUrl'] },
    });
    expect(await call('nobody@example.com')).toEqual(existing);
  });
});

describe('the limits on sign-in emails', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.users.create(world.scope, { email: EMAIL, emailVerified: true });
  });
  afterEach(() => world.close());

  const forget = (email = EMAIL, scope: Scope = world.scope) => world.auth.forgotPassword(scope, { email });
  const count = async (scope: Scope = world.scope) => (await world.emails(scope)).length;

  it('let through one a minute, five an hour and ten a day, and drop the others silently', async () => {
    const { clock } = world;
    await forget();
    clock.advance(MINUTE - SECOND);
    expect(await forget()).toEqual({ sent: true });
    expect(await count()).toBe(1);
    for (let at = 0; at < 10; at += 1) {
      clock.advance(MINUTE);
      await forget();
    }
    expect(await count()).toBe(5);
    clock.advance(HOUR);
    for (let at = 0; at < 10; at += 1) {
      clock.advance(MINUTE);
      await forget();
    }
    expect(await count()).toBe(10);
    clock.advance(12 * HOUR);
    await forget();
    expect(await count()).toBe(10);
    clock.advance(DAY);
    await forget();
    expect(await count()).toBe(11);
  });

  it('count all spellings of one mailbox, and every kind of email', async () => {
    const { auth, users, scope } = world;
    await forget();
    await auth.signUp(scope, { email: 'ann+shop@example.com', password: PASSWORD });
    await auth.requestVerification(scope, { email: 'ANN@example.com' });
    expect(await count()).toBe(1);
    expect((await users.list(scope)).data).toHaveLength(1);
  });

  it('let ten requests at the same time send one email', async () => {
    await Promise.allSettled(Array.from({ length: 10 }, () => forget()));
    expect(await count()).toBe(1);
  });

  it('limits of emails hold for the whole deployment when several projects mail one person', async () => {
    const scopes = [world.scope];
    for (let at = 0; at < 6; at += 1) {
      const scope = await world.project();
      await world.users.create(scope, { email: EMAIL, emailVerified: true });
      scopes.push(scope);
    }
    for (const scope of scopes) expect(await forget(EMAIL, scope)).toEqual({ sent: true });
    const counts = [];
    for (const scope of scopes) counts.push(await count(scope));
    expect(counts).toEqual([1, 1, 1, 1, 1, 0, 0]);
    world.clock.advance(MINUTE);
    for (const scope of scopes.slice(5)) await forget(EMAIL, scope);
    expect(await count(scopes[6])).toBe(1);
  });
});
