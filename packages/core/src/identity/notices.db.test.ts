import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appOf, challengeOf } from '../../test/support/identity/phone.ts';
import { type AuthWorld, EMAIL, HOUR, MINUTE, openAuth, PASSWORD, refused } from '../../test/support/identity/world.ts';

const WRONG_CODE = 'Failed sign-in to your account';
const CHANGED = 'Your password was changed';

describe('security notices', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.register();
  });
  afterEach(() => world.close());

  const countOf = async (subject: string): Promise<number> =>
    (await world.emails()).filter((email) => email.subject === subject).length;
  const bearerOf = async () => world.auth.authenticate(world.scope, (await world.signIn()).accessToken);
  /** Changes the password to the same one. */
  const changePassword = async (bearer: Awaited<ReturnType<typeof bearerOf>>) =>
    world.auth.changePassword(world.scope, bearer, { currentPassword: PASSWORD, newPassword: PASSWORD });
  const wrongCode = async (): Promise<void> => {
    const { id, token } = await challengeOf(world);
    const attempt = world.auth.verifyMfa(world.scope, id, { token, code: '000000' });
    await expect(attempt).rejects.toMatchObject(refused('code_invalid'));
  };

  it('an account gets at most 5 notices in any hour, of all kinds together', async () => {
    const bearer = await bearerOf();
    for (let minute = 0; minute < 7; minute += 1) {
      await changePassword(bearer);
      world.clock.advance(MINUTE);
    }
    expect(await countOf(CHANGED)).toBe(5);
    // One millisecond before the first of the five is an hour old.
    world.clock.advance(HOUR - 7 * MINUTE - 1);
    await changePassword(bearer);
    expect(await countOf(CHANGED)).toBe(5);
    world.clock.advance(1);
    await changePassword(bearer);
    await changePassword(bearer);
    expect(await countOf(CHANGED)).toBe(6);
  });

  it('the notices of one account do not count for another one', async () => {
    const bearer = await bearerOf();
    for (let changes = 0; changes < 6; changes += 1) await changePassword(bearer);
    const bob = { email: 'bob@example.com', password: PASSWORD };
    await world.users.create(world.scope, { ...bob, emailVerified: true });
    await changePassword(
      await world.auth.authenticate(world.scope, (await world.signIn(world.scope, bob.email)).accessToken),
    );
    const changed = (await world.emails()).filter(({ subject }) => subject === CHANGED);
    expect(changed.filter(({ to }) => to === bob.email)).toHaveLength(1);
    expect(changed.filter(({ to }) => to === EMAIL)).toHaveLength(5);
  });

  it('parallel changes of an account in two processes send no more notices than allowed', async () => {
    const bearer = await bearerOf();
    const second = await world.start();
    const input = { currentPassword: PASSWORD, newPassword: PASSWORD };
    const calls = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? world.auth : second.auth));
    await Promise.allSettled(calls.map((auth) => auth.changePassword(world.scope, bearer, input)));
    const done = (await world.auth.audit(world.scope, { action: 'password.change' })).data.length;
    expect(done).toBeGreaterThan(0);
    expect(await countOf(CHANGED)).toBe(Math.min(done, 5));
  });

  it('the first notice of a wrong second factor goes out over the limit, and later ones count', async () => {
    const { tokens } = await appOf(world);
    const bearer = await world.auth.authenticate(world.scope, tokens.accessToken);
    for (let changes = 0; changes < 6; changes += 1) await changePassword(bearer);
    await wrongCode();
    expect(await countOf(WRONG_CODE)).toBe(1);
    world.clock.advance(MINUTE);
    await wrongCode();
    expect(await countOf(WRONG_CODE)).toBe(1);
    expect(await countOf(CHANGED)).toBe(5);
  });

  it('a change of address notifies both addresses, and only the former one gets the link that undoes it', async () => {
    const { auth, scope, clock, lastEmail, emails } = world;
    const bearer = await bearerOf();
    clock.advance(MINUTE);
    await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
    await auth.verifyEmail(scope, { token: (await lastEmail()).token });
    const notices = (await emails()).filter(({ subject }) => subject === 'Your email address was changed');
    expect(notices.map(({ to }) => to).toSorted()).toEqual([EMAIL, 'ann@new.example']);
    const [former] = notices.filter(({ to }) => to === EMAIL);
    const [next] = notices.filter(({ to }) => to !== EMAIL);
    expect(former?.token).toMatch(/^eu_/);
    expect(next?.text).toContain('Sign in with this address from now on.');
    expect(next?.text).not.toContain('http');
  });

  it('a change of address at the limit notifies the former address first', async () => {
    const { auth, scope, clock, lastEmail, emails } = world;
    const bearer = await bearerOf();
    // Four notices: one more is allowed.
    for (let changes = 0; changes < 4; changes += 1) await changePassword(bearer);
    clock.advance(MINUTE);
    await auth.changeEmail(scope, bearer, { newEmail: 'ann@new.example' });
    await auth.verifyEmail(scope, { token: (await lastEmail()).token });
    const notices = (await emails()).filter(({ subject }) => subject === 'Your email address was changed');
    expect(notices.map(({ to }) => to)).toEqual([EMAIL]);
  });

  it.each(['mfa_wrong_code', 'mfa_removed', 'password_changed'] as const)(
    'the notice %s is in the language of the account',
    async (kind) => {
      const { auth, scope, beckon } = world;
      const phone = await appOf(world);
      const bearer = await auth.authenticate(scope, phone.tokens.accessToken);
      await auth.updateMe(scope, bearer, { locale: 'es-MX' });
      const localized = { es: { subject: 'Aviso', text: 'Hola' } };
      const { id } = await beckon.templates.create(scope, 'email', {
        ...{ name: kind, subject: 'Notice', text: 'Hello', localized },
      });
      await auth.updateSettings(scope, { mail: { templates: { [kind]: id } } });
      if (kind === 'mfa_wrong_code') await wrongCode();
      else if (kind === 'password_changed') await changePassword(bearer);
      else await auth.deleteFactor(scope, bearer, phone.factorId, { password: PASSWORD });
      expect(await countOf('Aviso')).toBe(1);
    },
  );

  it('an erasure deletes the count of notices', async () => {
    const bearer = await bearerOf();
    await changePassword(bearer);
    const counts = async () =>
      (await world.database.storage.db.select().from(world.database.tables.authMailBudget)).filter(({ mailbox }) =>
        mailbox.startsWith('notices:'),
      );
    expect(await counts()).toHaveLength(1);
    await world.users.delete(world.scope, bearer.account.id);
    await world.beckon.worker.drain();
    expect(await counts()).toEqual([]);
  });
});
