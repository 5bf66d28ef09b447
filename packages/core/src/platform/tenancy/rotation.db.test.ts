import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { keyNameOf, newMasterKey, parseMasterKeys } from '../../foundation/secrets.ts';
import { DEPLOYMENT, openKeyring, type SecretPlace } from './keyring.ts';
import { rotateMasterKey, type SealedValue } from './rotation.ts';
import { placeOf, sealedSecrets } from './sealed.ts';
import type { SecretName } from './secrets/store.ts';

describe('rotateMasterKey', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const [old, next] = [newMasterKey(), newMasterKey()];
  const both = `${next},${old}`;
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const keyring = (masterKey: string) => openKeyring({ ...database, clock, masterKeys: parseMasterKeys(masterKey) });
  const secretOf = (org: number, name = 'signing'): SecretName => ({
    orgId: `org-${org}`,
    projectId: 'p',
    environment: '',
    name,
  });
  /** Three organizations with two values each, sealed with the old key. */
  const fill = async (): Promise<SecretName[]> => {
    const { seal } = await keyring(old);
    const names = [1, 2, 3].flatMap((org) => [secretOf(org), secretOf(org, 'other')]);
    for (const name of names) {
      const sealed = await seal(placeOf(name), `secret of ${name.orgId} ${name.name}`);
      await database.storage.db.insert(database.tables.secrets).values({ ...name, sealed, updatedAt: clock.now() });
    }
    return names;
  };
  type StoredSecret = SecretName & { sealed: string };
  // Safe: the stored value is an environment or empty.
  const stored = async () => (await database.storage.db.select().from(database.tables.secrets)) as StoredSecret[];
  const dataKeys = () => database.storage.db.select().from(database.tables.dataKeys);
  const readWith = async (masterKey: string): Promise<string[]> => {
    const { openText } = await keyring(masterKey);
    return Promise.all((await stored()).map((row) => openText(placeOf(row), row.sealed)));
  };
  const rotate = async (masterKey: string, onProgress?: Parameters<typeof rotateMasterKey>[1]) =>
    rotateMasterKey({ keys: (await keyring(masterKey)).rotation, values: [sealedSecrets(database)] }, onProgress);

  it('after a rotation the old master key is not needed, and every organization has a new data key', async () => {
    const names = await fill();
    const plain = names.map(({ orgId, name }) => `secret of ${orgId} ${name}`).sort();
    const before = await stored();
    expect(await rotate(both)).toEqual({ dataKeys: 4, values: 6, unreadable: 0, left: 0 });
    expect((await readWith(next)).sort()).toEqual(plain);
    await expect(readWith(old)).rejects.toMatchObject({ name: 'WrongMasterKey' });
    for (const { sealed } of await stored()) {
      expect(keyNameOf(sealed)).toBe('k2');
      expect(before.map((row) => row.sealed)).not.toContain(sealed);
    }
  });

  it('a repeated rotation changes nothing', async () => {
    await fill();
    await rotate(both);
    const before = [await stored(), await dataKeys()];
    expect(await rotate(both)).toEqual({ dataKeys: 0, values: 0, unreadable: 0, left: 0 });
    expect(await rotate(next)).toEqual({ dataKeys: 0, values: 0, unreadable: 0, left: 0 });
    expect([await stored(), await dataKeys()]).toEqual(before);
  });

  it('a rotation can be resumed from any step', async () => {
    const names = await fill();
    const plain = names.map(({ orgId, name }) => `secret of ${orgId} ${name}`).sort();
    let stops = 0;
    for (let allowed = 0; ; allowed += 1) {
      const masterKeys = allowed % 2 === 0 ? both : `${old},${next}`;
      let left = allowed % 5;
      const step = (): void => {
        if (left === 0) throw new Error('killed');
        left -= 1;
      };
      const { rotation } = await keyring(masterKeys);
      const source = sealedSecrets(database);
      const stopping = {
        keys: {
          ...rotation,
          rewrap: async (orgId: string) => {
            step();
            return rotation.rewrap(orgId);
          },
        },
        values: [
          {
            count: source.count,
            batches: async function* (size: number) {
              for await (const batch of source.batches(size))
                yield batch.map(
                  (value): SealedValue => ({
                    ...value,
                    replace: async (sealed) => {
                      step();
                      await value.replace(sealed);
                    },
                  }),
                );
            },
          },
        ],
      };
      await rotateMasterKey(stopping).catch(() => {
        stops += 1;
      });
      expect((await readWith(both)).sort()).toEqual(plain);
      if (allowed === 20) break;
    }
    expect(stops).toBeGreaterThan(10);
    expect(await rotate(both)).toMatchObject({ left: 0 });
    expect((await readWith(next)).sort()).toEqual(plain);
  });

  it('a rotation wraps data keys created between the new one and the others', async () => {
    await fill();
    const { rotation } = await keyring(both);
    const rows = await dataKeys();
    await rotation.rewrap('org-1');
    const { tables, storage } = database;
    const was = rows.find(({ orgId }) => orgId === 'org-1');
    if (!was) throw new Error('the org has a data key');
    // The state after a kill between the new data key and the wrapping of the old one.
    await storage.db.delete(tables.dataKeys);
    await storage.db.insert(tables.dataKeys).values(rows);
    await rotation.rewrap('org-1');
    const half = (await dataKeys()).map((row) => (row.orgId === 'org-1' && row.kid === 'k1' ? was : row));
    await storage.db.delete(tables.dataKeys);
    await storage.db.insert(tables.dataKeys).values(half);
    await rotate(both);
    const kids = (await dataKeys()).filter(({ orgId }) => orgId === 'org-1').map(({ kid }) => kid);
    expect(kids.sort()).toEqual(['k1', 'k2']);
    expect(await readWith(next)).toHaveLength(6);
  });

  it("a rotation does not change keys derived from the deployment's data key", async () => {
    await fill();
    const before = await (await keyring(old)).derived('links');
    await rotate(both);
    expect(await (await keyring(next)).derived('links')).toEqual(before);
    expect((await dataKeys()).filter(({ orgId }) => orgId === DEPLOYMENT)).toHaveLength(1);
  });

  it('a rotation serves processes that have both keys and cached old data keys', async () => {
    await fill();
    const running = await keyring(both);
    const place = placeOf(secretOf(1));
    const early = await running.seal(place, 'early');
    await rotate(both);
    const [row] = (await stored()).filter(({ orgId, name }) => orgId === 'org-1' && name === 'signing');
    expect(await running.openText(place, row?.sealed ?? '')).toBe('secret of org-1 signing');
    const later = await keyring(next);
    expect(await later.openText(place, early)).toBe('early');
    expect(await later.openText(place, await running.seal(place, 'late'))).toBe('late');
  });

  it('a rotation does not overwrite a value that was changed meanwhile', async () => {
    await fill();
    const { rotation, seal } = await keyring(both);
    const name = secretOf(1);
    const source = sealedSecrets(database);
    for await (const batch of source.batches(10)) {
      const value = batch.find(({ place }) => place.orgId === 'org-1' && place.rowId === 'signing');
      const changed = await seal(placeOf(name), 'changed');
      await database.storage.db.delete(database.tables.secrets);
      await database.storage.db
        .insert(database.tables.secrets)
        .values({ ...name, sealed: changed, updatedAt: clock.now() });
      await rotation.rewrap('org-1');
      await value?.replace((await rotation.reseal(placeOf(name), value.sealed)) ?? '');
      expect(await readWith(both)).toEqual(['changed']);
      break;
    }
  });

  it('a rotation reports its progress to the end', async () => {
    await fill();
    const seen: { done: number; of: number }[] = [];
    await rotate(both, { onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ of }) => of)).toEqual(seen.map(() => 10));
    expect(seen.map(({ done }) => done)).toEqual([1, 2, 3, 4, 10]);
  });

  it('a rotation leaves and counts a value that no key opens', async () => {
    await fill();
    const { secrets } = database.tables;
    const broken = { ...secretOf(9), sealed: 'v1.k1.AAAA.AAAA.AAAA', updatedAt: clock.now() };
    await database.storage.db.insert(secrets).values(broken);
    expect(await rotate(both)).toEqual({ dataKeys: 4, values: 6, unreadable: 1, left: 0 });
    expect((await stored()).find(({ orgId }) => orgId === 'org-9')?.sealed).toBe(broken.sealed);
  });

  it('a rotation rejects a data key of an unknown master key and leaves that organization unchanged', async () => {
    await fill();
    const stranger = newMasterKey();
    const before = await dataKeys();
    const { tables, storage } = database;
    const third = await openKeyring({ ...database, clock, masterKeys: parseMasterKeys(`${stranger},${old}`) });
    const place: SecretPlace = placeOf(secretOf(7));
    await third.seal(place, 'x');
    await expect(rotate(both)).rejects.toMatchObject({ name: 'WrongMasterKey' });
    const of7 = (await storage.db.select().from(tables.dataKeys)).filter(({ orgId }) => orgId === 'org-7');
    expect(of7).toHaveLength(1);
    expect(before).toHaveLength(4);
  });
});
