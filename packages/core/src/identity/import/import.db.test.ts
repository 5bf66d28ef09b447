import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SAMPLE_DIGEST, SAMPLE_PROJECT, SAMPLE_SALT, vectors } from '../../../test/support/identity/hash-vectors.ts';
import { tokensOf } from '../../../test/support/identity/tokens.ts';
import { type AuthWorld, EMAIL, HOUR, openAuth, PASSWORD, refused } from '../../../test/support/identity/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { hashPool } from '../passwords/pool.ts';
import type { UsersImportInput } from './api.ts';

const BCRYPT = '$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a';
const BCRYPT_PASSWORD = 'U*U*U';
const FIREBASE = `${SAMPLE_DIGEST}$${SAMPLE_SALT}`;
const COSTS = { hash: 0, verify: 0 };

type Users = UsersImportInput['users'];
type Options = UsersImportInput['options'];

/** Everything that a database and a log hold, as text. */
const contentsOf = async ({ database }: AuthWorld, lines: readonly string[] = []): Promise<string> => {
  const tables = await Promise.all(
    Object.values(database.tables).map((table) => database.storage.db.select().from(unchecked(table))),
  );
  return [JSON.stringify(tables), ...lines].join('\n');
};

const named = (count: number, from = 0): Users =>
  Array.from({ length: count }, (_, at) => ({ externalId: `u${from + at}`, email: `u${from + at}@example.com` }));

describe('an import with real hashes', () => {
  const open = async (): Promise<AuthWorld> => {
    const world = await openAuth({}, { hashPool: hashPool({ threads: 1 }) });
    onTestFinished(() => world.close());
    return world;
  };
  const stored = async (world: AuthWorld, scope: Scope = world.scope): Promise<readonly string[]> => {
    const { authPasswords } = world.database.tables;
    const rows = await world.database.storage.db.select().from(authPasswords);
    return rows.filter(({ scopeId }) => scopeId === scope.scopeId).map(({ hash }) => hash);
  };

  it('I1 a hash of each format signs in, becomes argon2id at the first sign-in, and signs in again', async () => {
    const world = await open();
    const { auth, users } = world;
    for (const { hash, config, algorithm, password, source } of vectors) {
      // In a project of its own, failures are not padded to the other formats.
      const scope = await world.project();
      const row = { email: EMAIL, emailVerified: true, passwordHash: hash };
      const { results } = await users.import(scope, { users: [row], ...(config && { hashConfig: config }) });
      expect(results, source).toMatchObject([{ status: 'imported', algorithm }]);
      const signIn = (text: string) => auth.signIn(scope, { email: EMAIL, password: text });
      await expect(signIn(`${password}x`), source).rejects.toMatchObject(refused('invalid_credentials'));
      await tokensOf(signIn(password));
      expect(await stored(world, scope), source).toEqual([
        expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
      ]);
      await tokensOf(signIn(password));
    }
  }, 120_000);

  it('I5 two sign-ins at once rehash once, and a rehash does not replace a password that was changed meanwhile', async () => {
    const world = await open();
    const { auth, users, scope } = world;
    await users.import(scope, { users: [{ email: EMAIL, emailVerified: true, passwordHash: BCRYPT }] });
    const signIn = (password: string) => tokensOf(auth.signIn(scope, { email: EMAIL, password }));
    await Promise.all([signIn(BCRYPT_PASSWORD), signIn(BCRYPT_PASSWORD), signIn(BCRYPT_PASSWORD)]);
    expect(await stored(world)).toEqual([expect.stringContaining('$argon2id$')]);
    await signIn(BCRYPT_PASSWORD);

    await users.import(scope, {
      users: [{ email: EMAIL, passwordHash: BCRYPT }],
      options: { onConflict: 'update', overwritePassword: true },
    });
    const { accessToken } = await signIn(BCRYPT_PASSWORD).catch(() => signIn(BCRYPT_PASSWORD));
    const bearer = await auth.authenticate(scope, accessToken);
    await Promise.allSettled([
      signIn(BCRYPT_PASSWORD),
      auth.changePassword(scope, bearer, { currentPassword: BCRYPT_PASSWORD, newPassword: PASSWORD }),
    ]);
    await signIn(PASSWORD);
    await expect(signIn(BCRYPT_PASSWORD)).rejects.toMatchObject(refused('invalid_credentials'));
  }, 30_000);

  it('I9 an export read by another deployment lets every user sign in', async () => {
    const [from, to] = [await open(), await open()];
    for (const [at, { hash, config }] of vectors.entries())
      await from.users.import(from.scope, {
        users: [
          {
            ...{ externalId: `id-${at}`, email: `user${at}@example.com`, emailVerified: true, passwordHash: hash },
            ...{ name: `User ${at}`, locale: 'de', timezone: 'Europe/Berlin', phone: '+14155550123' },
            ...{ metadata: { plan: at }, createdAt: '2020-02-03T04:05:06.000Z' },
          },
        ],
        ...(config && { hashConfig: config }),
      });
    await from.users.create(from.scope, { email: 'own@example.com', emailVerified: true, password: PASSWORD });
    const { id: disabledId } = await from.users.create(from.scope, { email: 'off@example.com', password: PASSWORD });
    await from.users.update(from.scope, disabledId, { disabled: true });

    const all: unknown[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { users, next } = await from.users.export(from.scope, { limit: 7, ...(after && { after }) });
      all.push(...users);
      after = next;
    }
    const copied = await to.users.import(to.scope, unchecked({ users: all }));
    expect(copied).toMatchObject({ total: vectors.length + 2, imported: vectors.length + 2, failed: 0 });
    for (const [at, { password }] of vectors.entries()) {
      const { user } = await tokensOf(to.auth.signIn(to.scope, { email: `user${at}@example.com`, password }));
      expect(user).toMatchObject({
        ...{ userId: `id-${at}`, name: `User ${at}`, locale: 'de', metadata: { plan: at }, emailVerified: true },
        ...{ phone: '+14155550123', timezone: 'Europe/Berlin', createdAt: new Date('2020-02-03T04:05:06.000Z') },
      });
    }
    const own = await to.signIn(to.scope, 'own@example.com');
    const { data } = await from.users.list(from.scope, { email: 'own@example.com' });
    expect(own.user).toMatchObject({ id: data[0]?.id, userId: data[0]?.userId });
    expect((await to.users.get(to.scope, disabledId)).disabled).toBe(true);
  }, 120_000);
});

