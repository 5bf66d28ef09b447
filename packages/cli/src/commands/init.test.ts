import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Beckon, BeckonError, createBeckon, newMasterKey } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli, servicesOf } from '../../test/support/empty.ts';
import { fakeIo } from '../../test/support/fake-io.ts';

const KEY = newMasterKey();
const services = { newMasterKey: async () => KEY };
const empty = (options: Parameters<typeof emptyCli>[0] = {}): EmptyCli =>
  emptyCli({ ...options, services: { ...services, ...options.services } });

const file = ({ io }: EmptyCli, name: string): string => readFileSync(join(io.cwd, name), 'utf8');
const modeOf = ({ io }: EmptyCli, name: string): number => statSync(join(io.cwd, name)).mode & 0o777;
const secretsOf = (text: string): string[] => text.match(/\b[ps]k_(prod|test)_\w+/g) ?? [];
const KINDS = ['pk_prod', 'sk_prod', 'pk_test', 'sk_test'].map((kind) => expect.stringMatching(`^${kind}_`));

/** Opens a database, or creates it, beside the program. */
const inDatabase = async <T>(path: string, work: (beckon: Beckon) => Promise<T>, masterKey = KEY): Promise<T> => {
  const beckon = await createBeckon({ db: `sqlite:${path}`, masterKey });
  try {
    return await work(beckon);
  } finally {
    await beckon.close();
  }
};
const addProject = async ({ tenancy }: Beckon): Promise<void> => {
  const { id } = await tenancy.createOrg({ name: 'Acme' });
  await tenancy.createProject({ orgId: id, name: 'App' });
};
const tenantsOf = async ({ tenancy }: Beckon) =>
  [(await tenancy.listOrgs()).data, (await tenancy.listProjects()).data, (await tenancy.listKeys()).data] as const;
const dataFile = ({ io }: EmptyCli): string => {
  mkdirSync(join(io.cwd, 'data'), { recursive: true, mode: 0o700 });
  return join(io.cwd, 'data', 'beckon.db');
};

