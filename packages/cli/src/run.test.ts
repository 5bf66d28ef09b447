import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyCli } from '../test/support/empty.ts';
import { type RealCli, realCli } from '../test/support/real.ts';
import { services } from './services.ts';

const PATHS = [
  ['init'],
  ['serve'],
  ['worker'],
  ['migrate', 'status'],
  ['migrate', 'up'],
  ['migrate', 'check'],
  ['backup', 'x'],
  ['restore', 'x'],
  ['keys', 'create'],
  ['keys', 'list'],
  ['keys', 'revoke', 'key1'],
  ['providers', 'add', 'apns', '--key-file', 'x', '--key-id', 'x', '--team-id', 'x', '--topic', 'x'],
  ['providers', 'add', 'fcm', '--service-account', 'x'],
  ['providers', 'add', 'webpush', 'generate'],
  ['providers', 'add', 'smtp', '--url-file', 'x', '--from', 'x'],
  ['providers', 'add', 'ses', '--access-key-id', 'x', '--secret-file', 'x', '--region', 'x', '--from', 'x'],
  ['providers', 'add', 'sendgrid', '--key-file', 'x', '--from', 'x'],
  ['providers', 'add', 'postmark', '--token-file', 'x', '--from', 'x'],
  ['providers', 'add', 'mailgun', '--key-file', 'x', '--domain', 'x', '--from', 'x'],
  ['providers', 'add', 'resend', '--key-file', 'x', '--from', 'x'],
  ['providers', 'add', 'twilio', '--account-sid', 'x'],
  ['providers', 'list'],
  ['providers', 'test', 'apns'],
  ['providers', 'order', 'ses,smtp'],
  ['providers', 'remove', 'apns'],
  ['settings', 'get', 'push'],
  ['settings', 'set', 'push', 'quietHours.enabled', 'true'],
  ['domains', 'create', 'x.test'],
  ['domains', 'list'],
  ['doctor'],
  ['dashboard'],
  ['domains', 'verify', 'x.test'],
  ['domains', 'delete', 'x.test'],
  ['bundle', 'export'],
  ['bundle', 'validate', 'x.json'],
  ['bundle', 'diff', 'x.json'],
  ['bundle', 'import', 'x.json'],
  ['orgs', 'create', 'x'],
  ['orgs', 'list'],
  ['orgs', 'show', 'x'],
  ['orgs', 'update', 'x', '--email-probation', 'on'],
  ['projects', 'create', 'x'],
  ['projects', 'list'],
  ['workflows', 'list'],
  ['workflows', 'show', 'x'],
  ['workflows', 'enable', 'x'],
  ['workflows', 'disable', 'x'],
  ...[
    ['webhooks', 'list'],
    ['webhooks', 'update', 'x'],
    ['webhooks', 'delete', 'x'],
    ['webhooks', 'rotate-secret', 'x'],
  ],
  ...[
    ['webhooks', 'test', 'x'],
    ['webhooks', 'deliveries', 'x'],
    ['webhooks', 'delivery', 'x'],
    ['webhooks', 'replay', 'x'],
  ],
  ['webhooks', 'recover', 'x', '--since', '1d'],
  ['types', 'generate'],
  ['audiences', 'list'],
  ['audiences', 'show', 'x'],
  ['audiences', 'delete', 'x'],
  ['audiences', 'members', 'x'],
  ['audiences', 'explain', 'x', 'ann'],
  ['audiences', 'export', 'x'],
  ...[
    ['analytics', 'overview'],
    ['analytics', 'events'],
    ['analytics', 'sends'],
    ['analytics', 'funnel', 'x', 'y'],
    ['analytics', 'retention'],
    ['analytics', 'usage'],
  ],
  ['geofences', 'list'],
  ['geofences', 'delete', 'x'],
  ['live-activities', 'list'],
  ['live-activities', 'end', 'x'],
  ['runs', 'list'],
  ['runs', 'show', 'x'],
  ['runs', 'cancel', 'x'],
  ['runs', 'retry', 'x'],
  ['events', 'list'],
  ['events', 'show', 'x'],
  ['events', 'tail'],
  ['profiles', 'list'],
  ['profiles', 'show', 'x'],
  ['profiles', 'subscriptions', 'x'],
  ...['list', 'create', 'get', 'update', 'disable', 'enable', 'delete', 'sessions', 'send-reset', 'mfa-reset'].map(
    (verb) => (verb === 'list' ? ['users', verb] : ['users', verb, 'ann@example.com']),
  ),
  ['auth', 'settings', 'get'],
  ['auth', 'settings', 'set', 'password.minLength', '12'],
  ['auth', 'keys', 'list'],
  ['auth', 'keys', 'rotate'],
  ['auth', 'audit', 'list'],
  ['send', 'test', 'push'],
  ['send', 'test', 'email'],
  ['send', 'test', 'sms'],
  ['sends', 'list'],
  ['sends', 'show', 's1'],
  ['sends', 'explain', 'm1'],
  ['sends', 'cancel', 's1'],
  ['outbox', 'list'],
  ['outbox', 'show', 'm1'],
  ['bounce-ingest'],
  ['suppressions', 'list'],
  ['suppressions', 'add', 'ann@example.com'],
  ['suppressions', 'remove', 'ann@example.com'],
  ['callbacks', 'list'],
  ['callbacks', 'replay', 'c1'],
  ['callbacks', 'urls'],
  ['version'],
];
const COMMANDS = PATHS.map((command) => [command.join(' '), command] as const);

