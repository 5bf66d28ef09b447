import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { appOf } from '../../../test/support/identity/phone.ts';
import { openSocialAuth, type SocialAuth } from '../../../test/support/identity/social-auth.ts';
import { EMAIL, MINUTE, PASSWORD } from '../../../test/support/identity/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Scope } from '../../foundation/scope.ts';
import { base32, bytesOfBase32 } from '../mfa/base32.ts';
import { totpCode, totpStepAt } from '../mfa/totp.ts';
import { PROVIDERS } from '../social/providers.ts';
import type { UsersImportInput } from './api.ts';

const KEY = new TextEncoder().encode('12345678901234567890');
const SECRET = base32(KEY);
const BEN = 'ben@example.com';
const GOOGLE = { provider: 'google', subject: 'user-1' };

describe('identities and authenticator secrets of imported users', () => {
  let world: SocialAuth;
  const lines: string[] = [];
  beforeEach(async () => {
    lines.length = 0;
    const keep = (fields: object, text: string): void => void lines.push(`${text} ${JSON.stringify(fields)}`);
    world = await openSocialAuth({ log: { info: keep, warn: keep, error: keep } });
    world.says({ email: BEN, email_verified: true, name: 'Ben' });
  });

  const load = (users: UsersImportInput['users'], onConflict: 'skip' | 'update' = 'update', scope = world.scope) =>
    world.users.import(scope, { users, options: { onConflict } });
  const tables = () => world.database.tables;
  const factors = () => world.database.storage.db.select().from(tables().authFactors);
  const identities = () => world.database.storage.db.select().from(tables().authIdentities);
  const statuses = ({ results }: Awaited<ReturnType<typeof load>>) =>
    results.map(({ status, error }) => error?.reason ?? status);
  const signInWithApp = async (key: Uint8Array, scope: Scope = world.scope) => {
    const result = await world.auth.signIn(scope, { email: EMAIL, password: PASSWORD });
    if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
    const { id, token } = result.challenge;
    const code = totpCode(key, totpStepAt(world.clock.now().getTime()));
    return world.auth.verifyMfa(scope, id, { token, code });
  };

  it('I9 users of an export sign in elsewhere with the same app and the same account at a provider', async () => {
    const { users, auth, scope } = world;
    await users.create(scope, { externalId: 'ann', email: EMAIL, emailVerified: true, password: PASSWORD });
    const phone = await appOf(world);
    const { user: ben } = await world.social();
    const exported = await users.export(scope);
    const issuer = world.idp.endpoints.issuer;
    expect(exported.users).toEqual([
      expect.objectContaining({ externalId: 'ann', totpSecret: expect.stringMatching(/^[A-Z2-7]{32}$/) }),
      expect.objectContaining({ identities: [{ ...GOOGLE, issuer, email: BEN, emailVerified: true }] }),
    ]);
    expect(exported.users[1]).not.toHaveProperty('totpSecret');
    expect(exported.users[0]).not.toHaveProperty('identities');

    const other = await world.project();
    await auth.updateSettings(other, await auth.getSettings(scope).then(({ redirectUris }) => ({ redirectUris })));
    const copied = await users.import(other, unchecked({ users: exported.users }));
    expect(copied).toMatchObject({ imported: 2, failed: 0 });
    world.clock.advance(MINUTE);
    const key = bytesOfBase32(String(exported.users[0]?.totpSecret));
    const ann = await signInWithApp(key ?? KEY, other);
    expect(ann.user).toMatchObject({ userId: 'ann', mfaEnabled: true });
    expect(await users.factors(other, ann.user.id)).toMatchObject({ recoveryCodesLeft: 0 });
    expect(phone.userId).toBe(ann.user.id);

    await world.setUp('google', other);
    const begun = await world.begin('google', undefined, other);
    const signedIn = await world.exchange(begun, await world.code(begun), other);
    expect(signedIn.user).toMatchObject({ id: ben.id, userId: ben.userId });
    expect((await users.export(other)).users).toEqual(exported.users);
  });

  it('an identity without an issuer has that of its provider, in place of other spellings too', async () => {
    const answer = await load([
      { email: BEN, emailVerified: true, identities: [GOOGLE, { ...GOOGLE, issuer: 'accounts.google.com' }] },
    ]);
    expect(statuses(answer)).toEqual(['imported']);
    expect(await identities()).toMatchObject([
      { issuer: world.idp.endpoints.issuer, subject: 'user-1', email: null, emailVerified: false, connectionId: null },
    ]);
    const { user } = await world.social();
    expect(user.id).toBe(answer.results[0]?.id);
    expect(PROVIDERS.google.issuerAliases).toContain('accounts.google.com');
  });

  it('identities of an unknown provider, of Microsoft without a tenant, and secrets that are not base32 are invalid', async () => {
    const answer = await load([
      { externalId: 'a', identities: [{ provider: 'myspace', subject: 'private-7' }] },
      { externalId: 'b', identities: [{ provider: 'microsoft', subject: 'private-7' }] },
      { externalId: 'c', totpSecret: 'private-secret-01' },
      { externalId: 'd', totpSecret: `AAAA${' '.repeat(20)}` },
      { externalId: 'e', totpSecret: ` ${SECRET.toLowerCase().replace(/(.{4})/g, '$1 ')}` },
      {
        externalId: 'f',
        identities: [{ provider: 'microsoft', subject: '7', issuer: 'https://login.microsoftonline.com/t/v2.0' }],
      },
    ]);
    expect(statuses(answer)).toEqual([...Array(4).fill('invalid'), 'imported', 'imported']);
    expect(JSON.stringify(answer)).not.toContain('private');
    expect((await world.users.list(world.scope)).data).toHaveLength(2);
  });

  it('an identity that another account has is refused as identity_exists, and nothing of its row is written', async () => {
    const first = [{ externalId: 'ben', email: BEN, emailVerified: true, identities: [GOOGLE] }];
    expect(statuses(await load(first))).toEqual(['imported']);
    expect(statuses(await load(first))).toEqual(['updated']);
    const cy = { externalId: 'cy', identities: [{ provider: 'github', subject: '9' }] };
    const answer = await load([
      { externalId: 'ann', email: EMAIL, totpSecret: SECRET, identities: [GOOGLE] },
      cy,
      { ...cy, externalId: 'dee' },
      { externalId: 'ben', identities: [{ provider: 'github', subject: '10' }, GOOGLE] },
    ]);
    expect(statuses(answer)).toEqual(['identity_exists', 'imported', 'identity_exists', 'updated']);
    expect((await identities()).map(({ subject }) => subject).toSorted()).toEqual(['10', '9', 'user-1']);
    expect(await factors()).toEqual([]);
    expect((await world.users.list(world.scope)).data.map(({ userId }) => userId)).toEqual(['cy', 'ben']);
  });

  it('imports of one identity for two accounts at the same time link it once', async () => {
    const row = (externalId: string) => [{ externalId, identities: [GOOGLE] }];
    const answers = await Promise.all(['a', 'b', 'c'].map((externalId) => load(row(externalId))));
    expect(answers.flatMap(statuses).toSorted()).toEqual(['identity_exists', 'identity_exists', 'imported']);
    expect(await identities()).toHaveLength(1);
  });

  it('a secret becomes a factor in use with the same write of the account, once, and without recovery codes', async () => {
    const { users, scope } = world;
    const { id } = await users.create(scope, { email: EMAIL, emailVerified: true, password: PASSWORD });
    const rows = [{ email: EMAIL, totpSecret: SECRET }];
    const before = await world.database.storage.db.select().from(tables().authUsers);
    await Promise.all([load(rows), load(rows), load(rows)]);
    await load(rows);
    expect(await factors()).toMatchObject([{ accountId: id, confirmedAt: expect.any(Date), lastUsedAt: null }]);
    const after = await world.database.storage.db.select().from(tables().authUsers);
    expect(after).toMatchObject([{ version: (before[0]?.version ?? 0) + 1, mfaEnabledAt: expect.any(Date) }]);
    expect(await world.database.storage.db.select().from(tables().authRecoveryCodes)).toEqual([]);
    expect((await signInWithApp(KEY)).user.mfaEnabled).toBe(true);
    // A used code does not work again.
    await expect(signInWithApp(KEY)).rejects.toThrow();
  });

  it('a secret does not replace an app that the user has, and a skipped user gets none', async () => {
    const { users, scope } = world;
    await users.create(scope, { email: EMAIL, emailVerified: true, password: PASSWORD });
    await load([{ email: EMAIL, totpSecret: SECRET }], 'skip');
    expect(await factors()).toEqual([]);
    const { factorId } = await appOf(world);
    const before = await world.database.storage.db.select().from(tables().authUsers);
    world.clock.advance(MINUTE);
    await load([{ email: EMAIL, totpSecret: SECRET }]);
    expect((await factors()).map(({ id }) => id)).toEqual([factorId]);
    expect(await world.database.storage.db.select().from(tables().authUsers)).toEqual(before);
  });

  it('an update that verifies an address removes the app and the identity of a stranger, and adds those of the row', async () => {
    const { users, auth, scope } = world;
    const { id } = await users.create(scope, { email: EMAIL, password: PASSWORD });
    await load([
      { id, identities: [GOOGLE, { ...GOOGLE, subject: 'stranger' }], totpSecret: base32(KEY.toReversed()) },
    ]);
    await load([{ email: EMAIL, emailVerified: true, identities: [GOOGLE], totpSecret: SECRET }]);
    expect((await identities()).map(({ subject }) => subject)).toEqual(['user-1']);
    expect((await users.export(scope)).users).toMatchObject([{ totpSecret: SECRET }]);
    expect((await users.get(scope, id)).mfaEnabled).toBe(true);

    const other = await users.create(scope, { email: BEN, password: PASSWORD });
    await load([{ email: BEN, totpSecret: SECRET }]);
    await load([{ email: BEN, emailVerified: true }]);
    expect((await users.get(scope, other.id)).mfaEnabled).toBe(false);
    expect((await factors()).map(({ accountId }) => accountId)).toEqual([id]);
    expect((await auth.audit(scope)).data.length).toBeGreaterThan(0);
  });

  it('an export has the secret of the oldest app that is not lost', async () => {
    const { users, scope, database } = world;
    await users.create(scope, { email: EMAIL, emailVerified: true, password: PASSWORD });
    const first = await appOf(world);
    const second = await appOf(world, first.tokens.accessToken);
    const secretOf = async () => (await users.export(scope)).users[0]?.totpSecret;
    const oldest = await secretOf();
    const lose = (id: string) =>
      database.storage.db.update(tables().authFactors).set({ secret: null }).where(eq(tables().authFactors.id, id));
    await lose(first.factorId);
    const next = await secretOf();
    expect([oldest, next]).toEqual(Array(2).fill(expect.stringMatching(/^[A-Z2-7]{32}$/)));
    expect(next).not.toBe(oldest);
    await lose(second.factorId);
    expect(await secretOf()).toBeUndefined();
  });

  it('100 rows need one look-up of their identities and one of their factors', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      ...{ externalId: `u${at}`, totpSecret: SECRET },
      identities: [{ provider: 'github', subject: `${at}` }],
    }));
    await load(rows);
    const { answer, statements } = await world.workOf(() => load(rows));
    expect(answer).toMatchObject({ updated: 100 });
    const ofFields = statements.filter((id) => id === 'auth.identity_by_subject' || id === 'auth.factors_of');
    expect(ofFields.toSorted()).toEqual(['auth.factors_of', 'auth.identity_by_subject']);
    expect(await factors()).toHaveLength(100);
  });

  it('K8 no table, log line or answer of an import holds a secret of an authenticator app', async () => {
    const rows = [{ externalId: 'ann', email: EMAIL, totpSecret: SECRET }];
    const answers = [await load(rows), await load(rows), await world.users.list(world.scope)];
    const rowsOfAll = await Promise.all(
      Object.values(world.database.tables).map((table) => world.database.storage.db.select().from(unchecked(table))),
    );
    const text = [JSON.stringify([rowsOfAll, answers, await world.auth.audit(world.scope)]), ...lines].join('\n');
    const bytes = Buffer.from(KEY);
    for (const secret of [SECRET, ...(['base64url', 'hex', 'utf8'] as const).map((form) => bytes.toString(form))])
      expect(text).not.toContain(secret);
    expect(await factors()).toHaveLength(1);
  });
});
