import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workflowOn } from '../../test/support/events/watching.ts';
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
import { unchecked } from '../../test/support/unchecked.ts';

/** Tables of sign-in that hold rows of users. */
const OF_USERS = [
  'authUsers',
  'authPasswords',
  'authSessions',
  'authRefreshTokens',
  'authOneTime',
  'authAudit',
] as const;

describe('one commit of sign-in', () => {
  let world: AuthWorld;
  let fails: boolean;
  beforeEach(async () => {
    fails = false;
    world = await openAuth({
      hooks: {
        auth: {
          during: () => {
            if (fails) throw new Error('the host refuses');
          },
        },
      },
    });
    const workflows = [{ ...workflowOn('user.signed_up'), name: 'Welcome' }];
    await world.beckon.workflows.importBundle(
      world.scope,
      unchecked({ version: 1, exportedAt: '2026-03-01T10:00:00.000Z', workflows }),
    );
    const events = ['user.signed_up', 'user.signed_in', 'user.session_expired'];
    await world.beckon.webhooks.create(
      world.scope,
      unchecked({ url: 'https://shop.example/', events, isPulled: true }),
    );
  });
  afterEach(() => world.close());

  const count = async (name: keyof AuthWorld['database']['tables']): Promise<number> =>
    // Safe: each is a table of the database.
    (await world.database.storage.db.select().from(world.database.tables[name] as never)).length;
  const counts = async (): Promise<Record<string, number>> => {
    const names = [...OF_USERS, 'profiles', 'events', 'runs', 'sends', 'messages', 'webhookDeliveries'] as const;
    const all: Record<string, number> = {};
    for (const name of names) if (name in world.database.tables) all[name] = await count(unchecked(name));
    return all;
  };

  it('W2 nothing of a sign-up is left when the hook of the host throws', async () => {
    const { auth, scope, lastEmail, signIn } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    const before = await counts();
    fails = true;
    await expect(auth.signUp(scope, { email: EMAIL, password: PASSWORD })).rejects.toThrow('the host refuses');
    expect(await counts()).toEqual(before);
    // The budget of emails is part of the commit as well.
    fails = false;
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    expect((await lastEmail()).to).toBe(EMAIL);
    expect((await signIn()).user.email).toBe(EMAIL);
    expect(await counts()).toMatchObject({ authUsers: 1, profiles: 1, runs: 1 });
  });

  it('W2 a proof of the mailbox fails with the hook, and its link still works afterwards', async () => {
    const { auth, scope, lastEmail, signIn } = world;
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    const { token } = await lastEmail();
    const before = await counts();
    fails = true;
    await expect(auth.verifyEmail(scope, { token, password: PASSWORD })).rejects.toThrow('the host refuses');
    expect(await counts()).toEqual(before);
    expect(before).toMatchObject({ profiles: 0, runs: 0 });
    fails = false;
    expect(await auth.verifyEmail(scope, { token, password: PASSWORD })).toMatchObject({ passwordKept: true });
    await world.beckon.worker.drain();
    expect(await counts()).toMatchObject({ profiles: 1, runs: 1 });
    await signIn();
  });

  it('W4 of 50 sign-ups of one address at the same time one account remains, and one email goes out', async () => {
    const { auth, scope, emails } = world;
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => auth.signUp(scope, { email: EMAIL, password: `${PASSWORD} ${at}` })),
    );
    expect(all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual(
      Array(50).fill({ status: 'verification_required' }),
    );
    expect(await counts()).toMatchObject({ authUsers: 1, authPasswords: 1, authOneTime: 1 });
    expect(await emails()).toHaveLength(1);
  });

  it('W4 of 50 automatic sign-ins of one address one is signed in, and the others are conflicts', async () => {
    const { auth, scope } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => auth.signUp(scope, { email: EMAIL, password: `${PASSWORD} ${at}` })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'CONFLICT', ...refused('account_exists') });
    await world.beckon.worker.drain();
    expect(await counts()).toMatchObject({ authUsers: 1, authSessions: 1, profiles: 1, runs: 1 });
  });

  it('a new address that another account gets at the same time is refused, or refuses the other', async () => {
    const { auth, users, scope, register, signIn, lastEmail } = world;
    const newEmail = 'team@example.com';
    await register();
    const { accessToken } = await signIn();
    await auth.changeEmail(scope, await auth.authenticate(scope, accessToken), { newEmail });
    const { token } = await lastEmail();
    const [created, changed] = await Promise.allSettled([
      users.create(scope, { email: newEmail }),
      auth.verifyEmail(scope, { token }),
    ]);
    expect([created.status, changed.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const result of [created, changed])
      if (result.status === 'rejected') expect(result.reason).toMatchObject(refused('account_exists'));
  });

  it('W6 an erasure leaves no row of the user in any table of sign-in', async () => {
    const { auth, users, beckon, scope, clock, database, register, signIn } = world;
    await register();
    clock.advance(MINUTE);
    await register(scope, 'bob@example.com');
    const { accessToken, user } = await signIn();
    clock.advance(MINUTE);
    await auth.forgotPassword(scope, { email: EMAIL });
    const bearer = await auth.authenticate(scope, accessToken);
    await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
    await users.revokeSessions(scope, user.id, { actor: 'key:one' });
    await users.delete(scope, user.id);
    await beckon.worker.drain();
    for (const name of OF_USERS) {
      const rows = await database.storage.db.select().from(database.tables[name]);
      const text = JSON.stringify(rows);
      expect([name, text.includes(user.id), text.includes('ann@')]).toEqual([name, false, false]);
    }
    const budgets = await database.storage.db.select().from(database.tables.authMailBudget);
    expect(budgets.filter(({ scopeId }) => scopeId === scope.scopeId)).toHaveLength(1);
    expect((await users.list(scope)).data.map(({ email }) => email)).toEqual(['bob@example.com']);
    expect((await signIn(scope, 'bob@example.com')).user.email).toBe('bob@example.com');
    await expect(auth.authenticate(scope, accessToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
  });

  it('maintenance removes one-time rows a day after they expired', async () => {
    const { auth, users, scope, clock, beckon } = world;
    await users.create(scope, { email: EMAIL, emailVerified: true });
    await auth.forgotPassword(scope, { email: EMAIL });
    clock.advance(DAY + 30 * MINUTE - SECOND);
    await beckon.worker.drain();
    expect(await count('authOneTime')).toBe(1);
    clock.advance(2 * SECOND);
    await beckon.worker.drain();
    expect(await count('authOneTime')).toBe(0);
  });

  it('maintenance removes counts of emails once their day is over', async () => {
    const { auth, scope, clock, beckon } = world;
    await auth.forgotPassword(scope, { email: EMAIL });
    clock.advance(23 * HOUR);
    await beckon.worker.drain();
    expect(await count('authMailBudget')).toBe(2);
    clock.advance(2 * HOUR);
    await beckon.worker.drain();
    expect(await count('authMailBudget')).toBe(0);
  });

  it('maintenance erases accounts that nobody proved after the days of the settings, and no others', async () => {
    const { auth, users, scope, clock, beckon, register, lastEmail } = world;
    await register();
    clock.advance(MINUTE);
    await auth.signUp(scope, { email: 'bob@example.com', password: PASSWORD });
    const other = await world.project();
    await auth.updateSettings(other, { signup: { unverifiedDays: 2 } });
    await auth.signUp(other, { email: 'carl@example.com', password: PASSWORD });
    const { token } = await lastEmail(other);
    clock.advance(2 * DAY + SECOND);
    await beckon.worker.drain();
    expect((await users.list(other)).data).toEqual([]);
    await expect(auth.verifyEmail(other, { token })).rejects.toMatchObject(refused('token_invalid'));
    expect((await users.list(scope)).data).toHaveLength(2);
    clock.advance(28 * DAY);
    await beckon.worker.drain();
    expect((await users.list(scope)).data.map(({ email }) => email)).toEqual([EMAIL]);
    expect(await count('authPasswords')).toBe(1);
  });

  it('maintenance keeps an unverified account that was signed in by its sign-up', async () => {
    const { auth, scope, clock, beckon } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true } });
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    clock.advance(31 * DAY);
    await beckon.worker.drain();
    expect(await counts()).toMatchObject({ authUsers: 1, authPasswords: 1 });
  });

  it('many unverified accounts that are kept do not hide one of another project that is erased', async () => {
    const { auth, scope, clock, beckon, database, project } = world;
    const { db } = database.storage;
    const { authUsers } = database.tables;
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    const [row] = await db.select().from(authUsers);
    if (!row) throw new Error('no account');
    // More than maintenance looks at in one step.
    const kept = Array.from({ length: 200 }, (_, n) => {
      const id = `0190f2b0-0000-7000-8000-${String(n).padStart(12, '0')}`;
      return { ...row, id, userId: id, email: `${n}@example.com`, emailNorm: `${n}@example.com` };
    });
    await db.insert(authUsers).values(kept);
    const other = await project();
    await auth.updateSettings(other, { signup: { unverifiedDays: 1 } });
    await auth.signUp(other, { email: EMAIL, password: PASSWORD });
    clock.advance(DAY + SECOND);
    for (let round = 0; round < 2; round += 1) await beckon.worker.drain();
    expect(await count('authUsers')).toBe(201);
    expect((await world.users.list(other)).data).toEqual([]);
  });

  it('an account that is proven while maintenance erases it is either kept as a whole or gone as a whole', async () => {
    const { auth, scope, clock, beckon, signIn } = world;
    await auth.updateSettings(scope, { signup: { unverifiedDays: 1 } });
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    await world.lastEmail();
    clock.advance(DAY - SECOND);
    await auth.requestVerification(scope, { email: EMAIL });
    const { token } = await world.lastEmail();
    clock.advance(2 * SECOND);
    const verified = auth.verifyEmail(scope, { token, password: PASSWORD }).then(
      () => true,
      () => false,
    );
    await Promise.all([verified, beckon.worker.drain()]);
    const rows = (await verified) ? 1 : 0;
    expect(await counts()).toMatchObject({ authUsers: rows, authPasswords: rows, profiles: rows });
    if (rows === 1) expect((await signIn()).user.emailVerified).toBe(true);
  });

  it('H7 sealed values are gone after the send, and no view shows them', async () => {
    const { auth, users, beckon, scope, database, lastEmail } = world;
    await users.create(scope, { email: EMAIL, emailVerified: true });
    await auth.forgotPassword(scope, { email: EMAIL });
    const sealed = async () =>
      (await database.storage.db.select().from(database.tables.sends)).map((row) => row.sealed);
    expect(await sealed()).toEqual([expect.any(String)]);
    const views = async () => {
      const { data } = await beckon.sends.list(scope, 'email');
      const id = data[0]?.id ?? '';
      const one = await beckon.sends.get(scope, 'email', id);
      return JSON.stringify([data, one, (await beckon.sends.messages(scope, 'email', id)).data]);
    };
    const before = await views();
    expect(before).not.toContain('sealed');
    const { token } = await lastEmail();
    expect(token).toMatch(/^pr_/);
    expect(await sealed()).toEqual([null]);
    for (const view of [before, await views()]) expect(view).not.toContain(token);
  });

  it('H8 an email whose link has expired before it was handed over is not sent', async () => {
    const { auth, users, beckon, scope, clock, emails, database } = world;
    await users.create(scope, { email: EMAIL, emailVerified: true });
    await auth.forgotPassword(scope, { email: EMAIL });
    clock.advance(30 * MINUTE + SECOND);
    expect(await emails()).toEqual([]);
    const [send] = (await beckon.sends.list(scope, 'email')).data;
    expect(await beckon.sends.messages(scope, 'email', send?.id ?? '')).toMatchObject({
      data: [{ status: 'failed', errorCode: 'expired' }],
    });
    expect((await database.storage.db.select().from(database.tables.sends)).map((row) => row.sealed)).toEqual([null]);
  });
});
