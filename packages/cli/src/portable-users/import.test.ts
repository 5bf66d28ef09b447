import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler } from '@beckon/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { totpCode, totpStepAt } from '../../../core/src/identity/mfa/totp.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { mappings } from './mappings.ts';
import type { System } from './systems.ts';

const PUBLIC_URL = 'https://auth.example';
const BCRYPT = '$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a';
const sample = (name: string): string =>
  readFileSync(new URL(`../../test/support/user-exports/${name}`, import.meta.url), 'utf8');

/** System, sample file, and the password of Ann; null: the system exports no hashes. */
const SAMPLES: readonly (readonly [System, string, string | null])[] = [
  ['auth0', 'auth0.ndjson', 'U*U*U'],
  ['clerk', 'clerk.csv', 'U*U*U'],
  ['cognito', 'cognito.json', null],
  ['firebase', 'firebase.json', 'user1password'],
  ['supabase', 'supabase.csv', 'U*U*U'],
  ['csv', 'users.csv', 'U*U*U'],
  ['ndjson', 'users.ndjson', 'U*U*U'],
];

describe('users import and users export', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterEach(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run([...argv, '--env', 'test'], options);
  const list = async () => (await cli.beckon.users.list(cli.scope, { limit: 200 })).data;
  const at = (name: string): string => join(cli.cwd, name);
  const lines = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, index) => {
      const id = `u${from + index}`;
      return `${JSON.stringify({ externalId: id, email: `${id}@example.com`, passwordHash: BCRYPT })}\n`;
    }).join('');

  it.each(SAMPLES)('an export of %s (%s) is imported, and its users sign in', async (from, name, password) => {
    cli.put(name, sample(name));
    cli.put('hash.json', sample('firebase-hash.json'));
    const more = from === 'firebase' ? ['--hash-config', 'hash.json'] : [];
    const { code, err, out } = await run(['users', 'import', name, '--from', from, ...more]);
    const isPartial = from === 'supabase';
    expect(`${err}${out}`).toContain(`Imported 2 of ${isPartial ? 3 : 2} users; updated 0, skipped 0, rejected`);
    expect(code).toBe(isPartial ? 7 : 0);
    if (isPartial) expect(err).toContain('line 4: is an anonymous user');
    const [ben, ann] = await list();
    expect([ann?.email, ann?.emailVerified, ben?.email]).toEqual(['ann@example.com', true, 'ben@example.com']);
    expect(existsSync(at(`${name}.cursor`))).toBe(false);
    if (password !== null) {
      const signedIn = await tokensOf(cli.beckon.auth.signIn(cli.scope, { email: 'ann@example.com', password }));
      expect(signedIn.user.userId).toBe(ann?.externalId);
    }
  });

  it('rejected records are counted, printed and written to a report without their hashes, and exit 7', async () => {
    const wrong = ['{"email":"no address"}', 'no json', `{"email":"a@example.com","passwordHash":"${BCRYPT}x"}`];
    cli.put('users.ndjson', `${lines(2)}${wrong.join('\n')}\n${lines(1, 2)}`);
    const argv = ['users', 'import', 'users.ndjson', '--from', 'ndjson', '--errors', 'rejected.csv'];
    const { code, out, err } = await run([...argv, '--json']);
    expect(code).toBe(7);
    expect(JSON.parse(out).data).toMatchObject({ total: 6, imported: 3, skipped: 0, failed: 3 });
    expect(err).toContain('line 4: is not a JSON object');
    const report = readFileSync(at('rejected.csv'), 'utf8');
    expect(report.split('\n')).toEqual([
      'line,reason,message',
      '3,invalid,email: must be an email address such as ann@example.com',
      '4,unreadable,is not a JSON object',
      expect.stringMatching(/^5,unsupported_hash,/),
      '',
    ]);
    for (const text of [report, out, err]) expect(text).not.toContain(BCRYPT.slice(8));
    expect((await run([...argv])).code).toBe(7);
    expect(await list()).toHaveLength(3);
  });

  it('an interrupted import is resumed after the last call, and its report goes on', async () => {
    cli.put('users.ndjson', `{"email":"no address"}\n${lines(1_600)}{"email":"no address"}\n`);
    const argv = ['users', 'import', 'users.ndjson', '--from', 'ndjson', '--errors', 'rejected.csv'];
    let calls = 0;
    const stopped = await run(argv, {
      change: (beckon) => ({
        ...beckon,
        users: {
          ...beckon.users,
          import: async (...call) => {
            calls += 1;
            if (calls === 2) throw Object.assign(new Error('The database is gone.'), { code: 'ECONNRESET' });
            return beckon.users.import(...call);
          },
        },
      }),
    });
    expect(stopped.code).not.toBe(0);
    expect(stopped.err).toContain('Run the same command with --resume to go on.');
    expect(JSON.parse(readFileSync(at('users.ndjson.cursor'), 'utf8'))).toMatchObject({
      records: 1_000,
      imported: 999,
    });

    writeFileSync(at('other.ndjson'), lines(3));
    const other = ['users', 'import', 'other.ndjson', '--from', 'ndjson', '--resume'];
    expect((await run([...other, '--cursor', 'users.ndjson.cursor'])).code).toBe(5);
    expect((await run(other)).code).toBe(2);

    const resumed = await run([...argv, '--resume', '--json']);
    expect(resumed.err).toContain('Resuming after 1000 records.');
    expect(JSON.parse(resumed.out).data).toMatchObject({ total: 1_602, imported: 1_600, skipped: 0, failed: 2 });
    expect(resumed.code).toBe(7);
    expect(
      readFileSync(at('rejected.csv'), 'utf8')
        .split('\n')
        .map((line) => line.split(',')[0]),
    ).toEqual([...['line', '1', '1602', '']]);
    expect(existsSync(at('users.ndjson.cursor'))).toBe(false);
  });

  it('an import with --url goes through the API of a server, and an export needs the database', async () => {
    cli.put('users.ndjson', `${lines(1_200)}{"email":"no address"}\n`);
    const { orgId, projectId } = cli.scope;
    const grants = [{ orgId, projectId }];
    const { secret } = await cli.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(cli.beckon, { clock: cli.clock });
    const bodies: string[] = [];
    const remote: typeof globalThis.fetch = async (input, init) => {
      bodies.push(String(init?.body));
      return handler.fetch(new Request(input, init));
    };
    const argv = ['users', 'import', 'users.ndjson', '--from', 'ndjson', '--url', 'https://beckon.example'];
    const answer = await cli.run(argv, { env: { BECKON_API_KEY: secret }, fetch: remote });
    expect(answer.err).toContain('line 1201: email: must be an email address');
    expect(answer).toMatchObject({ code: 7, out: expect.stringContaining('Imported 1200 of 1201 users') });
    expect(bodies).toHaveLength(2);
    expect((await cli.run(['users', 'export', 'x.ndjson', '--url', 'https://beckon.example'])).code).toBe(2);
  });

  it('users that exist are skipped, updated or rejected', async () => {
    cli.put('users.ndjson', lines(2));
    const argv = ['users', 'import', 'users.ndjson', '--from', 'ndjson'];
    await run(argv);
    expect((await run(argv)).out).toContain('Imported 0 of 2 users; updated 0, skipped 2, rejected 0.');
    expect((await run([...argv, '--on-conflict', 'update'])).out).toContain('updated 2, skipped 0, rejected 0.');
    expect((await run([...argv, '--on-conflict', 'fail'])).code).toBe(7);
  });

  it('a file with unknown columns, a wrong format or a damaged end is rejected before the first user', async () => {
    cli.put('unknown.csv', 'email,role\nann@example.com,admin\n');
    cli.put('headless.csv', 'ann@example.com,Ann\n');
    cli.put('cut.json', sample('firebase.json').slice(0, -40));
    cli.put('empty.csv', '\n');
    const import_ = (name: string, from: string) => run(['users', 'import', name, '--from', from]);
    const unknown = await import_('unknown.csv', 'csv');
    expect([unknown.code, unknown.err]).toEqual([5, expect.stringContaining('Unknown columns: role.')]);
    expect((await import_('headless.csv', 'clerk')).code).toBe(5);
    expect((await import_('unknown.csv', 'ndjson')).code).toBe(5);
    expect((await import_('cut.json', 'firebase')).code).toBe(5);
    expect((await import_('empty.csv', 'csv')).code).toBe(2);
    expect((await import_('none.csv', 'csv')).code).toBe(1);
    expect((await run(['users', 'import', 'unknown.csv'])).code).toBe(2);
    expect(await list()).toEqual([]);
  });

  it('I9 an export holds all users with their hashes, only its owner can read it, and another deployment imports it', async () => {
    cli.put('users.ndjson', lines(1_201));
    await run(['users', 'import', 'users.ndjson', '--from', 'ndjson']);
    cli.put('ann.csv', sample('users.csv'));
    await run(['users', 'import', 'ann.csv', '--from', 'csv']);
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const identities = [{ provider: 'google', subject: '108', email: 'ann@gmail.example', emailVerified: true }];
    cli.put('more.ndjson', JSON.stringify({ externalId: 'ann', totpSecret: secret, identities }));
    await run(['users', 'import', 'more.ndjson', '--from', 'ndjson', '--on-conflict', 'update']);
    const exported = await run(['users', 'export', 'copy.ndjson']);
    expect(exported).toMatchObject({ code: 0, out: 'Exported 1203 users to copy.ndjson.\n' });
    expect(statSync(at('copy.ndjson')).mode & 0o777).toBe(0o600);
    const text = readFileSync(at('copy.ndjson'), 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(1_203);
    expect(text).toContain(BCRYPT);
    const again = await run(['users', 'export', 'copy.ndjson']);
    expect([again.code, again.err]).toEqual([6, expect.stringContaining('copy.ndjson exists.')]);
    expect((await run(['users', 'export', 'copy.ndjson', '--force'])).code).toBe(0);
    expect((await run(['users', 'export', '-'])).code).toBe(2);

    const other = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
    try {
      other.put('copy.ndjson', text);
      const copied = await other.run(['users', 'import', 'copy.ndjson', '--from', 'ndjson', '--env', 'test']);
      expect(copied.out).toContain('Imported 1203 of 1203 users');
      const { auth, users } = other.beckon;
      const result = await auth.signIn(other.scope, { email: 'ann@example.com', password: 'U*U*U' });
      if (!('mfaRequired' in result)) throw new Error('the sign-in needs no second factor');
      const { id, token } = result.challenge;
      const code = totpCode(Buffer.from('12345678901234567890'), totpStepAt(other.clock.now().getTime()));
      const { user } = await auth.verifyMfa(other.scope, id, { token, code });
      expect((await users.identities(other.scope, user.id)).data).toMatchObject(identities);
      expect(user).toMatchObject({ userId: 'ann', metadata: { plan: 'pro' } });
    } finally {
      await other.close();
    }
  });
});

