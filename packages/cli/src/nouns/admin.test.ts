import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const PUBLIC_URL = 'https://beckon.example';
const PASSWORD = 'correct horse battery staple';
const OTHER = 'another good passphrase';

describe('admin', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterAll(() => cli.close());

  const signIn = (email: string, password: string) => cli.beckon.operators.signIn({ email, password });
  const refused = { details: { reason: 'invalid_credentials' } };

  it('an admin is created with a password of stdin, signs in, and is listed', async () => {
    expect((await cli.run(['admin', 'list'])).err).toContain('No admins yet');
    const argv = ['admin', 'create', 'ann@example.com', '--password-file', '-'];
    const created = await cli.run(argv, { stdin: `${PASSWORD}\n` });
    expect(created).toMatchObject({ code: 0, err: '', out: 'Created admin ann@example.com.\n' });
    await signIn('ann@example.com', PASSWORD);
    const { out } = await cli.run(['admin', 'list', '--json']);
    expect(JSON.parse(out).data).toEqual([
      {
        id: expect.any(String),
        email: 'ann@example.com',
        createdAt: expect.any(String),
        lastSignInAt: expect.any(String),
      },
    ]);
    expect((await cli.run(argv, { stdin: PASSWORD })).code).toBe(6);
    expect((await cli.run(['admin', 'create', 'no address'])).code).toBe(5);
    const weak = ['admin', 'create', 'eve@example.com', '--password-file', '-'];
    expect((await cli.run(weak, { stdin: 'password' })).code).toBe(5);
  });

  it('without a terminal an admin is created with a link that sets a password once', async () => {
    const { code, out } = await cli.run(['admin', 'create', 'bob@example.com', '--json']);
    const { url, email } = JSON.parse(out).data;
    expect([code, email]).toEqual([0, 'bob@example.com']);
    expect(url).toMatch(/^https:\/\/beckon\.example\/_\/#password=pr_[\w-]{43}$/);
    const token = url.split('=')[1];
    await cli.beckon.operators.useLink({ token, password: PASSWORD });
    await signIn('bob@example.com', PASSWORD);
    const again = cli.beckon.operators.useLink({ token, password: OTHER });
    await expect(again).rejects.toMatchObject({ details: { reason: 'token_invalid' } });
  });

  it('a password is reset by file, by prompt and by link, and sessions end with it', async () => {
    await cli.beckon.operators.create({ email: 'cy@example.com', password: PASSWORD });
    const { token } = await signIn('cy@example.com', PASSWORD);
    const argv = ['admin', 'reset-password', 'cy@example.com'];
    const { code, out } = await cli.run([...argv, '--password-file', '-'], { stdin: OTHER });
    expect([code, out]).toEqual([0, 'Set the password of cy@example.com. All sessions were ended.\n']);
    await expect(cli.beckon.operators.authenticate(token)).rejects.toMatchObject({
      details: { reason: 'session_expired' },
    });
    await expect(signIn('cy@example.com', PASSWORD)).rejects.toMatchObject(refused);
    await cli.run(argv, { isTTY: true, answer: PASSWORD });
    await signIn('cy@example.com', PASSWORD);
    expect((await cli.run([...argv, '--link'], { isTTY: true })).out).toContain(`${PUBLIC_URL}/_/#password=pr_`);
    // Valid until the link is used.
    await signIn('cy@example.com', PASSWORD);
    expect((await cli.run([...argv, '--link', '--password-file', '-'], { stdin: OTHER })).code).toBe(2);
    expect((await cli.run(['admin', 'reset-password', 'nobody@example.com', '--link'])).code).toBe(1);
  });

  it('a login link signs an admin in once', async () => {
    await cli.beckon.operators.create({ email: 'di@example.com', password: PASSWORD });
    const { code, out } = await cli.run(['admin', 'login-link', 'di@example.com', '--json']);
    const { url } = JSON.parse(out).data;
    expect(code).toBe(0);
    expect(url).toMatch(/^https:\/\/beckon\.example\/_\/#login=ml_[\w-]{43}$/);
    const token = url.split('=')[1];
    const signedIn = await cli.beckon.operators.signInWithLink({ token });
    expect(signedIn.operator.email).toBe('di@example.com');
    await expect(cli.beckon.operators.signInWithLink({ token })).rejects.toMatchObject({
      details: { reason: 'token_invalid' },
    });
    expect((await cli.run(['admin', 'login-link', 'di@example.com'])).out).toContain('Sign in with this link.');
    expect((await cli.run(['admin', 'login-link', 'nobody@example.com'])).code).toBe(1);
  });
});
