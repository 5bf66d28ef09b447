import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const PUBLIC_URL = 'https://auth.example';

describe('auth social', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run(['auth', 'social', ...argv, '--env', 'test'], options);

  it('a provider is set up with a secret of stdin, listed, changed and removed', async () => {
    expect((await run(['list'])).err).toContain('No social providers yet in test');
    const argv = ['set', 'google', '--client-id', 'client-1'];
    const set = await run([...argv, '--secret-file', '-'], { stdin: 'secret-of-the-app\n' });
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toBe(
      'Set up google.\nCallback URL: https://auth.example/api/v1/auth-service/login/social/callback/google\n',
    );
    expect((await run(['list'])).out).toMatch(/google\tenabled\tclient-1\thttps:\/\/auth\.example\//);
    // The secret is kept.
    expect((await run([...argv, '--enabled', 'no', '--scopes', 'a', 'b'])).code).toBe(0);
    const stored = await cli.beckon.auth.getSocialProvider(cli.scope, 'google');
    expect(stored).toMatchObject({ enabled: false, scopes: ['a', 'b'], hasClientSecret: true });
    const listed = await run(['list', '--json']);
    expect(listed.out).not.toContain('secret-of-the-app');
    expect((await run(['list'])).out).toContain('\tdisabled\t');
    expect((await run(['remove', 'google'])).code).toBe(0);
    expect((await run(['remove', 'google'])).code).toBe(1);
  });

  it('facts that only some providers need have options of their own', async () => {
    const argv = [
      'set',
      'microsoft',
      '--client-id',
      'm',
      '--secret-file',
      '-',
      '--native-client-ids',
      'app-1',
      'app-2',
    ];
    await run([...argv, '--tenant', 'organizations'], { stdin: 'secret' });
    const { extra } = await cli.beckon.auth.getSocialProvider(cli.scope, 'microsoft');
    expect(extra).toEqual({ tenant: 'organizations', nativeClientIds: ['app-1', 'app-2'] });
    expect((await run(['set', 'github', '--client-id', 'g'])).code).toBe(5);
    expect((await run(['set', 'myspace', '--client-id', 'm', '--secret-file', '-'], { stdin: 's' })).code).toBe(5);
  });
});
