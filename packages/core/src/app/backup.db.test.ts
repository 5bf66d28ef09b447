import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableName, type Table } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { newPlace, onServer, type Place } from '../../test/support/database/open-sample.ts';
import { enrollAndSignIn } from '../../test/support/identity/enroll.ts';
import { readBackup, writeBackup } from '../database/backup/file.ts';
import { openDatabase } from '../database/open.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { backupDatabase, restoreDatabase } from './backup.ts';
import { createBeckon } from './create.ts';
import { tablesOf } from './tables.ts';

describe('backup', () => {
  const masterKey = newMasterKey();
  let folder: string;
  let from: Place;
  let to: Place;
  let beckon: Beckon;
  let scope: Scope;
  const file = (name = 'one.backup'): string => join(folder, name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'beckon-backup-'));
    from = await newPlace();
    to = await newPlace();
    beckon = await createBeckon({ db: from.url, masterKey });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
    await beckon.settings.update(scope, 'email', {
      smtp: { host: 'mail.test', port: 25, user: 'u', password: 'hush', from: 'a@x.test' },
    });
    await beckon.webhooks.create(scope, { url: 'https://shop.example/', events: ['user.identified'], isPulled: true });
    for (const name of ['ada', 'ben', 'Zoë "🜁" \\ \u2028']) await identify(name);
  });
  afterEach(async () => {
    await beckon.close();
    await from.remove();
    await to.remove();
    await rm(folder, { recursive: true });
  });

  const identify = (userId: string) =>
    beckon.events.identify(scope, { userId, traits: { plan: 'free', sum: 0.1, none: null, words: `${userId}'s` } });

  /** Every row of every table, in a fixed order. */
  const rowsOf = async (url: string): Promise<Record<string, string[]>> => {
    const { dialect, storage } = await openDatabase({ url });
    try {
      const all: Record<string, string[]> = {};
      // Safe: each is a table of the database.
      for (const table of Object.values(tablesOf(dialect)) as unknown as Table[])
        all[getTableName(table)] = (await storage.db.select().from(table as never))
          .map((row) => JSON.stringify(row))
          .sort();
      return all;
    } finally {
      await storage.close();
    }
  };
  const restored = (name?: string, more: { isForced?: boolean; masterKey?: string } = {}) =>
    restoreDatabase({ db: to.url, file: file(name), masterKey, ...more });

  it.each([false, true])('a backup contains every row of every table (compressed: %s)', async (isCompressed) => {
    const { bytes, withSecrets } = await backupDatabase({ db: from.url, file: file(), isCompressed });
    expect(withSecrets).toBe(true);
    expect((await readFile(file())).length).toBe(bytes);
    await beckon.close();
    await restored();
    const [was, is] = [await rowsOf(from.url), await rowsOf(to.url)];
    expect(is).toEqual(was);
    expect(was['profiles']?.length).toBe(3);
    expect(await readdir(folder)).toEqual(['one.backup']);
  });

  it('a restored service continues: issued numbers and keys are not issued again', async () => {
    await backupDatabase({ db: from.url, file: file() });
    await restored();
    const other = await createBeckon({ db: to.url, masterKey });
    try {
      const own = await other.tenancy.scope(scope);
      expect((await other.profiles.get(own, 'ada')).userId).toBe('ada');
      await other.events.identify(own, { userId: 'new', traits: {} });
      await other.tenancy.createProject({ orgId: scope.orgId, name: 'Second' });
      expect(await other.settings.get(own, 'email')).toMatchObject({ smtp: { configured: true } });
    } finally {
      await other.close();
    }
  });

  it('a backup taken during writes is a snapshot of one moment, and contains all writes confirmed before it', async () => {
    let isOver = false;
    let written = 0;
    const writer = (async () => {
      while (!isOver) {
        written += 1;
        await identify(`busy-${written}`);
      }
    })();
    await identify('before');
    await backupDatabase({ db: from.url, file: file() });
    isOver = true;
    await writer;
    await restored();
    const rows = await rowsOf(to.url);
    const people = rows['profiles']?.length ?? 0;
    expect(rows['profiles']?.some((row) => row.includes('before'))).toBe(true);
    // Each of these calls creates one profile and one event, in one transaction.
    expect(rows['events']?.length).toBe(people);
    expect(people).toBeLessThanOrEqual(written + 4);
  });

  it('M16 authenticator apps stay without their secrets, so that nobody signs in without a second factor', async () => {
    const publicUrl = 'https://auth.example';
    const user = { email: 'ann@example.com', password: 'correct horse battery' };
    await beckon.close();
    beckon = await createBeckon({ db: from.url, masterKey, publicUrl });
    const { orgId, projectId, environment } = scope;
    const here = await beckon.tenancy.scope({ orgId, projectId, environment });
    const { id } = await beckon.users.create(here, { ...user, emailVerified: true });
    await enrollAndSignIn(beckon, here, user);
    const { leftOut } = await backupDatabase({ db: from.url, file: file(), withoutSecrets: true });
    expect(leftOut.find(({ what }) => what.includes('mfa-reset'))).toMatchObject({ rows: 1 });
    const another = newMasterKey();
    await restored(undefined, { masterKey: another });
    const other = await createBeckon({ db: to.url, masterKey: another, publicUrl });
    try {
      const there = await other.tenancy.scope({ orgId, projectId, environment });
      const signIn = await other.auth.signIn(there, user);
      expect(signIn).toMatchObject({ mfaRequired: true, challenge: { factors: [{ type: 'recovery' }] } });
      expect((await other.users.factors(there, id)).factors).toMatchObject([{ lost: true }]);
    } finally {
      await other.close();
    }
  });

  it('a backup without secrets contains none, lists what must be set again, and needs no former master key', async () => {
    const { leftOut } = await backupDatabase({ db: from.url, file: file(), withoutSecrets: true });
    expect(leftOut.map(({ what, rows }) => [what.split(':')[0], rows])).toEqual([
      ['project signing secrets', 1],
      ['provider credentials', 1],
      ['webhooks with their secrets', 1],
    ]);
    const sealed =
      Object.values(await rowsOf(from.url))
        .flat()
        .join()
        .match(/v1\.k\d[\w.-]+/g) ?? [];
    expect(sealed.length).toBeGreaterThan(2);
    const text = (await readFile(file())).toString('latin1');
    for (const one of sealed) expect(text).not.toContain(one);
    const another = newMasterKey();
    expect((await restored(undefined, { masterKey: another })).leftOut).toEqual(leftOut);
    const other = await createBeckon({ db: to.url, masterKey: another });
    try {
      const own = await other.tenancy.scope(scope);
      expect(await other.settings.get(own, 'email')).toMatchObject({ smtp: { configured: false } });
      expect((await other.secrets.rotateSigning(own, { graceSeconds: 0 })).secret).toMatch(/^whsec_/);
    } finally {
      await other.close();
    }
  });

  it('a truncated or corrupted backup is refused, and an existing file is never replaced silently', async () => {
    await backupDatabase({ db: from.url, file: file() });
    const bytes = await readFile(file());
    const offsets = [20, 600, Math.floor(bytes.length / 2), bytes.length - 1];
    for (const at of offsets) {
      const turned = Buffer.from(bytes);
      turned.writeUInt8((turned[at] ?? 0) ^ 1, at);
      await writeFile(file('bad'), turned);
      await expect(restored('bad')).rejects.toMatchObject({ name: 'BackupError', reason: 'damaged' });
      await writeFile(file('bad'), bytes.subarray(0, at));
      await expect(restored('bad')).rejects.toMatchObject({ name: 'BackupError' });
    }
    await expect(backupDatabase({ db: from.url, file: file() })).rejects.toMatchObject({ reason: 'exists' });
    expect(await readFile(file())).toEqual(bytes);
    await writeFile(file('bad'), randomBytes(2_000));
    await expect(restored('bad')).rejects.toMatchObject({ reason: 'foreign' });
    await restored();
  });

  it('a backup does not open with another master key, and leaves the database unchanged', async () => {
    await backupDatabase({ db: from.url, file: file() });
    await expect(restored(undefined, { masterKey: newMasterKey() })).rejects.toMatchObject({ name: 'WrongMasterKey' });
    await restored();
  });

  it('a restore replaces data only when forced, and never a database in use', async () => {
    beckon.worker.start();
    await vi.waitFor(async () => expect((await rowsOf(from.url))['workers']).toHaveLength(1));
    await backupDatabase({ db: from.url, file: file() });
    const other = await createBeckon({ db: to.url, masterKey: newMasterKey() });
    other.worker.start();
    await other.tenancy.createOrg({ name: 'Other' });
    await expect(restored(undefined, { isForced: true })).rejects.toMatchObject({ reason: 'in_use' });
    await other.close();
    const was = await rowsOf(to.url);
    await expect(restored()).rejects.toMatchObject({ reason: 'not_empty' });
    expect(await rowsOf(to.url)).toEqual(was);
    await restored(undefined, { isForced: true });
    const rows = await rowsOf(to.url);
    expect(rows['orgs']).toEqual((await rowsOf(from.url))['orgs']);
    // The workers use the other database.
    expect(rows['workers']).toEqual([]);
  });

  it('a backup of a newer version, or of the other database engine, is refused with an explanation', async () => {
    await backupDatabase({ db: from.url, file: file() });
    const elsewhere = inject('engine') === 'sqlite' ? 'postgres://x@127.0.0.1:1/x' : `sqlite:${file('other.db')}`;
    await expect(restoreDatabase({ db: elsewhere, file: file(), masterKey })).rejects.toMatchObject({
      reason: 'dialect',
    });
    const { dialect, storage } = await openDatabase({ url: from.url });
    await storage.close();
    const future = "insert into beckon_migrations (name, checksum, applied_at) values ('9999_future', 'x', ";
    if (dialect === 'postgres') await onServer(`${future} now())`, from.url);
    else {
      const { default: Database } = await import('better-sqlite3');
      const database = new Database(from.url.slice('sqlite:'.length));
      database.exec(`${future} 0)`);
      database.close();
    }
    const newer = { name: 'SchemaError', reason: 'newer' };
    await expect(backupDatabase({ db: from.url, file: file('other') })).rejects.toMatchObject(newer);
    const { header, close } = await readBackup(file());
    await close();
    const migrations = [...header.migrations, { name: '9999_future', checksum: 'x' }];
    await writeBackup(file('other'), { ...header, migrations }, { isReplacing: false, fill: async () => undefined });
    await expect(restored('other')).rejects.toMatchObject(newer);
  });
});