describe('run', () => {
  it.each(COMMANDS)('an unknown flag exits 2: %s', async (_, command) => {
    const { run, io } = emptyCli();
    expect(await run(...command, '--nonsense')).toBe(2);
    expect(io.out()).toBe('');
    expect(io.err()).toContain("unknown option '--nonsense'");
    io.remove();
  });

  it.each(COMMANDS)('a usage error with --json prints one envelope: %s', async (_, command) => {
    const { run, io, envelope } = emptyCli();
    expect(await run(...command, '--json', '--nonsense')).toBe(2);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'USAGE' } });
    expect(io.err()).toBe('');
    io.remove();
  });

  it.each(COMMANDS)('--help prints to stdout and exits 0: %s', async (_, command) => {
    const { run, io } = emptyCli();
    expect(await run(...command, '--help')).toBe(0);
    expect(io.out()).toContain(`Usage: beckon ${command[0]}`);
    io.remove();
  });

  it.each([
    ['a command that is not known', ['nonsense']],
    ['no command', []],
    ['a group without its command', ['keys']],
    ['a missing argument', ['outbox', 'show']],
    ['one argument too many', ['version', 'extra']],
    ['a value that is not a choice', ['serve', '--migrate', 'sometimes']],
    ['a number that is none', ['outbox', 'list', '--limit', 'many']],
    ['a time that is none', ['keys', 'create', '--expires', 'soon']],
    ['two flags that exclude each other', ['worker', '--once', '--drain']],
  ])('the program exits 2 on %s', async (_, argv) => {
    const { run, io } = emptyCli();
    expect(await run(...argv)).toBe(2);
    expect(io.err()).not.toBe('');
    io.remove();
  });

  it.each([['--version'], ['-V']])('%s prints the version', async (flag) => {
    const { run, io } = emptyCli();
    expect(await run(flag)).toBe(0);
    expect(io.out()).toMatch(/^\d+\.\d+\.\d+\n$/);
    io.remove();
  });

  it.each([
    ['json after -o', ['-o', 'json']],
    ['-ojson', ['-ojson']],
    ['--output=json', ['--output=json']],
    ['--json', ['--json']],
  ])('a failure with %s prints one envelope', async (_, flags) => {
    const { run, io, envelope } = emptyCli();
    expect(await run('outbox', 'list', ...flags)).toBe(1);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    io.remove();
  });

  it('an error prints what failed, why, and what to do', async () => {
    const { run, io } = emptyCli();
    expect(await run('outbox', 'list')).toBe(1);
    expect(io.err()).toContain('beckon: No database at sqlite ./data/beckon.db.');
    expect(io.err()).toContain('beckon init');
    io.remove();
  });

  it('a missing or invalid master key exits 2 and names the variable', async () => {
    const missing = emptyCli({ env: { BECKON_DB: 'sqlite:x.db' } });
    missing.put('x.db', '');
    expect(await missing.run('outbox', 'list')).toBe(2);
    expect(missing.io.err()).toContain('BECKON_MASTER_KEY');
    const weak = emptyCli({ cwd: missing.io.cwd, env: { BECKON_DB: 'sqlite:x.db', BECKON_MASTER_KEY: 'weak' } });
    expect(await weak.run('outbox', 'list')).toBe(2);
    expect(weak.io.err()).toContain('not 32 bytes');
    expect([...missing.opened, ...weak.opened]).toEqual([]);
    missing.io.remove();
  });

  it('an unreachable database exits 10 and is named without its password', async () => {
    const env = { BECKON_DB: 'postgres://u:canary@127.0.0.1:1/d', BECKON_MASTER_KEY: await services.newMasterKey() };
    const { run, io } = emptyCli({ env });
    expect(await run('outbox', 'list')).toBe(10);
    expect(io.err()).toContain('Cannot connect to PostgreSQL at 127.0.0.1:1 (connection refused).');
    expect(io.err()).not.toContain('canary');
    io.remove();
  });
});

