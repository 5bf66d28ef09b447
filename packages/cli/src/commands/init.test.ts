import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cli, cli } from '../../test/support/cli.ts';
import { addTenant, coreError } from '../../test/support/world.ts';

const file = ({ io }: Cli, name: string): string => readFileSync(join(io.cwd, name), 'utf8');
const modeOf = ({ io }: Cli, name: string): number => statSync(join(io.cwd, name)).mode & 0o777;
const secretsOf = (text: string): string[] => text.match(/[ps]k_(prod|test)_secret\d/g) ?? [];

describe('init', () => {
  it('init writes configuration and master key, migrates, and prints four keys once', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init', '--org', 'Acme', '--project', 'Shop')).toBe(0);
    expect(JSON.parse(file(one, 'beckon.config.json'))).toEqual({ dataDir: './data', env: 'test' });
    expect(file(one, '.env')).toBe('BECKON_MASTER_KEY=master-key-of-a-test\n');
    expect(modeOf(one, '.env')).toBe(0o600);
    expect(modeOf(one, 'data')).toBe(0o700);
    expect(one.state.opened[0]).toMatchObject({ masterKey: 'master-key-of-a-test', migrate: 'auto' });
    expect(one.state.orgs[0]?.name).toBe('Acme');
    expect(one.state.projects[0]?.name).toBe('Shop');
    expect(secretsOf(one.io.out())).toEqual([
      'pk_prod_secret1',
      'sk_prod_secret2',
      'pk_test_secret3',
      'sk_test_secret4',
    ]);
    expect(secretsOf(one.io.err())).toEqual([]);
    one.io.remove();
  });

  it('init rejects a malformed master key before it creates anything', async () => {
    const one = cli({ isNew: true, env: { BECKON_MASTER_KEY: 'weak' } });
    expect(await one.run('init')).toBe(2);
    expect(one.io.err()).toContain('Invalid BECKON_MASTER_KEY');
    expect(readdirSync(one.io.cwd)).toEqual([]);
    one.io.remove();
  });

  it('a second init exits 6 and changes nothing', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init')).toBe(0);
    // Reads are not compared: they change nothing.
    const kept = () => JSON.stringify({ ...one.state, calls: [], opened: [] });
    const before = [file(one, 'beckon.config.json'), file(one, '.env'), kept()];
    expect(await one.run('init', '--org', 'Other')).toBe(6);
    expect([file(one, 'beckon.config.json'), file(one, '.env'), kept()]).toEqual(before);
    one.io.remove();
  });

  it('init creates a missing database if configuration and master key exist', async () => {
    const one = cli({ isNew: true });
    one.put('beckon.config.json', '{"dataDir": "./elsewhere"}');
    one.put('.env', 'BECKON_MASTER_KEY=mine\n');
    chmodSync(join(one.io.cwd, '.env'), 0o600);
    expect(await one.run('keys', 'create', '--env', 'test')).toBe(1);
    expect(one.io.err()).toContain('Create one with "beckon init"');
    expect(await one.run('init')).toBe(0);
    expect(one.state.opened[0]).toMatchObject({ masterKey: 'mine', db: `sqlite:${one.io.cwd}/elsewhere/beckon.db` });
    expect(secretsOf(one.io.out())).toHaveLength(4);
    expect(file(one, 'beckon.config.json')).toBe('{"dataDir": "./elsewhere"}');
    expect(file(one, '.env')).toBe('BECKON_MASTER_KEY=mine\n');
    one.io.remove();
  });

  it('init creates a project for an organization without projects', async () => {
    const one = cli({ isNew: true });
    one.state.orgs.push({ id: 'org1', name: 'Alone', plan: 'unlimited', createdAt: new Date(0) });
    expect(await one.run('init')).toBe(0);
    expect(one.state.orgs).toHaveLength(1);
    expect(one.state.projects).toMatchObject([{ orgId: 'org1' }]);
    one.io.remove();
  });

  it('init exits 6 for flags that an existing configuration file would override', async () => {
    const one = cli({ isNew: true });
    one.put('beckon.config.json', '{}');
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(one.state.opened).toEqual([]);
    one.io.remove();
  });

  it('init exits 6 for a database whose master key is not configured', async () => {
    const one = cli({ isNew: true });
    one.state.failure.open = Object.assign(new Error('no key opens it'), { name: 'WrongMasterKey' });
    expect(await one.run('init')).toBe(6);
    expect(readdirSync(one.io.cwd)).toEqual(['data']);
    one.io.remove();
  });

  it('init exits 6 and writes nothing for a database with a project', async () => {
    const one = cli({ isNew: true });
    one.state.applied.push('0000_first');
    addTenant(one.state);
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(existsSync(join(one.io.cwd, 'beckon.config.json'))).toBe(false);
    expect(existsSync(join(one.io.cwd, '.env'))).toBe(false);
    expect(one.state.calls.at(-1)).toBe('close');
    one.io.remove();
  });

  it('init exits 6 without migrating a database of an older version', async () => {
    const one = cli({ isNew: true });
    one.state.applied.push('0000_first');
    one.state.known.push('0001_second');
    expect(await one.run('init', '--db', 'postgres://u@h/d')).toBe(6);
    expect(one.state.opened).toEqual([]);
    one.io.remove();
  });

  it('init does not write a password to the configuration file', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init', '--db', 'postgres://u:canary@h/d')).toBe(0);
    expect(file(one, 'beckon.config.json')).not.toContain('canary');
    expect(file(one, '.env')).toContain('BECKON_DB=postgres://u:canary@h/d\n');
    expect(one.io.out() + one.io.err()).not.toContain('canary');
    one.io.remove();
  });

  it('init uses a configured master key and does not write it to a file', async () => {
    const one = cli({ isNew: true, env: { BECKON_MASTER_KEY: 'canary' } });
    expect(await one.run('init')).toBe(0);
    expect(one.state.opened[0]?.masterKey).toBe('canary');
    expect(readdirSync(one.io.cwd).toSorted()).toEqual(['beckon.config.json', 'data']);
    one.io.remove();
  });

  it('init keeps the lines of an existing .env and restricts it to its owner', async () => {
    const one = cli({ isNew: true });
    one.put('.env', 'OTHER=1');
    expect(await one.run('init')).toBe(0);
    expect(file(one, '.env')).toBe('OTHER=1\nBECKON_MASTER_KEY=master-key-of-a-test\n');
    expect(modeOf(one, '.env')).toBe(0o600);
    one.io.remove();
  });

  it('init removes its files if creating keys fails', async () => {
    const one = cli({ isNew: true });
    one.state.failure.createKey = coreError('OVERLOADED', 'Later.');
    expect(await one.run('init')).toBe(10);
    expect(readdirSync(one.io.cwd)).toEqual(['data']);
    one.io.remove();
  });

  it('`init --print-keys` prints only NAME=value lines', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init', '--print-keys')).toBe(0);
    expect(one.io.out().trimEnd().split('\n')).toEqual([
      'BECKON_PROD_PUBLIC_KEY=pk_prod_secret1',
      'BECKON_PROD_SECRET_KEY=sk_prod_secret2',
      'BECKON_TEST_PUBLIC_KEY=pk_test_secret3',
      'BECKON_TEST_SECRET_KEY=sk_test_secret4',
    ]);
    one.io.remove();
  });

  it('`init --json` prints one envelope', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init', '--json')).toBe(0);
    expect(one.envelope()).toMatchObject({ success: true, data: { org: { id: 'org1' }, project: { id: 'project1' } } });
    one.io.remove();
  });
});
