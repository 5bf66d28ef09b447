import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addPasskey, type Device, signInWith } from '../../../test/support/identity/passkey.ts';
import { FLAGS, type SoftAlgorithm, softAuthenticator } from '../../../test/support/identity/soft-authenticator.ts';
import { type AuthWorld, EMAIL, openAuth, PASSWORD, refused } from '../../../test/support/identity/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { UsersImportInput } from './api.ts';

const HANDLE = Buffer.from('user-17');
const INVALID = refused('passkey_invalid');

describe('passkeys of imported users', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
  });
  afterEach(() => world.close());

  const load = (users: UsersImportInput['users'], onConflict: 'skip' | 'update' = 'update', scope = world.scope) =>
    world.users.import(scope, { users, options: { onConflict } });
  const statuses = ({ results }: Awaited<ReturnType<typeof load>>) =>
    results.map(({ status, error }) => error?.reason ?? status);
  /** A passkey that another system has stored, and its device. */
  const stored = (algorithm: SoftAlgorithm = 'ES256', handle: Uint8Array = HANDLE) => {
    const device = softAuthenticator(algorithm);
    return {
      device: { device, handle },
      row: {
        credentialId: device.id,
        publicKey: device.cose.toString('base64url'),
        userHandle: Buffer.from(handle).toString('base64url'),
      },
    };
  };
  const signIn = (device: Pick<Device, 'device' | 'handle'>, counter = 0) =>
    signInWith(world, world.scope, device, { counter });
  const rows = () => world.database.storage.db.select().from(world.database.tables.authPasskeys);

  it('I9 users of an export sign in elsewhere with their passkeys', async () => {
    const { users, auth, scope } = world;
    await world.register();
    const { accessToken, user } = await world.signIn();
    const laptop = await addPasskey(world, scope, accessToken);
    const phone = await addPasskey(world, scope, accessToken, { algorithm: 'Ed25519', flags: 0x0d });
    await signIn(laptop, 7);
    const exported = await users.export(scope);
    expect(exported.users).toMatchObject([
      {
        passkeys: [
          { credentialId: laptop.device.id, alg: -7, counter: 7, deviceType: 'singleDevice', backedUp: false },
          { credentialId: phone.device.id, alg: -8, counter: 0, deviceType: 'multiDevice', name: 'Laptop' },
        ],
      },
    ]);
    const other = await world.project();
    expect(await users.import(other, unchecked({ users: exported.users }))).toMatchObject({ imported: 1, failed: 0 });
    await expect(signInWith(world, other, laptop, { counter: 7 })).rejects.toMatchObject(INVALID);
    expect((await signInWith(world, other, laptop, { counter: 8 })).user.id).toBe(user.id);
    const flags = FLAGS.UP | FLAGS.UV | FLAGS.BE;
    const signedIn = await signInWith(world, other, phone, { flags });
    // A registration keeps the handle.
    const bearer = await auth.authenticate(other, signedIn.accessToken);
    const { publicKey } = await auth.requestPasskey(other, bearer);
    expect(Buffer.from(publicKey.user.id, 'base64url')).toEqual(laptop.handle);
    expect(publicKey.excludeCredentials).toHaveLength(2);
  });

  it.each(['ES256', 'Ed25519', 'RS256'] satisfies SoftAlgorithm[])(
    'a passkey of %s that another system stored signs in, and what is unknown is kept from then on',
    async (algorithm) => {
      const { device, row } = stored(algorithm);
      await load([{ externalId: 'ann', email: EMAIL, emailVerified: true, passkeys: [row] }]);
      expect(await rows()).toMatchObject([
        { counter: 0, isBackupEligible: null, isBackedUp: false, name: 'Passkey', lastUsedAt: null },
      ]);
      const flags = FLAGS.UP | FLAGS.UV | FLAGS.BE | FLAGS.BS;
      expect((await signInWith(world, world.scope, device, { flags })).user.userId).toBe('ann');
      expect(await rows()).toMatchObject([{ isBackupEligible: true, isBackedUp: true }]);
      await expect(signIn(device)).rejects.toMatchObject(INVALID);
    },
  );

  it('passkeys that are not whole are invalid, and the message names the field', async () => {
    const { row } = stored();
    const [short, foreign] = [row.publicKey.slice(0, -4), stored('ES256', Buffer.from('other')).row];
    const answer = await load([
      { externalId: 'a', passkeys: [{ ...row, credentialId: 'no base64url!' }] },
      { externalId: 'b', passkeys: [{ ...row, publicKey: short }] },
      { externalId: 'c', passkeys: [{ ...row, alg: -257 }] },
      { externalId: 'd', passkeys: [{ ...row, userHandle: 'A'.repeat(100) }] },
      { externalId: 'e', passkeys: [row, foreign] },
      { externalId: 'f', passkeys: Array.from({ length: 21 }, () => stored().row) },
      { externalId: 'g', passkeys: [] },
      { externalId: 'h', passkeys: [row, row] },
    ]);
    expect(statuses(answer)).toEqual([...Array(6).fill('invalid'), 'imported', 'imported']);
    expect(answer.results.map(({ error }) => /^passkeys/.test(error?.message ?? ''))).toEqual([
      ...[true, true, true, true, true, true, false, false],
    ]);
    expect(await rows()).toHaveLength(1);
  });

  it('a passkey or a user handle of another user is refused as passkey_exists, also within a call', async () => {
    const { row } = stored();
    await load([{ externalId: 'ann', passkeys: [row] }]);
    const [own, twice] = [stored('ES256', Buffer.from('ben')).row, stored('ES256', Buffer.from('cy')).row];
    const answer = await load([
      { externalId: 'ben', passkeys: [{ ...row, userHandle: own.userHandle }] },
      { externalId: 'ben', passkeys: [stored().row] },
      { externalId: 'cy', passkeys: [twice] },
      { externalId: 'dee', passkeys: [{ ...own, credentialId: twice.credentialId }] },
      { externalId: 'ann', passkeys: [row, stored().row] },
    ]);
    expect(statuses(answer)).toEqual([...Array(2).fill('passkey_exists'), 'imported', 'passkey_exists', 'updated']);
    expect(await rows()).toHaveLength(3);
  });

  it('imports of one passkey for two users at the same time add it once', async () => {
    const { row } = stored();
    const answers = await Promise.all(['a', 'b', 'c'].map((externalId) => load([{ externalId, passkeys: [row] }])));
    expect(answers.flatMap(statuses).toSorted()).toEqual(['imported', 'passkey_exists', 'passkey_exists']);
    expect(await rows()).toHaveLength(1);
  });

  it('an update adds passkeys under one handle, and up to 20', async () => {
    const { users, scope } = world;
    await world.register();
    const { accessToken, user } = await world.signIn();
    const { device, handle } = await addPasskey(world, scope, accessToken);
    const here = stored('ES256', handle);
    const many = Array.from({ length: 19 }, () => stored('ES256', handle).row);
    const answers = [
      await load([{ email: EMAIL, passkeys: [stored().row] }]),
      await load([{ email: EMAIL, passkeys: [here.row] }]),
      await load([{ email: EMAIL, passkeys: [here.row] }]),
      await load([{ email: EMAIL, passkeys: many }]),
      await load([{ email: EMAIL, passkeys: [stored('ES256', handle).row] }], 'skip'),
    ];
    expect(answers.flatMap(statuses)).toEqual(['invalid', 'updated', 'updated', 'invalid', 'skipped']);
    expect((await users.passkeys(scope, user.id)).data).toHaveLength(2);
    await signIn(here.device);
    await signIn({ device, handle });
  });

  it('a user who only began a registration gets the handle of the import', async () => {
    const { auth, scope } = world;
    await world.register();
    const { accessToken } = await world.signIn();
    await auth.requestPasskey(scope, await auth.authenticate(scope, accessToken));
    const { device, row } = stored();
    expect(statuses(await load([{ email: EMAIL, passkeys: [row] }]))).toEqual(['updated']);
    await signIn(device);
  });

  it('an update that verifies an address removes the passkeys of a stranger, and adds those of the row', async () => {
    const { users, scope } = world;
    const { id } = await users.create(scope, { email: EMAIL, password: PASSWORD });
    const [stranger, owner] = [stored(), stored('ES256', Buffer.from('owner'))];
    await load([{ id, passkeys: [stranger.row] }]);
    await load([{ email: EMAIL, emailVerified: true, passkeys: [owner.row] }]);
    await expect(signIn(stranger.device)).rejects.toMatchObject(INVALID);
    expect((await signIn(owner.device)).user.id).toBe(id);
    // The same passkeys again, after a proof, are written again.
    const again = await users.create(scope, { email: 'ben@example.com' });
    await load([{ id: again.id, passkeys: [stranger.row] }]);
    await load([{ id: again.id, emailVerified: true, passkeys: [stranger.row] }]);
    expect((await signIn(stranger.device)).user.id).toBe(again.id);
  });

  it('100 rows need one look-up each of passkeys and handles', async () => {
    const users = Array.from({ length: 100 }, (_, at) => ({
      ...{ externalId: `u${at}`, passkeys: [stored('Ed25519', Buffer.from(`user ${at}`)).row] },
    }));
    await load(users);
    const { answer, statements } = await world.workOf(() => load(users));
    expect(answer).toMatchObject({ updated: 100 });
    expect(statements.filter((id) => id.startsWith('auth.passkey')).toSorted()).toEqual([
      ...['auth.passkey_by_credential', 'auth.passkey_handle', 'auth.passkey_user', 'auth.passkeys_of'],
    ]);
  });
});