describe('run with a database', () => {
  let real: RealCli;
  beforeAll(async () => {
    real = await realCli();
  });
  afterAll(() => real.close());

  /** A new process in the folder of the database. */
  const program = (options: { readonly isTTY?: boolean } = {}) =>
    emptyCli({ cwd: real.cwd, env: real.env, ...options });

  it('commands that read do not migrate the database, and close it', async () => {
    const { run, opened, unclosed } = program();
    expect(await run('outbox', 'list')).toBe(0);
    expect([opened.map(({ migrate }) => migrate), unclosed()]).toEqual([['check'], 0]);
  });

  it('the database is closed after a failure', async () => {
    const { run, opened, unclosed } = program();
    expect(await run('outbox', 'show', 'missing')).toBe(1);
    expect([opened.length, unclosed()]).toEqual([1, 0]);
  });

  it('escape sequences in stored text do not reach the terminal', async () => {
    const { beckon, scope } = real;
    await beckon.tenancy.createOrg({ name: '\u001b[2Jevil' });
    const userId = '\u001b]0;owned\u0007ada';
    await beckon.events.identify(scope, { userId, traits: { email: 'ada@example.com' } });
    await beckon.email.send(scope, { userIds: [userId], subject: 'Hello', text: '\u001b[8mb' });
    await beckon.sms.send(scope, { to: '+14155550123', body: '\u009b2Jhi' });
    await beckon.worker.drain();
    const [{ id = '' } = {}] = (await beckon.outbox.list(scope, { channel: 'email' })).data;
    const { run, io } = program({ isTTY: true });
    expect(await run('outbox', 'list')).toBe(2);
    expect(await run('outbox', 'list', '--org', 'Acme')).toBe(0);
    expect(await run('outbox', 'list', '--org', 'Acme', '--json')).toBe(0);
    expect(await run('outbox', 'show', id, '--org', 'Acme')).toBe(0);
    // Only the colour of the program remains: red for the first word of the error.
    const shown = (io.out() + io.err()).replaceAll('\u001b[31mbeckon:\u001b[39m', 'beckon:');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(io.out()).toContain('hi');
  });

  it('common flags work before and after the command, and the latter win', async () => {
    const { tenancy } = real.beckon;
    const { id: orgId } = await tenancy.createOrg({ name: 'Other' });
    const { id: projectId } = await tenancy.createProject({ orgId, name: 'Shop' });
    const scope = await tenancy.scope({ orgId, projectId, environment: 'test' });
    await real.beckon.sms.send(scope, { to: '+14155550123', body: 'Of the other' });
    await real.beckon.worker.drain();
    const before = program();
    expect(await before.run('--org', 'Other', 'outbox', 'list', '--json')).toBe(0);
    expect(before.io.out()).toContain('Of the other');
    const both = program();
    expect(await both.run('--org', 'Other', 'outbox', 'list', '--org', 'Acme', '--json')).toBe(0);
    expect(both.envelope()).toMatchObject({ success: true });
    expect(both.io.out()).not.toContain('Of the other');
  });

  it('a schema mismatch exits 3', async () => {
    const database = new Database(join(real.cwd, 'data', 'beckon.db'));
    database.exec("insert into beckon_migrations values ('9999_future', 'x', 0, '99.0.0')");
    database.close();
    const { run, io } = program();
    expect(await run('outbox', 'list', '--org', 'Acme')).toBe(3);
    expect(io.err()).toContain('99.0.0');
  });
});
