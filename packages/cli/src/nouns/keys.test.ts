import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const DAY_MS = 86_400_000;

describe('beckon keys', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const keys = (...argv: string[]) => cli.run(['keys', ...argv]);
  const stored = async () => (await cli.beckon.tenancy.listKeys()).data;
  /** Another organization with a project, both with this name. */
  const tenant = async (name: string) => {
    const { id: orgId } = await cli.beckon.tenancy.createOrg({ name });
    return { orgId, projectId: (await cli.beckon.tenancy.createProject({ orgId, name: `${name} app` })).id };
  };

  it('`keys create` prints only the key on stdout, once', async () => {
    const { code, out, err } = await keys('create', '--env', 'test', '--name', 'ci', '--expires', '90d');
    expect([code, out]).toEqual([0, expect.stringMatching(/^sk_test_\S+\n$/)]);
    expect(err).not.toContain(out.trim().slice('sk_test_'.length));
    const { orgId, projectId } = cli.scope;
    expect(await stored()).toMatchObject([
      {
        kind: 'secret',
        environment: 'test',
        name: 'ci',
        grants: [{ orgId, projectId }],
        expiresAt: new Date(cli.clock.now().getTime() + 90 * DAY_MS),
      },
    ]);
  });

  it('`keys create -o env` prints a line for an .env file', async () => {
    const { code, out } = await keys('create', '--kind', 'public', '--env', 'prod', '-o', 'env');
    expect([code, out]).toEqual([0, expect.stringMatching(/^BECKON_PROD_PUBLIC_KEY=pk_prod_\S+\n$/)]);
  });

  it('`keys create` grants all projects of several organizations', async () => {
    const { orgId } = await tenant('B');
    const { code } = await keys('create', '--env', 'prod', '--org', `${cli.scope.orgId},B`, '--project', 'all');
    expect(code).toBe(0);
    expect((await stored())[0]?.grants).toEqual([
      { orgId: cli.scope.orgId, projectId: '*' },
      { orgId, projectId: '*' },
    ]);
  });

  it('`keys create` grants named projects of several organizations', async () => {
    const b = await tenant('B');
    const { orgId, projectId } = cli.scope;
    const names = ['--org', `Acme,${b.orgId}`, '--project', `${b.projectId},App`];
    expect((await keys('create', '--env', 'prod', ...names)).code).toBe(0);
    expect((await stored())[0]?.grants).toEqual([{ orgId, projectId }, b]);
  });

  it('`keys create` creates a custom key with the requested scopes', async () => {
    const scopes = ['--scope', 'email:send,email:read', 'push:send'];
    expect((await keys('create', '--kind', 'custom', '--env', 'prod', ...scopes)).code).toBe(0);
    const [key] = await stored();
    expect(key?.kind).toBe('secret');
    expect(key?.scopes.toSorted()).toEqual(['email:read', 'email:send', 'push:send']);
  });

  it.each([
    ['no environment', []],
    ['a custom key without scopes', ['--env', 'test', '--kind', 'custom']],
    ['scopes of a key that is not custom', ['--env', 'test', '--scope', 'email:send']],
    ['a public key of all projects', ['--env', 'test', '--kind', 'public', '--project', 'all']],
    ['a project of another org', ['--env', 'test', '--org', 'Acme', '--project', 'other']],
  ])('`keys create` exits 2 and creates nothing on %s', async (_, argv) => {
    expect((await keys('create', ...argv)).code).toBe(2);
    expect(await stored()).toEqual([]);
  });

  it('`keys create` needs --org if there are several organizations', async () => {
    await tenant('B');
    const { code, err } = await keys('create', '--env', 'test');
    expect([code, err]).toEqual([2, expect.stringContaining(`${cli.scope.orgId}  Acme`)]);
  });

  it('`keys list` shows keys without secrets, as tabs, JSON and lines', async () => {
    const secret = (await keys('create', '--env', 'test', '--name', 'ci', '--quiet')).out.trim();
    const [{ id = '' } = {}] = await stored();
    const lastFour = secret.slice(-4);
    const [heading, row] = (await keys('list')).out.split('\n');
    const line = (await keys('list', '-o', 'ndjson', '--org', 'Acme')).out;
    expect(heading?.split('\t')).toHaveLength(11);
    expect(row?.split('\t').slice(0, 5)).toEqual([id, 'ci', 'secret', 'test', lastFour]);
    expect(JSON.parse(line)).toMatchObject({ id, lastFour });
    expect(`${row}${line}`).not.toContain(secret);
  });

  it('`keys revoke` names the key and exits 1 for an unknown id', async () => {
    await keys('create', '--env', 'test', '--quiet');
    const [{ id = '', lastFour } = {}] = await stored();
    expect((await keys('revoke', id)).out).toBe(`Revoked ${id} (...${lastFour}).\n`);
    const { code, out } = await keys('revoke', 'nope', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { success: false, error: { code: 'NOT_FOUND' } }]);
  });
});
