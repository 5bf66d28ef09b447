import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newPostgresDatabase } from '../../test/support/database.ts';
import type { Beckon } from '../app/api.ts';
import { createBeckon } from '../app/create.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';

describe("users in the host's transaction", () => {
  let database: Awaited<ReturnType<typeof newPostgresDatabase>>;
  let pool: pg.Pool;
  let beckon: Beckon;
  let scope: Scope;
  let client: pg.PoolClient;
  const events: string[] = [];
  beforeEach(async () => {
    database = await newPostgresDatabase();
    pool = new pg.Pool({ connectionString: database.url }).on('error', () => undefined);
    await pool.query('create table orders (id text primary key)');
    const during = ({ length }: readonly unknown[]): void => void events.push(`${length} in a hook`);
    beckon = await createBeckon({ db: pool, masterKey: newMasterKey(), hooks: { auth: { during } } });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await beckon.close();
    await pool.end();
    await database.drop();
  });

  it.each([
    ['commit', 1],
    ['rollback', 0],
  ])('W3 a user is created with profile and event in one transaction, or not at all: %s', async (end, count) => {
    await client.query('begin');
    await client.query("insert into orders values ('o1')");
    const input = { email: 'ann@example.com', externalId: 'ann', emailVerified: true };
    const { id } = await beckon.users.create(scope, input, { client });
    await expect(beckon.users.create(scope, { ...input, externalId: 'ben' }, { client })).rejects.toMatchObject({
      details: { reason: 'account_exists' },
    });
    expect((await beckon.users.list(scope)).data).toEqual([]);
    await client.query(end);

    const users = (await beckon.users.list(scope)).data.map((user) => user.id);
    expect(users).toEqual(count === 0 ? [] : [id]);
    expect((await pool.query('select id from orders')).rowCount).toBe(count);
    const stored = await beckon.profiles.events(scope, 'ann').catch(() => ({ data: [] }));
    expect(stored.data.map(({ eventType }) => eventType)).toEqual(count === 0 ? [] : ['user.signed_up']);
    // The host has its own transaction, so its hooks do not run.
    expect(events).toEqual([]);
    // Nothing of a transaction that was rolled back is cached.
    expect((await beckon.users.create(scope, { email: 'ben@example.com', externalId: 'ben' })).userId).toBe('ben');
    expect(events).toEqual(['1 in a hook']);
    events.length = 0;
  });
});
