import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database.ts';
import { createBeckon } from '../../app/create.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

it('users with a placeholder id that an earlier version stored are found, sent to and erased', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'placeholders.db')}` });
  const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey() });
  try {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const other = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.events.identify(scope, { userId: 'ann', traits: {} });
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    expect((await beckon.profiles.placeholders(scope)).data).toEqual([]);
    await database.storage.db.update(database.tables.profiles).set({ person: 'u:NULL' });
    await database.storage.db.update(database.tables.pushTokens).set({ person: 'u:undefined' });
    expect((await beckon.profiles.placeholders(scope)).data).toEqual([
      { userId: 'undefined', devices: 1 },
      { userId: 'NULL', devices: 0 },
    ]);
    expect((await beckon.profiles.placeholders(other)).data).toEqual([]);
    expect(await beckon.push.send(scope, { title: 't', userIds: ['undefined'] })).toMatchObject({ tokenCount: 1 });
    expect(await beckon.profiles.get(scope, 'NULL')).toMatchObject({ userId: 'NULL' });
    for (const userId of ['undefined', 'NULL']) await beckon.profiles.erase(scope, userId);
    await beckon.worker.drain();
    expect((await beckon.profiles.placeholders(scope)).data).toEqual([]);
  } finally {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
