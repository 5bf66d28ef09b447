import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTenancy, type TenancyFixture } from '../../../test/support/tenancy/tenancy-fixture.ts';
import { generateKey } from './key-format.ts';

describe('authenticate', () => {
  let at: TenancyFixture;
  let tenant: { orgId: string; projectId: string };
  beforeEach(async () => {
    at = await openTenancy();
    tenant = await at.tenant('Acme');
  });
  afterEach(() => at.close());

  const make = (over: object = {}) =>
    at.tenancy.createKey({ kind: 'secret', environment: 'test', grants: [tenant], ...over });
  const LOOK_UP = ['tenancy.key_by_hash', 'tenancy.grants_by_key'];

  it('authenticate returns the caller of a key', async () => {
    const { key, secret } = await make({ scopes: ['email:send', 'keys:read'] });
    expect(await at.tenancy.authenticate(secret)).toEqual({
      keyId: key.id,
      kind: 'secret',
      environment: 'test',
      scopes: new Set(['email:send', 'keys:read']),
      grants: [tenant],
    });
  });

  it('authenticate sends no statement for a malformed key', async () => {
    const { secret } = await make();
    at.statements();
    const typo = `${secret.slice(0, 20)}${secret[20] === 'a' ? 'b' : 'a'}${secret.slice(21)}`;
    for (const text of ['', 'x', typo, ` ${secret}`, secret.toUpperCase(), 'sk_prod_'.repeat(100_000)])
      expect(await at.tenancy.authenticate(text)).toBeNull();
    expect(at.statements()).toEqual([]);
  });

  it('authenticate treats a key of the other environment or kind as unknown', async () => {
    await make();
    for (const kind of ['public', 'secret'] as const)
      for (const environment of ['prod', 'test'] as const)
        expect(await at.tenancy.authenticate(generateKey(kind, environment))).toBeNull();
  });

  it('authenticate rejects a key whose row does not match its text, or has no grants', async () => {
    const { storage, tables } = at.database;
    const [moved, bare] = [await make(), await make()];
    await storage.db.update(tables.apiKeys).set({ environment: 'prod' });
    expect(await at.tenancy.authenticate(moved.secret)).toBeNull();
    await storage.db.update(tables.apiKeys).set({ environment: 'test' });
    await storage.db.delete(tables.apiKeyGrants);
    expect(await at.tenancy.authenticate(bare.secret)).toBeNull();
  });

  it('authenticate runs two statements for an uncached key and none for a cached one', async () => {
    const { secret } = await make();
    await at.tenancy.authenticate(secret);
    await at.tenancy.flush();
    expect(at.statements().slice(-3)).toEqual([...LOOK_UP, 'tenancy.note_use']);
    at.clock.advance(9_999);
    expect(await at.tenancy.authenticate(secret)).not.toBeNull();
    expect(at.statements()).toEqual([]);
    at.clock.advance(1);
    expect(await at.tenancy.authenticate(secret)).not.toBeNull();
    expect(at.statements()).toEqual(LOOK_UP);
  });

  it('authenticate caches for ten seconds that a key does not exist', async () => {
    const unknown = generateKey('secret', 'test');
    await at.tenancy.authenticate(unknown);
    at.statements();
    at.clock.advance(9_999);
    await at.tenancy.authenticate(unknown);
    expect(at.statements()).toEqual([]);
    at.clock.advance(1);
    await at.tenancy.authenticate(unknown);
    expect(at.statements()).toEqual(['tenancy.key_by_hash']);
  });

  it('authenticate reads again after the clock was set back', async () => {
    const { secret } = await make();
    await at.tenancy.authenticate(secret);
    await at.tenancy.flush();
    at.statements();
    at.clock.advance(-1);
    await at.tenancy.authenticate(secret);
    expect(at.statements()).toEqual(LOOK_UP);
  });

  it('authenticate looks a key up once for concurrent callers', async () => {
    const { secret } = await make();
    at.statements();
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.tenancy.authenticate(secret)));
    expect(answers.every((answer) => answer !== null)).toBe(true);
    await at.tenancy.flush();
    expect(at.statements()).toEqual([...LOOK_UP, 'tenancy.note_use']);
  });

  it('authenticate rejects a key from its expiry on, cached or not', async () => {
    const { secret } = await make({ expiresAt: new Date(at.clock.now().getTime() + 3_000) });
    at.clock.advance(2_999);
    expect(await at.tenancy.authenticate(secret)).not.toBeNull();
    at.clock.advance(1);
    expect(await at.tenancy.authenticate(secret)).toBeNull();
    expect(await at.another().authenticate(secret)).toBeNull();
  });

  it('authenticate rejects a revoked key at once in this process, even if no signal arrives', async () => {
    const { key, secret } = await make();
    const other = await make();
    const engine = at.another({ storage: at.silent() });
    expect(await engine.authenticate(secret)).not.toBeNull();
    await engine.revokeKey(key.id);
    expect(await engine.authenticate(secret)).toBeNull();
    expect(await engine.authenticate(other.secret)).not.toBeNull();
  });

  it('authenticate does not cache a look-up that began before the revocation', async () => {
    const { key, secret } = await make();
    const read = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { select } = at.database.storage;
    const slow = vi.fn<typeof select>(async (bulk, keys) => {
      const rows = await select(bulk, keys);
      if (bulk.id === 'tenancy.key_by_hash' && slow.mock.calls.length === 1) {
        read.resolve();
        await held.promise;
      }
      return rows;
    });
    // Safe: a mock of a generic function loses only its type parameter.
    const engine = at.another({ storage: at.silent({ select: slow as typeof select }) });
    const early = engine.authenticate(secret);
    await read.promise;
    await engine.revokeKey(key.id);
    const late = engine.authenticate(secret);
    held.resolve();
    expect(await late).toBeNull();
    expect(await early).not.toBeNull();
    expect(await engine.authenticate(secret)).toBeNull();
  });

  it('authenticate rejects a key that another process revoked within ten seconds, even if no signal arrives', async () => {
    const { key, secret } = await make();
    const deaf = at.another({ storage: at.silent() });
    expect(await deaf.authenticate(secret)).not.toBeNull();
    at.clock.advance(4_000);
    await at.tenancy.revokeKey(key.id);
    expect(await deaf.authenticate(secret)).not.toBeNull();
    at.clock.advance(6_000);
    expect(await deaf.authenticate(secret)).toBeNull();
  });

  it('authenticate follows signals of revocations by other processes', async () => {
    const { key, secret } = await make();
    const listening = at.another();
    expect(await listening.authenticate(secret)).not.toBeNull();
    // A listening connection opens after the first call; a key revoked before that takes ten seconds.
    await vi.waitFor(async () => {
      await at.tenancy.revokeKey(key.id);
      expect(await listening.authenticate(secret)).toBeNull();
    });
    await listening.close();
  });

  it('authenticate caches no error of the database', async () => {
    const { secret } = await make();
    let isDown = true;
    const { select } = at.database.storage;
    const engine = at.another({
      storage: at.silent({ select: (bulk, keys) => (isDown ? Promise.reject(new Error('down')) : select(bulk, keys)) }),
    });
    await expect(engine.authenticate(secret)).rejects.toThrow('down');
    isDown = false;
    expect(await engine.authenticate(secret)).not.toBeNull();
  });
});

