import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOfBase32 } from '../../../core/src/identity/mfa/base32.ts';
import { totpCode, totpStepAt } from '../../../core/src/identity/mfa/totp.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const PUBLIC_URL = 'https://auth.example';
const PASSWORD = 'correct horse battery staple';

describe('users', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run([...argv, '--env', 'test'], options);
  const signIn = (email: string) => tokensOf(cli.beckon.auth.signIn(cli.scope, { email, password: PASSWORD }));

  it('a user is created with a password of stdin, found by address, user id and id, and signs in', async () => {
    const argv = ['users', 'create', 'ann@example.com', '--external-id', 'ann', '--verified', 'yes', '--name', 'Ann'];
    const created = await run([...argv, '--password-file', '-', '--json'], { stdin: `${PASSWORD}\n` });
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out).not.toContain(PASSWORD);
    const { id } = JSON.parse(created.out).data;
    for (const named of ['ann@example.com', 'ANN@example.com', 'ann', id]) {
      const { out } = await run(['users', 'get', named]);
      expect(out, named).toContain(`id: ${id}\nuser: ann\nemail: ann@example.com\nverified: yes\nname: Ann\n`);
    }
    expect((await signIn('ann@example.com')).user.id).toBe(id);
    expect((await run(argv)).code).toBe(6);
    expect((await run(['users', 'get', 'nobody@example.com'])).code).toBe(1);
    expect((await run(['users', 'create', 'no address'])).code).toBe(5);
  });

  it('users are listed, filtered and changed', async () => {
    await run(['users', 'create', 'bob@example.com', '--verified', 'no']);
    const { out } = await run(['users', 'list', '--email', 'bob@example.com']);
    expect(out).toMatch(/^ID\tUSER\tEMAIL\tVERIFIED\tSTATUS\tCREATED\tLAST SIGN-IN\n.+\tbob@example.com\tno\tactive\t/);
    const changed = await run(['users', 'update', 'bob@example.com', '--verified', 'yes', '--locale', 'nl-BE']);
    expect(changed.out).toContain('verified: yes\nlocale: nl-BE\n');
    await run(['users', 'disable', 'bob@example.com']);
    expect((await run(['users', 'list', '--disabled', 'yes'])).out).toContain('bob@example.com\tyes\tdisabled');
    expect((await run(['users', 'list', '--disabled', 'no'])).out).not.toContain('bob@example.com');
    expect((await run(['users', 'enable', 'bob@example.com'])).code).toBe(0);
    expect((await run(['users', 'list', '--source', 'scim'])).err).toContain('No users match in test');
  });

  it('sessions are listed and ended, and a reset is emailed', async () => {
    await run(['users', 'create', 'cy@example.com', '--verified', 'yes', '--password-file', '-'], { stdin: PASSWORD });
    expect((await run(['users', 'sessions', 'cy@example.com'])).err).toContain('no live sessions');
    const { sessionId } = await signIn('cy@example.com');
    expect((await run(['users', 'sessions', 'cy@example.com'])).out).toContain(sessionId);
    expect((await run(['users', 'sessions', 'cy@example.com', '--revoke'])).out).toBe('Ended 1 session.\n');
    expect((await run(['users', 'send-reset', 'cy@example.com'])).out).toContain('Requested the email.');
    await cli.beckon.worker.drain();
    const mails = await cli.beckon.outbox.list(cli.scope, { channel: 'email' });
    expect(JSON.stringify(mails.data)).toContain('cy@example.com');
  });

  it('second factors are shown and reset', async () => {
    const { beckon, scope } = cli;
    await run(['users', 'create', 'eve@example.com', '--verified', 'yes', '--password-file', '-'], { stdin: PASSWORD });
    const { accessToken, user, refreshExpiresAt } = await signIn('eve@example.com');
    const bearer = await beckon.auth.authenticate(scope, accessToken);
    const { factorId, secret } = await beckon.auth.enrollTotp(scope, bearer);
    const key = bytesOfBase32(secret) ?? new Uint8Array();
    // Sessions end 30 days after they were last used, so this is the time of the service.
    const code = totpCode(key, totpStepAt(refreshExpiresAt.getTime() - 30 * 86_400_000));
    await beckon.auth.confirmTotp(scope, bearer, { factorId, code });
    const { out } = await run(['users', 'get', 'eve@example.com']);
    expect(out).toContain('second factor: yes\n');
    expect(out).toContain('factors: totp\nrecovery codes left: 10\nwrong codes: 0\n');
    const json = JSON.parse((await run(['users', 'get', 'eve@example.com', '--json'])).out);
    expect(json.data).toMatchObject({ id: user.id, mfa: { factors: [{ id: factorId }], blockedAt: null } });
    expect((await run(['users', 'mfa-reset', 'eve@example.com'])).out).toBe(
      'Removed the second factors. Ended 1 session.\n',
    );
    expect((await signIn('eve@example.com')).user.mfaEnabled).toBe(false);
  });

  it('a user is deleted after a confirmation only', async () => {
    await run(['users', 'create', 'dee@example.com']);
    const refused = await run(['users', 'delete', 'dee@example.com']);
    expect(refused).toMatchObject({ code: 9 });
    expect(refused.err).toContain('beckon users disable');
    expect((await run(['users', 'get', 'dee@example.com'])).code).toBe(0);
    expect((await run(['users', 'delete', 'dee@example.com', '--yes'])).out).toContain('Requested erasure ');
    await cli.beckon.worker.drain();
    expect((await run(['users', 'get', 'dee@example.com'])).code).toBe(1);
  });

  it('settings of sign-in are shown and changed one by one, and null restores a default', async () => {
    expect((await run(['auth', 'settings', 'get', 'password'])).out).toBe('password.minLength: 8\n');
    expect((await run(['auth', 'settings', 'set', 'session.idleDays', '7'])).out).toBe('session.idleDays: 7\n');
    await run(['auth', 'settings', 'set', 'session.maxPerUser', '5']);
    const stdin = '{"redirectUris":["https://app.example.com/in"],"password":{"minLength":12}}';
    expect((await run(['auth', 'settings', 'set', '--file', '-'], { stdin })).code).toBe(0);
    expect(await cli.beckon.auth.getSettings(cli.scope)).toMatchObject({
      session: { idleDays: 7, absoluteDays: 90, maxPerUser: 5 },
      password: { minLength: 12 },
      redirectUris: ['https://app.example.com/in'],
    });
    await run(['auth', 'settings', 'set', 'session.idleDays', 'null']);
    expect((await run(['auth', 'settings', 'get', 'session'])).out).toBe(
      'session.idleDays: 30\nsession.absoluteDays: 90\nsession.maxPerUser: 5\n',
    );
    const wrong = await run(['auth', 'settings', 'set', 'session.idelDays', '7']);
    expect(wrong.code).toBe(5);
    expect(wrong.err).toContain('auth has no setting session.idelDays (did you mean session.idleDays?).');
    expect((await run(['auth', 'settings', 'get', 'nothing'])).code).toBe(1);
    expect((await run(['auth', 'settings', 'set', 'password.minLength'])).code).toBe(2);
  });

  it('signing keys are listed and rotated, and changes are in the audit log', async () => {
    const rotated = await run(['auth', 'keys', 'rotate']);
    expect(rotated.out).toContain('Started a rotation.');
    const states = (await run(['auth', 'keys', 'list'])).out.match(/(?<=ES256\t)\w+/g);
    expect(states?.toSorted()).toEqual(['active', 'next']);
    expect((await run(['auth', 'keys', 'rotate'])).code).toBe(6);
    const { out } = await run(['auth', 'audit', 'list', '--action', 'signing_keys.rotate']);
    expect(out).toMatch(/^TIME\tACTOR\tACTION\tTARGET\tRESULT\tNETWORK\n.+\tsigning_keys.rotate\t/);
    expect((await run(['auth', 'audit', 'list', '--action', 'nothing'])).err).toContain('No entries match in test');
  });
});