describe('mappings of exports', () => {
  const rowsOf = (from: System, records: readonly Record<string, unknown>[]) =>
    records.map((record) => mappings[from].row(record));

  it('identities at providers that sign-in knows are kept, and others are left out', () => {
    const auth0 = { user_id: 'google-oauth2|1', email: 'a@example.com' };
    const identities = [
      { provider: 'google-oauth2', user_id: '1' },
      { provider: 'auth0', user_id: '2' },
      { provider: 'windowslive', user_id: 3 },
    ];
    expect(rowsOf('auth0', [{ ...auth0, identities }])).toEqual([
      {
        row: {
          externalId: 'google-oauth2|1',
          email: 'a@example.com',
          identities: [
            { provider: 'google', subject: '1' },
            { provider: 'microsoft', subject: '3' },
          ],
        },
      },
    ]);
    const providerUserInfo = [
      { providerId: 'twitter.com', rawId: '7', email: 'x@example.com' },
      { providerId: 'phone' },
    ];
    expect(rowsOf('firebase', [{ localId: 'f', providerUserInfo }])).toEqual([
      { row: { externalId: 'f', identities: [{ provider: 'x', subject: '7', email: 'x@example.com' }] } },
    ]);
    const attributes = [{ Name: 'identities', Value: '[{"providerName":"Google","userId":"9"}]' }];
    expect(rowsOf('cognito', [{ Username: 'c', Attributes: attributes }])).toEqual([
      { row: { externalId: 'c', identities: [{ provider: 'google', subject: '9' }] } },
    ]);
  });

  it('times, phone numbers and bans of Supabase are read as PostgreSQL writes them', () => {
    const [past, future, deleted] = rowsOf('supabase', [
      {
        id: '1',
        phone: '14155550123',
        created_at: '2024-01-02 03:04:05.678901+00',
        banned_until: '2020-01-01 00:00:00+00',
      },
      { id: '2', banned_until: '2999-01-01 00:00:00+00' },
      { id: '3', deleted_at: '2024-01-02 03:04:05+00' },
    ]);
    expect(past).toEqual({ row: { externalId: '1', phone: '+14155550123', createdAt: '2024-01-02T03:04:05.678Z' } });
    expect(future).toEqual({ row: { externalId: '2', disabled: true } });
    expect(deleted).toEqual({ problem: 'is a deleted user' });
  });

  it('the second factor of Clerk, the metadata of Auth0 and the seconds of Cognito are kept', () => {
    expect(rowsOf('clerk', [{ id: 'u', totp_secret: 'GEZDGNBVGY3TQOJQ', username: 'ann' }])).toEqual([
      { row: { externalId: 'u', totpSecret: 'GEZDGNBVGY3TQOJQ', metadata: { username: 'ann' } } },
    ]);
    const auth0 = { user_id: 'auth0|1', user_metadata: { plan: 'pro' }, app_metadata: { roles: [] }, blocked: true };
    expect(rowsOf('auth0', [auth0])).toEqual([
      { row: { externalId: 'auth0|1', metadata: { plan: 'pro', app_metadata: { roles: [] } }, disabled: true } },
    ]);
    expect(rowsOf('cognito', [{ Username: 'c', UserCreateDate: 1_704_164_645.678, Enabled: false }])).toEqual([
      { row: { externalId: 'c', createdAt: '2024-01-02T03:04:05.678Z', disabled: true } },
    ]);
  });

  it('columns of CSV may use underscores, and metadata may be JSON or single columns', () => {
    const row = {
      external_id: 'a',
      emailVerified: 'no',
      metadata: '{"a":1}',
      'metadata.b': '2',
      created_at: '2024-01-02',
    };
    expect(rowsOf('csv', [row])).toEqual([
      {
        row: {
          externalId: 'a',
          emailVerified: false,
          metadata: { a: 1, b: '2' },
          createdAt: '2024-01-02T00:00:00.000Z',
        },
      },
    ]);
  });
});
