import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant } from '../../test/support/world.ts';

describe('keys create', () => {
  it('prints the secret alone on stdout, once', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('keys', 'create', '--env', 'test', '--name', 'ci', '--expires', '90d')).toBe(0);
    expect(io.out()).toBe('sk_test_secret1\n');
    expect(io.err()).not.toContain('secret1');
    expect(state.keys[0]).toMatchObject({
      kind: 'secret',
      environment: 'test',
      name: 'ci',
      grants: [{ orgId: 'acme-org', projectId: 'acme-project' }],
      expiresAt: new Date('2027-02-18T08:00:00.000Z'),
    });
    io.remove();
  });

  it('prints a line for an .env file with -o env', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('keys', 'create', '--kind', 'public', '--env', 'prod', '-o', 'env')).toBe(0);
    expect(io.out()).toBe('BECKON_PROD_PUBLIC_KEY=pk_prod_secret1\n');
    io.remove();
  });

  it('grants several orgs all of their projects', async () => {
    const { run, io, state } = cli();
    addTenant(state, 'a');
    addTenant(state, 'b');
    expect(await run('keys', 'create', '--env', 'prod', '--org', 'a-org,b org', '--project', 'all')).toBe(0);
    expect(state.keys[0]?.grants).toEqual([
      { orgId: 'a-org', projectId: '*' },
      { orgId: 'b-org', projectId: '*' },
    ]);
    io.remove();
  });

  it('grants named projects to the orgs that have them', async () => {
    const { run, io, state } = cli();
    addTenant(state, 'a');
    addTenant(state, 'b');
    expect(await run('keys', 'create', '--env', 'prod', '--org', 'a-org,b-org', '--project', 'b-project,a app')).toBe(
      0,
    );
    expect(state.keys[0]?.grants).toEqual([
      { orgId: 'a-org', projectId: 'a-project' },
      { orgId: 'b-org', projectId: 'b-project' },
    ]);
    io.remove();
  });

  it('makes a custom key with the scopes it is given', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(
      await run('keys', 'create', '--kind', 'custom', '--env', 'prod', '--scope', 'email:send,email:read', 'push:send'),
    ).toBe(0);
    expect(state.keys[0]).toMatchObject({ kind: 'secret', scopes: ['email:send', 'email:read', 'push:send'] });
    io.remove();
  });

  it.each([
    ['no environment', ['keys', 'create']],
    ['a custom key without scopes', ['keys', 'create', '--env', 'test', '--kind', 'custom']],
    ['scopes of a key that is not custom', ['keys', 'create', '--env', 'test', '--scope', 'email:send']],
    ['a public key of all projects', ['keys', 'create', '--env', 'test', '--kind', 'public', '--project', 'all']],
    ['a project of another org', ['keys', 'create', '--env', 'test', '--org', 'acme-org', '--project', 'other']],
  ])('exits 2 and makes nothing on %s', async (_, argv) => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run(...argv)).toBe(2);
    expect(state.keys).toEqual([]);
    io.remove();
  });

  it('asks which org is meant when there are several', async () => {
    const { run, io, state } = cli();
    addTenant(state, 'a');
    addTenant(state, 'b');
    expect(await run('keys', 'create', '--env', 'test')).toBe(2);
    expect(io.err()).toContain('a-org  a org');
    io.remove();
  });
});

describe('keys list', () => {
  it('shows keys without secrets, as tabs, JSON and lines', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    await run('keys', 'create', '--env', 'test', '--name', 'ci', '--quiet');
    expect(await run('keys', 'list')).toBe(0);
    expect(await run('keys', 'list', '-o', 'ndjson', '--org', 'acme org')).toBe(0);
    const [, heading, row, line] = io.out().trimEnd().split('\n');
    expect(heading?.split('\t')).toHaveLength(11);
    expect(row?.split('\t').slice(0, 5)).toEqual(['key1', 'ci', 'secret', 'test', 'ret1']);
    expect(JSON.parse(line ?? '')).toMatchObject({ id: 'key1', lastFour: 'ret1' });
    expect(`${row}${line}`).not.toContain('sk_test_secret1');
    io.remove();
  });
});

describe('keys revoke', () => {
  it('says which key it stopped', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    await run('keys', 'create', '--env', 'test', '--quiet');
    expect(await run('keys', 'revoke', 'key1')).toBe(0);
    expect(io.out()).toContain('Revoked key1 (...ret1).');
    io.remove();
  });

  it('exits 1 for an id that does not exist', async () => {
    const { run, io, envelope } = cli();
    expect(await run('keys', 'revoke', 'nope', '--json')).toBe(1);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    io.remove();
  });
});
