import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope, testScopes } from '../../../test/support/scopes.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import { keyNameOf, newMasterKey, parseMasterKeys } from '../../foundation/secrets.ts';
import { openKeyring } from '../../platform/tenancy/keyring.ts';
import { rotateMasterKey } from '../../platform/tenancy/rotation.ts';
import { credentialsEngine } from './credentials.ts';
import { providerDefinitions } from './definitions.ts';
import { placeOf, sealedCredentials } from './sealed.ts';
import { credentialStore } from './store.ts';

const scopes = ['org-a', 'org-b', 'org-c'].map((orgId) =>
  testScope({ orgId, projectId: `${orgId} app`, environment: 'prod' }),
);
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const apns = { keyId: 'ABCDE12345', teamId: 'TEAM123456', key: String(key), topic: 'com.acme.app' };
const smtp = { host: 'relay.example.com', port: 587, user: 'mailer', password: 'hunter2', from: 'news@acme.test' };
const log = silentLog;

describe('sealed credentials', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const [old, next] = [newMasterKey(), newMasterKey()];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const keyring = (masterKey: string) => openKeyring({ ...database, clock, masterKeys: parseMasterKeys(masterKey) });
  const engine = async (masterKey: string) => {
    const { storage, tables } = database;
    const secrets = await keyring(masterKey);
    const definitions = providerDefinitions({ clock, random: () => 0.5, log, hasSeveralOrgs: async () => false });
    return credentialsEngine({ storage, tables, clock, keyring: secrets, definitions, scopes: testScopes, log });
  };
  const rows = () => database.storage.db.select().from(database.tables.credentials);

  it('credentials and shared tokens open without the old master key after a rotation', async () => {
    const { settings } = await engine(old);
    for (const scope of scopes) {
      await settings.put(scope, 'push', { apns });
      await settings.put(scope, 'email', { smtp });
    }
    const store = credentialStore({ db: database.storage.db, tables: database.tables });
    const secrets = await keyring(old);
    const [first] = scopes;
    if (!first) throw new Error('there are scopes');
    const pushKey = { scopeId: first.scopeId, channel: 'push', provider: 'apns' } as const;
    const shared = placeOf(first, pushKey, 'sharedToken');
    const token = { sharedToken: await secrets.seal(shared, 'a.b.c'), sharedTokenIssuedAt: 1 };
    await store.setSharedToken(pushKey, 1, null, token);

    const { rotation } = await keyring(`${next},${old}`);
    const seen: number[] = [];
    const values = [sealedCredentials({ ...database, scopes: testScopes })];
    const rotated = await rotateMasterKey(
      { keys: rotation, values },
      { onProgress: ({ done, of }) => seen.push(done / of) },
    );
    expect(rotated).toEqual({ dataKeys: 4, values: 7, unreadable: 0, left: 0 });
    expect(seen.at(-1)).toBe(1);

    const after = await keyring(next);
    for (const row of await rows()) {
      const scope = scopes.find(({ scopeId }) => scopeId === row.scopeId);
      if (!scope || row.sealed === null) throw new Error('the row is of a scope and sealed');
      expect(keyNameOf(row.sealed)).toBe('k2');
      const opened = await after.openText(placeOf(scope, row, 'sealed'), row.sealed);
      expect(JSON.parse(opened)).toMatchObject(row.channel === 'push' ? { keyId: 'ABCDE12345' } : { user: 'mailer' });
      expect(row.version).toBe(1);
      if (row.sharedToken !== null) expect(await after.openText(shared, row.sharedToken)).toBe('a.b.c');
    }
    expect((await rows()).filter(({ sharedToken }) => sharedToken !== null)).toHaveLength(1);
    await expect(engine(old)).rejects.toMatchObject({ name: 'WrongMasterKey' });
  });

  it('sealed credentials are read in pages without leaving one out', async () => {
    const { settings } = await engine(old);
    for (const scope of scopes) {
      await settings.put(scope, 'push', { apns });
      await settings.put(scope, 'email', { smtp });
    }
    for (const scope of scopes.slice(0, 1)) await settings.put(scope, 'email', { smtp: null });
    for (const size of [1, 2, 3, 10]) {
      const places: unknown[] = [];
      for await (const batch of sealedCredentials({ ...database, scopes: testScopes }).batches(size))
        places.push(...batch.map(({ place }) => `${place.orgId} ${place.rowId}`));
      expect(new Set(places).size).toBe(5);
      expect(places).toHaveLength(5);
    }
  });
});