describe('an import', () => {
  let world: AuthWorld;
  const lines: string[] = [];
  beforeEach(async () => {
    lines.length = 0;
    const keep = (fields: object, text: string): void => void lines.push(`${text} ${JSON.stringify(fields)}`);
    world = await openAuth({ log: { info: keep, warn: keep, error: keep } });
  });
  afterEach(() => world.close());

  const load = (users: Users, options?: Options, more: object = {}) =>
    world.users.import(world.scope, { users, ...(options && { options }), ...more });
  const all = async () => (await world.users.list(world.scope, { limit: 200 })).data;

  it('I2 a hash over a cap and one of no known format are refused with their reason', async () => {
    const { results } = await load([
      { email: 'a@example.com', passwordHash: BCRYPT.replace('$05$', '$15$') },
      {
        email: 'b@example.com',
        passwordHash: '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
      },
      { email: 'c@example.com', passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99' },
      { email: 'd@example.com', passwordHash: FIREBASE },
      { email: 'e@example.com', passwordHash: BCRYPT },
    ]);
    expect(results.map(({ status, error }) => error?.reason ?? status)).toEqual([
      ...['hash_over_cap', 'hash_over_cap', 'unsupported_hash', 'unsupported_hash', 'imported'],
    ]);
    expect((await all()).map(({ email }) => email)).toEqual(['e@example.com']);
  });

  it('I3 one row of 1,000 that is not valid fails alone, and its error names the field without the value', async () => {
    const rows = [...named(1_000)];
    rows[437] = { externalId: 'u437', email: 'no address of anybody' };
    const answer = await load(rows);
    expect(answer).toMatchObject({ total: 1_000, imported: 999, updated: 0, skipped: 0, failed: 1 });
    expect(answer.results.map(({ index }) => index)).toEqual(rows.map((_, index) => index));
    expect(answer.results[437]).toEqual({
      index: 437,
      status: 'failed',
      error: { reason: 'invalid', message: 'email: must be an email address such as ann@example.com' },
    });
    expect(await world.beckon.profiles.get(world.scope, 'u999')).toMatchObject({ userId: 'u999' });
    await expect(world.beckon.profiles.get(world.scope, 'u437')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('rows with a wrong id, an unknown field, no key or another type fail alone', async () => {
    const rows = [
      { email: 'a@example.com', id: '0b0e7c1e-0000-4000-8000-000000000000' },
      { email: 'b@example.com', role: 'admin' },
      { name: 'Nobody' },
      'text',
      null,
      { email: 'c@example.com', phone: '12' },
      { email: 'd@example.com', name: 'a\0b' },
      { email: 'e@example.com', passkeys: [{ credentialId: 'AA', publicKey: 'AA', userHandle: 'AA' }] },
      { email: 'f@example.com' },
    ];
    const { results } = await load(unchecked(rows));
    expect(results.map(({ status, error }) => `${status} ${error?.reason ?? ''}`)).toEqual([
      ...Array.from({ length: 7 }, () => 'failed invalid'),
      'failed unsupported_field',
      'imported ',
    ]);
  });

  it('I4 the same rows twice give the same users, whether they are skipped, updated or refused', async () => {
    const rows: Users = [
      { externalId: 'ann', email: EMAIL, emailVerified: true, name: 'Ann', passwordHash: BCRYPT },
      { email: 'ben@example.com', metadata: { plan: 'pro' }, disabled: true },
      { id: '0197f2b0-0000-7000-8000-000000000001', phone: '+14155550123' },
    ];
    expect(await load(rows)).toMatchObject({ imported: 3 });
    const before = await all();
    expect(before).toHaveLength(3);
    for (const onConflict of ['skip', 'update', 'fail'] as const) {
      world.clock.advance(HOUR);
      const answer = await load(rows, { onConflict });
      expect(answer).toMatchObject({
        ...{ skip: { skipped: 3 }, update: { updated: 3 }, fail: { failed: 3 } }[onConflict],
        imported: 0,
      });
      if (onConflict === 'fail')
        expect(answer.results.map(({ error }) => error?.reason)).toEqual(Array(3).fill('account_exists'));
      expect(await all()).toEqual(before);
    }
    expect(before.map(({ id, userId, disabled }) => ({ id, userId, disabled }))).toEqual([
      expect.objectContaining({ userId: before[0]?.id, disabled: true }),
      expect.objectContaining({ userId: 'ann', disabled: false }),
      { id: rows[2]?.id, userId: rows[2]?.id, disabled: false },
    ]);
  });

  it('rows of one user in one call count once', async () => {
    const { results } = await load([
      { externalId: 'ann', email: EMAIL },
      { externalId: 'ben', email: EMAIL.toUpperCase() },
      { externalId: 'ann', email: 'other@example.com' },
    ]);
    expect(results.map(({ status, userId }) => [status, userId])).toEqual([
      ['imported', 'ann'],
      ['skipped', 'ann'],
      ['skipped', 'ann'],
    ]);
  });

  it('an update replaces the fields that a row has, keeps the others, and changes a password only if requested', async () => {
    const { users, scope, auth } = world;
    const created = await users.create(scope, {
      ...{ externalId: 'ann', email: EMAIL, emailVerified: true, password: PASSWORD, name: 'Ann', locale: 'de' },
    });
    const row = { externalId: 'ann', name: 'Ann L.', phone: '+14155550123', passwordHash: BCRYPT };
    expect(await load([row], { onConflict: 'update' })).toMatchObject({ updated: 1 });
    expect(await users.get(scope, created.id)).toMatchObject({ name: 'Ann L.', locale: 'de', phone: '+14155550123' });
    await world.signIn();
    await load([row], { onConflict: 'update', overwritePassword: true });
    await expect(auth.signIn(scope, { email: EMAIL, password: PASSWORD })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    const { results } = await load(
      [
        { externalId: 'other', email: EMAIL },
        { id: '0197f2b0-0000-7000-8000-000000000001', email: EMAIL },
      ],
      { onConflict: 'update' },
    );
    expect(results.map(({ error }) => error?.reason)).toEqual(['account_exists', 'account_exists']);
  });

  it('an update that verifies an address removes what a stranger has set before, and ends sessions of disabled users', async () => {
    const { auth, users, scope } = world;
    await auth.signUp(scope, { email: EMAIL, password: PASSWORD });
    await load([{ email: EMAIL, emailVerified: true, name: 'Ann' }], { onConflict: 'update' });
    const signIn = (password = PASSWORD) => auth.signIn(scope, { email: EMAIL, password });
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
    const [ann] = await all();
    expect(ann).toMatchObject({ emailVerified: true, name: 'Ann' });
    expect(await world.beckon.profiles.get(scope, ann?.userId ?? '')).toMatchObject({ email: EMAIL });

    await users.create(scope, { email: 'ben@example.com', emailVerified: true, password: PASSWORD });
    const { accessToken } = await world.signIn(scope, 'ben@example.com');
    await load([{ email: 'ben@example.com', disabled: true }], { onConflict: 'update' });
    await expect(auth.authenticate(scope, accessToken)).rejects.toMatchObject(refused('session_expired'));
  });

  it('a password of a row replaces the one of a stranger with the same commit', async () => {
    await world.auth.signUp(world.scope, { email: EMAIL, password: PASSWORD });
    await load([{ email: EMAIL, emailVerified: true, passwordHash: BCRYPT }], { onConflict: 'update' });
    const { authPasswords } = world.database.tables;
    expect(await world.database.storage.db.select().from(authPasswords)).toMatchObject([{ hash: BCRYPT }]);
  });

  it('new users have a profile with the same commit, and raise user.signed_up only if requested', async () => {
    await load([{ externalId: 'ann', email: EMAIL, emailVerified: true }]);
    expect(await world.beckon.profiles.get(world.scope, 'ann')).toMatchObject({ email: EMAIL });
    expect(await world.eventsOf('ann')).toEqual([]);
    await load([{ externalId: 'ben', email: 'ben@example.com' }, ...named(150)], { emitEvents: true });
    await world.beckon.worker.drain();
    expect(await world.eventsOf('ben')).toEqual(['user.signed_up']);
    expect(await world.eventsOf('u149')).toEqual(['user.signed_up']);
  });

  it('imports of the same users at the same time create each of them once', async () => {
    const rows = named(250).map((row) => ({ ...row, passwordHash: BCRYPT }));
    const answers = await Promise.all([load(rows), load(rows.toReversed()), load(rows)]);
    expect(answers.reduce((sum, { imported }) => sum + imported, 0)).toBe(250);
    expect(answers.reduce((sum, { failed }) => sum + failed, 0)).toBe(0);
    expect(await all()).toHaveLength(200);
  });

  it('I6 no answer, log line, event or audit entry holds a hash or the signer key, which is sealed', async () => {
    const answer = await load(
      [
        { email: EMAIL, emailVerified: true, passwordHash: FIREBASE },
        { email: 'ben@example.com', passwordHash: BCRYPT },
        { email: 'cy@example.com', passwordHash: `${BCRYPT}x` },
        {
          email: 'dee@example.com',
          passwordHash: 'pbkdf2_sha256$99999999$seasalt$Ybw8zsFxqja97tY/o6G+Fy1ksY4U/Hw3DRrGED6Up4s=',
        },
      ],
      { emitEvents: true },
      { hashConfig: SAMPLE_PROJECT },
    );
    expect(answer).toMatchObject({ imported: 2, failed: 2 });
    const secrets = [SAMPLE_DIGEST.slice(0, 40), BCRYPT.slice(10), 'Ybw8zsFxqja97tY'];
    const texts = [
      ...[answer, await all(), await world.auth.audit(world.scope)].map((value) => JSON.stringify(value)),
      ...lines,
    ].join('\n');
    for (const secret of secrets) expect(texts).not.toContain(secret);
    const everything = await contentsOf(world, lines);
    expect(everything).not.toContain(SAMPLE_PROJECT.signerKey.slice(0, 40));
    expect(everything.split(BCRYPT)).toHaveLength(2);
    expect(texts).toContain('users.import');
  });

  it('I7 a call with no user and one with 1,001 users are refused as a whole', async () => {
    for (const users of [[], named(1_001)])
      await expect(load(users)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(load(unchecked('users'))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await load(named(1_000))).toMatchObject({ imported: 1_000 });
  });

  it('I8 a hash of Ory Kratos is stored in the usual form', async () => {
    const kratos = vectors.find(({ source }) => source.includes('N in the place of log2 N'));
    await load([{ email: EMAIL, passwordHash: kratos?.hash ?? '' }]);
    const { authPasswords } = world.database.tables;
    expect((await world.database.storage.db.select().from(authPasswords))[0]?.hash).toMatch(
      /^\$scrypt\$ln=14,r=8,p=1\$/,
    );
  });

  it('a call with an idempotency key answers a repetition with the first answer', async () => {
    const call = () => world.users.import(world.scope, { users: named(3) }, { idempotencyKey: 'move-1' });
    const first = await call();
    expect(first).toMatchObject({ imported: 3 });
    expect(await call()).toEqual(first);
  });

  it('a signer key can be read after the master key was rotated, and an import restores one that a backup left out', async () => {
    const { authHashConfigs } = world.database.tables;
    const { db } = world.database.storage;
    const again = () =>
      load([{ email: EMAIL, passwordHash: FIREBASE }], { onConflict: 'update' }, { hashConfig: SAMPLE_PROJECT });
    await again();
    const [before] = await db.select().from(authHashConfigs);
    const rotating = await world.start({ masterKey: `${newMasterKey()},${world.masterKey}` });
    expect(await rotating.secrets.rotateMasterKey()).toMatchObject({ unreadable: 0 });
    const [after] = await db.select().from(authHashConfigs);
    expect(after?.sealed).not.toBe(before?.sealed);
    const { users } = await rotating.users.export(await world.scopeIn(rotating));
    expect(users[0]?.passwordHash).toContain(`,sk=${SAMPLE_PROJECT.signerKey.replaceAll('=', '')}$`);

    await db.update(authHashConfigs).set({ sealed: null });
    await rotating.users.import(await world.scopeIn(rotating), {
      ...{ users: [{ email: EMAIL, passwordHash: FIREBASE }], hashConfig: SAMPLE_PROJECT },
      options: { onConflict: 'update' },
    });
    expect((await db.select().from(authHashConfigs))[0]?.sealed).not.toBeNull();
  });

  it('a signer key is removed when no password needs it any more', async () => {
    const { authHashConfigs } = world.database.tables;
    const configs = () => world.database.storage.db.select().from(authHashConfigs);
    await load([{ email: EMAIL, passwordHash: FIREBASE }], {}, { hashConfig: SAMPLE_PROJECT });
    await load([{ email: 'ben@example.com', passwordHash: BCRYPT }]);
    expect(await configs()).toHaveLength(2);
    world.clock.advance(2 * HOUR);
    await world.beckon.worker.drain();
    expect(await configs()).toHaveLength(2);
    await load([{ email: EMAIL, passwordHash: BCRYPT }], { onConflict: 'update', overwritePassword: true });
    world.clock.advance(2 * HOUR);
    await world.beckon.worker.drain();
    expect((await configs()).map(({ standIn, sealed }) => [standIn.slice(0, 7), sealed])).toEqual([['$2b$05$', null]]);
  });

  it('E1 failures for unknown accounts do the work of imported hashes, with the same statements', async () => {
    await load([{ email: EMAIL, emailVerified: true, passwordHash: BCRYPT }]);
    const attempt = (email: string) =>
      world.workOf(() => world.auth.signIn(world.scope, { email, password: 'a wrong password' }));
    // The first failures of a process measure: one more comparison each.
    const [first, second] = [await attempt('nobody@example.com'), await attempt(EMAIL)];
    expect(first.hashes).toEqual({ ...COSTS, verify: 2 });
    expect(second.hashes).toEqual({ ...COSTS, verify: 1 });
    const existing = await attempt(EMAIL);
    expect(existing.hashes).toEqual({ ...COSTS, verify: 1 });
    expect(await attempt('nobody@example.com')).toEqual(existing);
  });
});