describe('init', () => {
  it('init writes configuration and master key, migrates, and prints four keys once', async () => {
    const one = empty();
    expect(await one.run('init', '--org', 'Acme', '--project', 'Shop')).toBe(0);
    expect(JSON.parse(file(one, 'beckon.config.json'))).toEqual({ dataDir: './data', env: 'test' });
    expect(file(one, '.env')).toBe(`BECKON_MASTER_KEY=${KEY}\n`);
    expect(modeOf(one, '.env')).toBe(0o600);
    expect(modeOf(one, 'data')).toBe(0o700);
    expect(await inDatabase(dataFile(one), tenantsOf)).toMatchObject([
      [{ name: 'Acme' }],
      [{ name: 'Shop' }],
      { length: 4 },
    ]);
    expect(secretsOf(one.io.out())).toEqual(KINDS);
    expect(secretsOf(one.io.err())).toEqual([]);
    one.io.remove();
  });

  it('init rejects a malformed master key before it creates anything', async () => {
    const one = empty({ env: { BECKON_MASTER_KEY: 'weak' } });
    expect(await one.run('init')).toBe(2);
    expect(one.io.err()).toContain('Invalid BECKON_MASTER_KEY');
    expect(readdirSync(one.io.cwd)).toEqual([]);
    one.io.remove();
  });

  it('a second init exits 6 and changes nothing', async () => {
    const one = empty();
    expect(await one.run('init')).toBe(0);
    const stored = async () => [
      file(one, 'beckon.config.json'),
      file(one, '.env'),
      await inDatabase(dataFile(one), tenantsOf),
    ];
    const before = await stored();
    expect(await one.run('init', '--org', 'Other')).toBe(6);
    expect(await stored()).toEqual(before);
    one.io.remove();
  });

  it('init creates a missing database if configuration and master key exist', async () => {
    const one = empty();
    one.put('beckon.config.json', '{"dataDir": "./elsewhere"}');
    one.put('.env', `BECKON_MASTER_KEY=${KEY}\n`);
    chmodSync(join(one.io.cwd, '.env'), 0o600);
    expect(await one.run('keys', 'create', '--env', 'test')).toBe(1);
    expect(one.io.err()).toContain('Create one with "beckon init"');
    expect(await one.run('init')).toBe(0);
    expect(one.opened[0]).toMatchObject({ masterKey: KEY, db: `sqlite:${one.io.cwd}/elsewhere/beckon.db` });
    expect(secretsOf(one.io.out())).toHaveLength(4);
    expect(file(one, 'beckon.config.json')).toBe('{"dataDir": "./elsewhere"}');
    expect(file(one, '.env')).toBe(`BECKON_MASTER_KEY=${KEY}\n`);
    one.io.remove();
  });

  it('init creates a project for an organization without projects', async () => {
    const one = empty({ env: { BECKON_MASTER_KEY: KEY } });
    const { id } = await inDatabase(dataFile(one), ({ tenancy }) => tenancy.createOrg({ name: 'Alone' }));
    expect(await one.run('init')).toBe(0);
    expect(await inDatabase(dataFile(one), tenantsOf)).toMatchObject([[{ id }], [{ orgId: id }], { length: 4 }]);
    one.io.remove();
  });

  it('init exits 6 for flags that an existing configuration file would override', async () => {
    const one = empty();
    one.put('beckon.config.json', '{}');
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(one.opened).toEqual([]);
    one.io.remove();
  });

  it('init exits 6 for a database whose master key is not configured', async () => {
    const one = empty();
    await inDatabase(dataFile(one), addProject, newMasterKey());
    expect(await one.run('init')).toBe(6);
    expect(one.io.err()).toContain('the database has a master key, and BECKON_MASTER_KEY is not set');
    expect(readdirSync(one.io.cwd)).toEqual(['data']);
    one.io.remove();
  });

  it('init exits 6 and writes nothing for a database with a project', async () => {
    const other = fakeIo();
    const path = join(other.cwd, 'other.db');
    await inDatabase(path, addProject);
    const one = empty({ services: servicesOf(path) });
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(readdirSync(one.io.cwd)).toEqual([]);
    expect(one.unclosed()).toBe(0);
    one.io.remove();
    other.remove();
  });

  it('init exits 6 without migrating a database of an older version', async () => {
    const schema = {
      state: async () => ({
        applied: 1,
        known: 2,
        pending: ['0001_second'],
        isNewer: false,
        isCompatible: false,
        newerVersion: null,
      }),
      migrate: async () => [],
      close: async () => undefined,
    };
    const one = empty({ services: { schema: async () => schema } });
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(one.opened).toEqual([]);
    one.io.remove();
  });

  it('init does not write a password to the configuration file', async () => {
    const other = fakeIo();
    const one = empty({ services: servicesOf(join(other.cwd, 'other.db')) });
    expect(await one.run('init', '--db', 'postgres://u:canary@h/d')).toBe(0);
    expect(file(one, 'beckon.config.json')).not.toContain('canary');
    expect(file(one, '.env')).toContain('BECKON_DB=postgres://u:canary@h/d\n');
    expect(one.io.out() + one.io.err()).not.toContain('canary');
    one.io.remove();
    other.remove();
  });

  it('init uses a configured master key and does not write it to a file', async () => {
    const configured = newMasterKey();
    const one = empty({ env: { BECKON_MASTER_KEY: configured } });
    expect(await one.run('init')).toBe(0);
    expect(one.opened[0]?.masterKey).toBe(configured);
    expect(readdirSync(one.io.cwd).toSorted()).toEqual(['beckon.config.json', 'data']);
    one.io.remove();
  });

  it('init keeps the lines of an existing .env and restricts it to its owner', async () => {
    const one = empty();
    one.put('.env', 'OTHER=1');
    expect(await one.run('init')).toBe(0);
    expect(file(one, '.env')).toBe(`OTHER=1\nBECKON_MASTER_KEY=${KEY}\n`);
    expect(modeOf(one, '.env')).toBe(0o600);
    one.io.remove();
  });

  it('init removes its files if creating keys fails', async () => {
    const createKey = async () => {
      throw new BeckonError('OVERLOADED', 'Later.', { retryAfterSeconds: 1 });
    };
    const one = empty({ change: (beckon) => ({ ...beckon, tenancy: { ...beckon.tenancy, createKey } }) });
    expect(await one.run('init')).toBe(10);
    expect(readdirSync(one.io.cwd)).toEqual(['data']);
    expect(one.unclosed()).toBe(0);
    one.io.remove();
  });

  it('`init --print-keys` prints only NAME=value lines', async () => {
    const one = empty();
    expect(await one.run('init', '--print-keys')).toBe(0);
    expect(one.io.out().trimEnd().split('\n')).toEqual(
      ['PROD_PUBLIC_KEY=pk_prod', 'PROD_SECRET_KEY=sk_prod', 'TEST_PUBLIC_KEY=pk_test', 'TEST_SECRET_KEY=sk_test'].map(
        (line) => expect.stringMatching(`^BECKON_${line}_\\w+$`),
      ),
    );
    one.io.remove();
  });

  it('`init --json` prints one envelope', async () => {
    const one = empty();
    expect(await one.run('init', '--json')).toBe(0);
    const [[org], [project]] = await inDatabase(dataFile(one), tenantsOf);
    expect(one.envelope()).toMatchObject({
      success: true,
      data: { org: { id: org?.id }, project: { id: project?.id } },
    });
    one.io.remove();
  });
});
