// Sign-in as a part of the whole: backups, rotation of the master key, retention, and the tables of operators beside those
// of users.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newPlace } from '../../test/support/database/open-sample.ts';
import { quickHashes } from '../../test/support/identity/quick-hashes.ts';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { type AuthWorld, DAY, EMAIL, MINUTE, openAuth, PASSWORD, refused } from '../../test/support/identity/world.ts';
import type { Beckon } from '../app/api.ts';
import { backupDatabase, restoreDatabase } from '../app/backup.ts';
import { createBeckon } from '../app/create.ts';
import { newMasterKey } from '../foundation/secrets.ts';

const OPERATOR = { email: 'root@example.com', password: PASSWORD };

let world: AuthWorld;
beforeEach(async () => {
  world = await openAuth();
  await world.beckon.operators.create(OPERATOR);
  await world.register();
});
afterEach(() => world.close());

/** What one user and one operator hold: sessions, and links that were not used yet. */
const hold = async () => {
  const { auth, beckon, clock, scope } = world;
  const tokens = await world.signIn();
  const bearer = await auth.authenticate(scope, tokens.accessToken);
  clock.advance(MINUTE);
  await auth.changeEmail(scope, bearer, { newEmail: 'new@example.com' });
  const { token: change } = await world.lastEmail();
  clock.advance(MINUTE);
  await auth.forgotPassword(scope, { email: EMAIL });
  const { token: reset } = await world.lastEmail();
  const operator = await beckon.operators.signIn(OPERATOR);
  const { link } = await beckon.operators.resetPassword({ email: OPERATOR.email });
  return { tokens, change, reset, operator: operator.token, link: link?.token ?? '' };
};
type Held = Awaited<ReturnType<typeof hold>>;

/** Everything that is held works in another Beckon. */
const expectAll = async (beckon: Beckon, { tokens, change, reset, operator, link }: Held): Promise<void> => {
  const scope = await world.scopeIn(beckon);
  await beckon.operators.authenticate(operator);
  await beckon.operators.useLink({ token: link, password: PASSWORD });
  await beckon.auth.authenticate(scope, tokens.accessToken);
  await beckon.auth.refresh(scope, { refreshToken: tokens.refreshToken });
  expect(await beckon.auth.verifyEmail(scope, { token: change })).toMatchObject({ verified: true });
  const user = { email: 'new@example.com', password: PASSWORD };
  await tokensOf(beckon.auth.signIn(scope, user));
  // The change of the address ended other links.
  await expect(beckon.auth.resetPassword(scope, { token: reset, password: PASSWORD })).rejects.toMatchObject(
    refused('token_invalid'),
  );
};

describe('rotation of the master key', () => {
  it('sessions, links and signing keys of before work with the new key alone', async () => {
    const held = await hold();
    const masterKey = newMasterKey();
    const both = await world.start({ masterKey: `${masterKey},${world.masterKey}` });
    expect(await both.secrets.rotateMasterKey()).toMatchObject({ unreadable: 0, left: 0 });
    await both.close();
    await expectAll(await world.start({ masterKey }), held);
  });
});

describe('backups', () => {
  const restored = async (masterKey: string, withoutSecrets: boolean) => {
    const folder = mkdtempSync(join(tmpdir(), 'beckon-auth-backup-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const file = join(folder, 'one.backup');
    const backup = await backupDatabase({ db: world.database.url, file, withoutSecrets });
    await restoreDatabase({ db: place.url, file, masterKey });
    const beckon = await createBeckon(
      { db: place.url, masterKey, clock: world.clock, publicUrl: 'https://beckon.test' },
      { hashPool: quickHashes() },
    );
    onTestFinished(() => beckon.close());
    return { beckon, backup, scope: await world.scopeIn(beckon) };
  };

  it('with secrets, users and operators go on where they were', async () => {
    const held = await hold();
    const { beckon } = await restored(world.masterKey, false);
    await expectAll(beckon, held);
  });

  it('without secrets, passwords and sessions stay, and links, codes and signing keys are gone', async () => {
    const held = await hold();
    const { beckon, scope } = await restored(newMasterKey(), true);
    const { auth, operators } = beckon;
    await tokensOf(auth.signIn(scope, { email: EMAIL, password: PASSWORD }));
    const { accessToken } = await auth.refresh(scope, { refreshToken: held.tokens.refreshToken });
    await auth.authenticate(scope, accessToken);
    await expect(auth.authenticate(scope, held.tokens.accessToken)).rejects.toMatchObject(refused('token_invalid'));
    const invalid = refused('token_invalid');
    await expect(auth.verifyEmail(scope, { token: held.change })).rejects.toMatchObject(invalid);
    await expect(auth.resetPassword(scope, { token: held.reset, password: PASSWORD })).rejects.toMatchObject(invalid);
    await operators.authenticate(held.operator);
    await operators.signIn(OPERATOR);
    await expect(operators.useLink({ token: held.link, password: PASSWORD })).rejects.toMatchObject(invalid);
  });
});

describe('retention', () => {
  it('the audit log of a tenant ends with the retention of its plan, and that of operators does not', async () => {
    const { beckon, auth, scope, clock, org, database } = world;
    await beckon.plans.set(org.id, 'free');
    await auth.updateSettings(scope, { signup: { mode: 'disabled' } });
    const actions = async () => {
      const rows = await database.storage.db.select().from(database.tables.authAudit);
      return new Set(rows.map(({ action }) => action));
    };
    expect(await actions()).toEqual(new Set(['settings.update', 'operator.create']));
    clock.advance(29 * DAY);
    await beckon.worker.drain();
    expect(await actions()).toEqual(new Set(['settings.update', 'operator.create']));
    clock.advance(2 * DAY);
    await beckon.worker.drain();
    expect(await actions()).toEqual(new Set(['operator.create']));
  });
});

describe('plans', () => {
  it('events of sign-in use none of the events that a plan includes', async () => {
    const { beckon, org } = world;
    await world.signIn();
    expect(await beckon.plans.usageOf(org.id, '2026-03')).toBe(0);
  });
});

describe('erasure', () => {
  it('an operator with the address of an erased user stays', async () => {
    const { beckon, scope, users, clock } = world;
    await beckon.operators.create({ email: EMAIL, password: PASSWORD });
    const { user } = await world.signIn();
    await users.delete(scope, user.id);
    clock.advance(MINUTE);
    await beckon.worker.drain();
    expect((await users.list(scope)).data).toEqual([]);
    await beckon.operators.signIn({ email: EMAIL, password: PASSWORD });
  });
});