describe('lastUsedAt', () => {
  let at: TenancyFixture;
  let key: { id: string };
  let secret: string;
  beforeEach(async () => {
    at = await openTenancy();
    ({ key, secret } = await at.tenancy.createKey({
      kind: 'secret',
      environment: 'test',
      grants: [await at.tenant('Acme')],
    }));
  });
  afterEach(() => at.close());
  const stored = async () => (await at.tenancy.listKeys()).data.find(({ id }) => id === key.id)?.lastUsedAt;

  it('lastUsedAt is written at most once a minute', async () => {
    const first = at.clock.now();
    for (let second = 0; second < 60; second++) {
      await at.tenancy.authenticate(secret);
      at.clock.advance(1_000);
    }
    await at.tenancy.flush();
    expect(at.statements().filter((id) => id === 'tenancy.note_use')).toHaveLength(1);
    expect(await stored()).toEqual(first);
    await at.tenancy.authenticate(secret);
    await at.tenancy.flush();
    expect(await stored()).toEqual(new Date(first.getTime() + 60_000));
  });

  it('lastUsedAt is not written by a process that reads of a use within the last minute', async () => {
    await at.tenancy.authenticate(secret);
    await at.tenancy.flush();
    at.clock.advance(59_999);
    const other = at.another();
    at.statements();
    await other.authenticate(secret);
    await other.close();
    expect(at.statements()).toEqual(['tenancy.key_by_hash', 'tenancy.grants_by_key']);
  });

  it('lastUsedAt is not written for a rejected key', async () => {
    await at.tenancy.revokeKey(key.id);
    await at.tenancy.authenticate(secret);
    await at.tenancy.flush();
    expect(await stored()).toBeNull();
  });

  it('writing lastUsedAt never delays the caller, and gathers uses during a write', async () => {
    const held = Promise.withResolvers<void>();
    const { commit } = at.database.storage;
    const rows: number[] = [];
    const begun = Promise.withResolvers<void>();
    const engine = at.another({
      storage: at.silent({
        commit: async (plan) => {
          rows.push(plan.writes.length);
          begun.resolve();
          await held.promise;
          return commit(plan);
        },
      }),
    });
    const [{ grants = [] } = {}] = (await at.tenancy.listKeys()).data;
    const secrets = [secret];
    for (let more = 0; more < 3; more++)
      secrets.push((await at.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret);
    expect(await engine.authenticate(secret)).not.toBeNull();
    await begun.promise;
    for (const one of secrets) expect(await engine.authenticate(one)).not.toBeNull();
    expect(rows).toEqual([1]);
    held.resolve();
    await engine.close();
    expect(rows).toEqual([1, 3]);
    expect((await at.tenancy.listKeys()).data.every(({ lastUsedAt }) => lastUsedAt !== null)).toBe(true);
  });

  it('a failed write of lastUsedAt fails no call and is logged', async () => {
    const warn = vi.fn();
    const engine = at.another({
      storage: at.silent({ commit: () => Promise.reject(new Error('disk full')) }),
      log: { info: vi.fn(), warn, error: vi.fn() },
    });
    expect(await engine.authenticate(secret)).not.toBeNull();
    await engine.close();
    expect(warn).toHaveBeenCalledWith({ keys: 1, reason: 'disk full' }, expect.any(String));
    expect(await engine.authenticate(secret)).not.toBeNull();
    expect(await stored()).toBeNull();
  });
});
