import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Tables } from '../../app/tables.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { newDataKey } from '../../foundation/secrets.ts';
import { DEPLOYMENT, openKeyring } from './keyring.ts';

describe('keyring', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const master = newDataKey();
  const place = {
    orgId: 'org-a',
    projectId: 'p',
    environment: '',
    table: 'secrets',
    column: 'sealed',
    rowId: 'signing',
  };
  let database: TestDatabase;
  let statements: string[] = [];
  beforeEach(async () => {
    statements = [];
    database = await openTestDatabase({ clock, observer: { statement: (_, __, text) => statements.push(text) } });
  });
  afterEach(() => database.close());

  const open = (...masterKeys: [Uint8Array, ...Uint8Array[]]) => openKeyring({ ...database, clock, masterKeys });
  const dataKeys = () => database.storage.db.select().from(database.tables.dataKeys);

  /** A database that delays inserts until several are pending, so that each runs after all reads. */
  const insertingTogether = (many: number): TestDatabase['storage']['db'] => {
    let waiting: (() => void)[] = [];
    const together = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < many) return;
        for (const go of waiting) go();
        waiting = [];
      });
    const insert = (table: Tables['dataKeys']) => ({
      values: (row: Tables['dataKeys']['$inferInsert']) => ({
        onConflictDoNothing: async () => {
          await together();
          await database.storage.db.insert(table).values(row).onConflictDoNothing();
        },
      }),
    });
    return new Proxy(database.storage.db, {
      get: (db, name) => (name === 'insert' ? insert : Reflect.get(db, name)),
    });
  };

  it('a keyring opens what it sealed, also after a restart', async () => {
    const sealed = await (await open(master)).seal(place, 'whsec_ä');
    expect(sealed).not.toContain('whsec');
    const again = await open(master);
    expect(await again.openText(place, sealed)).toBe('whsec_ä');
    expect(Buffer.from(await again.open(place, sealed))).toEqual(Buffer.from('whsec_ä'));
  });

  it('a keyring does not open a value moved to another place', async () => {
    const keyring = await open(master);
    const sealed = await keyring.seal(place, 'secret');
    await keyring.seal({ ...place, orgId: 'org-b' }, 'other');
    for (const moved of [
      { orgId: 'org-b' },
      { orgId: DEPLOYMENT },
      { orgId: 'org-without-a-key' },
      { projectId: 'q' },
      { environment: 'prod' },
      { rowId: 'x' },
      { column: 'x' },
      { table: 'x' },
    ])
      await expect(keyring.open({ ...place, ...moved }, sealed)).rejects.toMatchObject({ name: 'UnreadableSecret' });
    expect(await keyring.openText(place, sealed)).toBe('secret');
  });

  it("a keyring creates the deployment's data key at once and an organization's on its first secret", async () => {
    const keyring = await open(master);
    expect((await dataKeys()).map(({ orgId }) => orgId)).toEqual([DEPLOYMENT]);
    await expect(keyring.open(place, 'v1.k1.AAAA.AAAA.AAAA')).rejects.toMatchObject({ name: 'UnreadableSecret' });
    expect(await dataKeys()).toHaveLength(1);
    await keyring.seal(place, '1');
    await keyring.seal(place, '2');
    expect((await dataKeys()).map(({ orgId }) => orgId).sort()).toEqual([DEPLOYMENT, 'org-a']);
  });

  it('a keyring caches data keys in memory', async () => {
    const keyring = await open(master);
    const sealed = await keyring.seal(place, 'x');
    statements = [];
    await keyring.seal(place, 'y');
    await keyring.openText(place, sealed);
    expect(statements).toEqual([]);
  });

  it('concurrent first uses create one data key', async () => {
    const storage = { db: insertingTogether(8) };
    const keyrings = await Promise.all(
      Array.from({ length: 8 }, () => openKeyring({ ...database, storage, clock, masterKeys: [master] })),
    );
    const sealed = await Promise.all(keyrings.map((keyring, at) => keyring.seal(place, `secret ${at}`)));
    expect(statements.filter((text) => /^insert into "data_keys"/.test(text))).toHaveLength(16);
    expect(await dataKeys()).toHaveLength(2);
    for (const keyring of keyrings)
      expect(await Promise.all(sealed.map((blob) => keyring.openText(place, blob)))).toEqual(
        sealed.map((_, at) => `secret ${at}`),
      );
  });

  it('a keyring rejects a wrong master key and changes nothing', async () => {
    await open(master);
    const before = await dataKeys();
    await expect(open(newDataKey())).rejects.toThrow(/None of the configured master keys opens the secrets/);
    expect(await dataKeys()).toEqual(before);
    await open(master);
  });

  it('of two master keys that start on an empty database, one wins', async () => {
    const opened = await Promise.allSettled([open(newDataKey()), open(newDataKey())]);
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await dataKeys()).toHaveLength(1);
  });

  it('a keyring unwraps with any configured master key and wraps with the first', async () => {
    const next = newDataKey();
    const sealed = await (await open(master)).seal(place, 'old');
    const both = await open(next, master);
    expect(await both.openText(place, sealed)).toBe('old');
    const later = { ...place, orgId: 'org-later' };
    const blob = await both.seal(later, 'new');
    const oldOnly = await open(master);
    await expect(oldOnly.openText(later, blob)).rejects.toMatchObject({ name: 'WrongMasterKey' });
    await expect(oldOnly.seal(later, 'x')).rejects.toMatchObject({ name: 'WrongMasterKey' });
    expect(await dataKeys()).toHaveLength(3);
  });

  it('a keyring rejects a data key copied from another organization', async () => {
    const keyring = await open(master);
    await keyring.seal(place, 'x');
    const stolen = (await dataKeys()).find(({ orgId }) => orgId === 'org-a');
    if (!stolen) throw new Error('the data key is there');
    await database.storage.db.insert(database.tables.dataKeys).values({ ...stolen, orgId: 'org-b' });
    const crossed = keyring.seal({ ...place, orgId: 'org-b' }, 'y');
    await expect(crossed).rejects.toMatchObject({ name: 'WrongMasterKey' });
  });

  it('a keyring reads again if a value has a newer data key', async () => {
    const keyring = await open(master);
    const old = await keyring.seal(place, 'old');
    const { tables, storage } = database;
    const [first] = (await dataKeys()).filter(({ orgId }) => orgId === 'org-a');
    if (!first) throw new Error('the data key is there');
    const { seal, wrapDataKey } = await import('../../foundation/secrets.ts');
    const second = newDataKey();
    const wrapped = wrapDataKey(master, second, 'org-a|k2');
    await storage.db.insert(tables.dataKeys).values({ ...first, kid: 'k2', wrapped });
    expect(await keyring.openText(place, seal(second, 'k2', 'new', place))).toBe('new');
    expect(await keyring.openText(place, old)).toBe('old');
    expect(await keyring.seal(place, 'x')).toMatch(/^v1\.k2\./);
  });

  it('derived keys are equal in every process, also after a change of the master key', async () => {
    const next = newDataKey();
    const [one] = await (await open(master)).derived('links');
    expect(await (await open(next, master)).derived('links')).toEqual([one]);
    expect(await (await open(master)).derived('other')).not.toEqual([one]);
  });

  it('derived keys begin with that of the newest data key and include the older ones', async () => {
    const [old] = await (await open(master)).derived('links');
    const { tables, storage } = database;
    const [first] = await dataKeys();
    if (!first) throw new Error('the data key is there');
    const { wrapDataKey } = await import('../../foundation/secrets.ts');
    const wrapped = wrapDataKey(master, newDataKey(), `${DEPLOYMENT}|k2`);
    await storage.db.insert(tables.dataKeys).values({ ...first, kid: 'k2', wrapped });
    const [newest, ...others] = await (await open(master)).derived('links');
    expect(others).toEqual([old]);
    expect(newest).not.toEqual(old);
  });
});
