import { getTableName } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTenancy, type TenancyFixture } from '../../../test/support/tenancy/tenancy-fixture.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import { parseKey } from './key-format.ts';

describe('tenancyEngine', () => {
  let at: TenancyFixture;
  beforeEach(async () => {
    at = await openTenancy();
  });
  afterEach(() => at.close());

  const secretKey = (...grants: { orgId: string; projectId: string }[]) =>
    at.tenancy.createKey({ kind: 'secret', environment: 'test', grants });

  it('organizations and projects are listed in order of creation', async () => {
    const first = await at.tenancy.createOrg({ name: '  Acme ' });
    const second = await at.tenancy.createOrg({ name: 'Zeta' });
    expect(first).toEqual({ id: first.id, name: 'Acme', plan: 'unlimited', createdAt: at.clock.now() });
    expect((await at.tenancy.listOrgs()).data).toEqual([first, second]);
    const shop = await at.tenancy.createProject({ orgId: first.id, name: 'Shop' });
    const blog = await at.tenancy.createProject({ orgId: second.id, name: 'Blog' });
    expect(shop).toEqual({ id: shop.id, orgId: first.id, name: 'Shop', createdAt: at.clock.now() });
    expect((await at.tenancy.listProjects()).data).toEqual([shop, blog]);
    expect((await at.tenancy.listProjects({ orgId: second.id })).data).toEqual([blog]);
  });

  it('organizations, projects and keys are read page by page', async () => {
    const tenants = [await at.tenant('A'), await at.tenant('B'), await at.tenant('C')];
    const keys = [];
    for (const grant of tenants) keys.push((await secretKey(...tenants.slice(0, 1), grant)).key.id);
    const [{ orgId = '', projectId = '' } = {}] = tenants;
    const { id: second } = await at.tenancy.createProject({ orgId, name: 'Second' });
    type Read = (query: PageQuery) => Promise<Page<{ readonly id: string }>>;
    const pagesOf = async (read: Read): Promise<string[][]> => {
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const page: Page<{ readonly id: string }> = await read({ limit: 2, cursor: cursor ?? undefined });
        pages.push(page.data.map(({ id }) => id));
        cursor = page.pagination.nextCursor;
      } while (cursor !== null);
      return pages;
    };
    const [a = '', b = '', c = ''] = tenants.map((tenant) => tenant.orgId);
    expect(await pagesOf(at.tenancy.listOrgs)).toEqual([[a, b], [c]]);
    const projects = [...tenants.map((tenant) => tenant.projectId), second];
    expect(await pagesOf(at.tenancy.listProjects)).toEqual([projects.slice(0, 2), projects.slice(2)]);
    expect(await pagesOf((query) => at.tenancy.listProjects({ ...query, orgId }))).toEqual([[projectId, second]]);
    expect(await pagesOf(at.tenancy.listKeys)).toEqual([keys.slice(0, 2), keys.slice(2)]);
    expect(await pagesOf((query) => at.tenancy.listKeys({ ...query, orgId }))).toEqual([
      keys.slice(0, 2),
      keys.slice(2),
    ]);
  });

  it('a page of keys has only rows that its reader may see, so pages are full', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const made: string[] = [];
    for (const grant of [b, a, b, a, b, a]) made.push((await secretKey(grant)).key.id);
    const reader = { environment: 'test', grants: [a] } as const;
    const { data, pagination } = await at.tenancy.listKeys({ reader, limit: 2 });
    expect(data.map(({ id }) => id)).toEqual([made[1], made[3]]);
    const next = await at.tenancy.listKeys({ reader, limit: 2, cursor: pagination.nextCursor ?? undefined });
    expect(next.data.map(({ id }) => id)).toEqual([made[5]]);
    expect(next.pagination.hasMore).toBe(false);
    expect((await at.tenancy.listKeys({ reader: { ...reader, grants: [] } })).data).toEqual([]);
  });

  it('a cursor of another list or organization is rejected', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    for (const grant of [a, a, b, b]) await secretKey(grant);
    const { pagination } = await at.tenancy.listKeys({ orgId: a.orgId, limit: 1 });
    const cursor = pagination.nextCursor ?? '';
    const refusal = { code: 'VALIDATION_ERROR', details: { fieldErrors: { cursor: [expect.any(String)] } } };
    await expect(at.tenancy.listKeys({ orgId: b.orgId, cursor })).rejects.toMatchObject(refusal);
    await expect(at.tenancy.listOrgs({ cursor })).rejects.toMatchObject(refusal);
    await expect(at.tenancy.listProjects({ orgId: a.orgId, cursor })).rejects.toMatchObject(refusal);
  });

  it('an empty name and one of 201 characters are rejected', async () => {
    const { orgId } = await at.tenant('Acme');
    for (const name of ['   ', 'x'.repeat(201)]) {
      const refusal = { code: 'VALIDATION_ERROR', details: { fieldErrors: { name: [expect.any(String)] } } };
      await expect(at.tenancy.createOrg({ name })).rejects.toMatchObject(refusal);
      await expect(at.tenancy.createProject({ orgId, name })).rejects.toMatchObject(refusal);
    }
    expect((await at.tenancy.listProjects()).data).toHaveLength(1);
  });

  it('no project and no data key is created for an unknown organization', async () => {
    const { storage, tables } = at.database;
    const before = await storage.db.select().from(tables.dataKeys);
    const orgId = at.ids.next();
    await expect(at.tenancy.createProject({ orgId, name: 'Shop' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await storage.db.select().from(tables.dataKeys)).toEqual(before);
    expect((await at.tenancy.listProjects()).data).toEqual([]);
  });

  it('each project has its own signing secret', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const secret = await at.tenancy.signingSecret(a);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await at.tenancy.signingSecret(a)).toBe(secret);
    expect(await at.tenancy.signingSecret(b)).not.toBe(secret);
    const crossed = at.tenancy.signingSecret({ orgId: a.orgId, projectId: b.projectId });
    await expect(crossed).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a signing secret moved to another project does not open', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const { storage, tables } = at.database;
    const rows = await storage.db.select().from(tables.secrets);
    const foreign = rows.find((row) => row.orgId === a.orgId)?.sealed ?? '';
    await storage.db.update(tables.secrets).set({ sealed: foreign });
    await expect(at.tenancy.signingSecret(b)).rejects.toMatchObject({ name: 'UnreadableSecret' });
  });

  it('a key is shown once and listed without its secret', async () => {
    const tenant = await at.tenant('Acme');
    const expiresAt = new Date('2027-01-01T00:00:00.000Z');
    const made = await at.tenancy.createKey({
      kind: 'public',
      environment: 'prod',
      grants: [tenant],
      name: 'Web',
      expiresAt,
    });
    expect(parseKey(made.secret)).toEqual({ kind: 'public', environment: 'prod' });
    expect(made.key).toEqual({
      id: made.key.id,
      name: 'Web',
      kind: 'public',
      environment: 'prod',
      lastFour: made.secret.slice(-4),
      scopes: ['events.write', 'tokens:write'],
      grants: [tenant],
      createdAt: at.clock.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect((await at.tenancy.listKeys()).data).toEqual([made.key]);
  });

  it('no key is created for an unknown organization or project', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const grants = [
      { orgId: at.ids.next(), projectId: '*' },
      { orgId: a.orgId, projectId: at.ids.next() },
      { orgId: a.orgId, projectId: b.projectId },
      { orgId: '-', projectId: '*' },
    ];
    for (const grant of grants) {
      await expect(secretKey(a, grant)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await at.tenancy.listKeys()).data).toEqual([]);
  });

  it("an organization's list has its own keys, with only its own grants", async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const ofA = (await secretKey(a)).key;
    const ofBoth = (await secretKey(a, { orgId: b.orgId, projectId: '*' })).key;
    const ofB = (await secretKey(b)).key;
    expect((await at.tenancy.listKeys()).data.map(({ id, grants }) => [id, grants.length])).toEqual([
      [ofA.id, 1],
      [ofBoth.id, 2],
      [ofB.id, 1],
    ]);
    const { data: seenByA } = await at.tenancy.listKeys({ orgId: a.orgId });
    expect(seenByA).toEqual([ofA, { ...ofBoth, grants: [a] }]);
    expect(JSON.stringify(seenByA)).not.toContain(b.orgId);
    expect((await at.tenancy.listKeys({ orgId: at.ids.next() })).data).toEqual([]);
  });

  it("a reader's list has the keys of its environment that its grants cover, with only those grants", async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const { id: other } = await at.tenancy.createProject({ orgId: a.orgId, name: 'Other' });
    const inOther = { orgId: a.orgId, projectId: other };
    const inAll = { orgId: a.orgId, projectId: '*' };
    const own = (await secretKey(a)).key;
    const shared = (await secretKey(a, inOther, b)).key;
    const others = (await secretKey(inOther)).key;
    const wide = (await secretKey(inAll)).key;
    const grants = [a];
    const prod = (await at.tenancy.createKey({ kind: 'secret', environment: 'prod', grants })).key;
    const seen = async (environment: 'prod' | 'test', ...held: (typeof inAll)[]) =>
      (await at.tenancy.listKeys({ orgId: a.orgId, reader: { environment, grants: held } })).data;
    expect(await seen('test', a)).toEqual([own, { ...shared, grants }]);
    expect(await seen('test', inOther)).toEqual([{ ...shared, grants: [inOther] }, others]);
    expect(await seen('test', inAll)).toEqual([own, { ...shared, grants: [a, inOther] }, others, wide]);
    expect(await seen('prod', a, inOther)).toEqual([prod]);
    expect(await seen('test', b)).toEqual([]);
    expect(await seen('test', a, b)).toEqual([own, { ...shared, grants }]);
  });

  it('a second revocation keeps the first time, and an unknown key gives NOT_FOUND', async () => {
    const { key } = await secretKey(await at.tenant('Acme'));
    const revokedAt = at.clock.now();
    expect(await at.tenancy.revokeKey(key.id)).toEqual({ ...key, revokedAt });
    at.clock.advance(5_000);
    expect(await at.tenancy.revokeKey(key.id)).toEqual({ ...key, revokedAt });
    await expect(at.tenancy.revokeKey(at.ids.next())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(at.tenancy.revokeKey("' or 1=1 --")).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('no column of any table contains a plain secret', async () => {
    const secrets: string[] = [];
    for (const name of ['A', 'B']) {
      const tenant = await at.tenant(name);
      const { secret } = await secretKey(tenant);
      const signing = await at.tenancy.signingSecret(tenant);
      secrets.push(secret, secret.slice(8), signing, signing.slice('whsec_'.length));
      secrets.push(Buffer.from(signing.slice('whsec_'.length), 'base64').toString('hex'));
      await at.tenancy.authenticate(secret);
    }
    await at.tenancy.flush();
    const dump = new Map<string, string>();
    for (const table of Object.values(at.database.tables)) {
      dump.set(getTableName(table), JSON.stringify(await at.database.storage.db.select().from(table)));
    }
    for (const name of ['orgs', 'projects', 'api_keys', 'api_key_grants', 'data_keys', 'secrets'])
      expect(dump.get(name)?.length).toBeGreaterThan(10);
    for (const secret of secrets) expect([...dump].filter(([, rows]) => rows.includes(secret))).toEqual([]);
  });

  it('tenancy returns one scope object per environment of a project, and one project', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const test = await at.tenancy.scope({ ...a, environment: 'test' });
    const prod = await at.tenancy.scope({ ...a, environment: 'prod' });
    const project = await at.tenancy.project(a);
    expect(test).toMatchObject({ ...a, environment: 'test', projectKey: project.projectKey });
    expect(prod).toMatchObject({ ...a, environment: 'prod', projectKey: project.projectKey });
    const other = await at.tenancy.scope({ ...b, environment: 'test' });
    expect(new Set([test.scopeId, prod.scopeId, other.scopeId]).size).toBe(3);
    expect(other.projectKey).not.toBe(project.projectKey);
    at.statements();
    expect(await at.tenancy.scope({ ...a, environment: 'test' })).toBe(test);
    expect(await at.tenancy.project(a)).toBe(project);
    expect(at.statements()).toEqual([]);
  });

  it('scopes and projects are immutable', async () => {
    const a = await at.tenant('A');
    const scope = await at.tenancy.scope({ ...a, environment: 'test' });
    for (const given of [scope, await at.tenancy.project(a)])
      expect(() => Object.assign(given, { orgId: 'another' })).toThrow(TypeError);
    expect(scope.orgId).toBe(a.orgId);
  });

  it('a scope or project that was not created is not found', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const none = { code: 'NOT_FOUND' };
    for (const names of [
      { ...a, projectId: b.projectId },
      { ...a, orgId: '' },
      { ...a, projectId: '*' },
    ]) {
      await expect(at.tenancy.scope({ ...names, environment: 'test' })).rejects.toMatchObject(none);
      await expect(at.tenancy.project(names)).rejects.toMatchObject(none);
    }
    // Proof of the cast: the test covers what the type forbids.
    await expect(at.tenancy.scope({ ...a, environment: 'stage' as 'test' })).rejects.toMatchObject(none);
  });

  it('the scopes of rows are found with one statement and cached', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const ids = [
      await at.tenancy.scope({ ...a, environment: 'test' }),
      await at.tenancy.scope({ ...b, environment: 'prod' }),
    ].map(({ scopeId }) => scopeId);
    const { scopes } = at.another();
    at.statements();
    const scopeAt = await scopes.load([...ids, ...ids]);
    expect(ids.map(scopeAt)).toMatchObject([a, { ...b, environment: 'prod' }]);
    await scopes.load(ids);
    expect(await scopes.find({ ...a, environment: 'test' })).toBe(scopeAt(ids[0] ?? 0));
    expect(at.statements()).toEqual(['tenancy.scopes_by_id']);
    expect(() => scopeAt(2_147_483_647)).toThrow(/no scope/);
    expect([scopes.isOurs(scopeAt(ids[0] ?? 0)), scopes.isOurs({ ...scopeAt(ids[0] ?? 0) })]).toEqual([true, false]);
  });

  it('the scope of a request is resolved, and an unknown project of a whole organization is detected', async () => {
    const [a, b] = [await at.tenant('A'), await at.tenant('B')];
    const { secret } = await secretKey(a, { orgId: b.orgId, projectId: '*' });
    const principal = await at.tenancy.authenticate(secret);
    if (!principal) throw new Error('the key is live');
    expect(await at.tenancy.scopeFor(principal, { orgId: a.orgId })).toMatchObject({ ...a, environment: 'test' });
    expect(await at.tenancy.scopeFor(principal, b)).toMatchObject({ ...b, environment: 'test' });
    for (const projectId of [a.projectId, at.ids.next(), '*'])
      await expect(at.tenancy.scopeFor(principal, { orgId: b.orgId, projectId })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    at.statements();
    await at.tenancy.scopeFor(principal, b);
    expect(at.statements()).toEqual([]);
  });
});
