import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const PUBLIC_URL = 'https://auth.example';

describe('auth scim', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run(['auth', 'scim', ...argv, '--env', 'test'], options);

  it('a directory is created, listed, shown, renamed and deleted', async () => {
    expect((await run(['directories', 'list'])).err).toContain('No SCIM directories yet in test');
    const created = await run(['directories', 'create', 'Acme Okta']);
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out).toContain('Base URL: https://auth.example/api/v1/auth-service/scim/v2');
    const id = /directory ([\w-]+)\./.exec(created.out)?.[1] ?? '';
    expect((await run(['directories', 'list'])).out).toContain('Acme Okta');
    expect((await run(['directories', 'get', id])).out).toContain(`Acme Okta (${id})`);
    expect((await run(['directories', 'update', id, '--name', 'Acme Entra ID'])).code).toBe(0);
    expect(await cli.beckon.auth.getScimDirectory(cli.scope, id)).toMatchObject({ name: 'Acme Entra ID' });
    expect((await run(['directories', 'delete', id])).code).toBe(0);
    expect((await run(['directories', 'delete', id])).code).toBe(1);
  });

  it('a token is printed once, listed by its end and deleted', async () => {
    const { id } = await cli.beckon.auth.createScimDirectory(cli.scope, { name: 'Acme' });
    expect((await run(['tokens', 'list'])).err).toContain('No SCIM tokens yet in test');
    const created = await run(['tokens', 'create', id]);
    const token = created.out.trim();
    expect(token).toMatch(/^scim_[\w-]{40}$/);
    expect(created.err).toContain('shown only once');
    expect(await cli.beckon.auth.authenticateScim(token)).toMatchObject({ directoryId: id });
    const listed = await run(['tokens', 'list', '--directory-id', id, '--json']);
    expect(listed.out).toContain(token.slice(-4));
    expect(listed.out).not.toContain(token);
    const tokenId = (await cli.beckon.auth.listScimTokens(cli.scope)).data[0]?.id ?? '';
    expect((await run(['tokens', 'delete', tokenId])).code).toBe(0);
    await expect(cli.beckon.auth.authenticateScim(token)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
