import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('audiences', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const run = (argv: readonly string[], stdin?: string) =>
    cli.run(['audiences', ...argv, '--env', 'test'], stdin === undefined ? {} : { stdin });

  it('segments are created from a predicate file, previewed, shown, explained, updated and deleted', async () => {
    for (const [userId, plan] of Object.entries({ ada: 'pro', bob: 'free' }))
      await cli.beckon.events.identify(cli.scope, { userId, traits: { plan } });
    const leaf = { trait: 'plan', op: 'eq', value: 'pro' };
    writeFileSync(join(cli.cwd, 'pro.json'), JSON.stringify({ predicate: leaf }));
    const preview = await run(['preview', 'pro.json', '--json']);
    expect(JSON.parse(preview.out)).toMatchObject({ data: { count: 1, sample: [{ userId: 'ada' }] } });
    expect((await run(['create', '--name', 'Pro', '--predicate', 'pro.json'])).code).toBe(0);
    await cli.beckon.worker.drain();
    expect((await run(['list'])).out).toContain('Pro\tdynamic\t1\tready');
    expect((await run(['show', 'Pro'])).out).toContain('"op": "eq"');
    expect((await run(['members', 'Pro'])).out).toContain('ada\t');
    expect((await run(['explain', 'Pro', 'bob'])).out).toContain('bob is not in Pro.');
    expect((await run(['update', 'Pro', '--name', 'Paying', '--description', 'who pays'])).out).toContain('version 2');
    expect((await run(['delete', 'Paying'])).code).toBe(0);
    expect((await run(['show', 'Paying'])).code).toBe(1);
    expect((await run(['create', '--name', 'x', '--predicate', '-'], 'no json')).code).toBe(5);
    expect((await run(['create', '--name', 'x', '--predicate', '-'], '{"all":[]}')).code).toBe(5);
  });

  it('users are imported from a file and exported to one, and rejected rows are reported', async () => {
    await run(['create', '--name', 'Beta']);
    const first = await run(['import', 'Beta', '-'], 'userId,plan\nada,pro\n,free\n"b,c",pro\n');
    expect([first.code, first.out]).toEqual([
      7,
      'Added 2 users to Beta; 0 were already members.\n1 row was rejected.\n',
    ]);
    expect(first.err).toContain('Reading user ids from column 1 "userId" (delimiter comma, UTF-8, header in line 1).');
    expect(first.err).toContain('line 3 has no user id');
    expect((await run(['import', 'Beta', '-', '--format', 'ndjson'], '{"userId":"ada"}\n"dee"\n')).out).toContain(
      'Added 1 users to Beta; 1 were already members.',
    );
    const at = cli.clock.now().toISOString();
    const table = await run(['export', 'Beta']);
    expect([table.code, table.out]).toEqual([0, `userId,joinedAt\nada,${at}\n"b,c",${at}\ndee,${at}\n`]);
    expect((await run(['export', 'Beta', '--format', 'ndjson'])).out.split('\n')[0]).toBe(
      JSON.stringify({ userId: 'ada', joinedAt: at }),
    );
    expect((await run(['import', 'Beta', '-', '--remove'], table.out)).out).toContain('3 users from Beta.');
    expect((await run(['import', 'Beta', '-'], '\n')).code).toBe(5);
    expect((await run(['import', 'Nobody', '-'], 'ada\n')).code).toBe(1);
  });

  it('an import rejects rows with a placeholder user id', async () => {
    await run(['create', '--name', 'Beta']);
    const done = await run(['import', 'Beta', '-'], 'userId\nada\nNULL\n\nundefined\nbob\n');
    expect([done.code, done.out]).toEqual([
      7,
      'Added 2 users to Beta; 0 were already members.\n2 rows were rejected.\n',
    ]);
    expect(done.err).toContain('line 3 is a placeholder such as "undefined"');
    expect((await run(['import', 'Beta', '-', '--remove'], 'undefined\nada\n')).out).toContain(
      'Removed 1 users from Beta.',
    );
  });

  it('an import with an ambiguous column of ids adds nobody', async () => {
    await run(['create', '--name', 'Beta']);
    for (const stdin of ['name,email\nAnn,ann@example.com\n', '[{"name":"Ann"}]', 'ada,pro\nbob,free\n'])
      expect(await run(['import', 'Beta', '-'], stdin)).toMatchObject({ code: 5, out: '' });
    writeFileSync(join(cli.cwd, 'latin1.csv'), Buffer.from('user_id\nada\nj\xfcrgen\n', 'latin1'));
    const refused = await run(['import', 'Beta', 'latin1.csv']);
    expect(refused.err).toContain('latin1.csv is not UTF-8: line 3 has the byte 0xFC');
    expect((await run(['members', 'Beta'])).out).toBe('USER\tSINCE\n');
    const done = await run(['import', 'Beta', 'latin1.csv', '--encoding', 'windows-1252', '--json']);
    expect(JSON.parse(done.out).data).toMatchObject({
      added: 2,
      refused: 0,
      source: { encoding: 'windows-1252', format: 'csv', column: 1, columnName: 'user_id' },
    });
    expect((await run(['members', 'Beta'])).out).toContain('jürgen');
  });

  it('flags override the detected layout of an import', async () => {
    await run(['create', '--name', 'Beta']);
    const added = async (stdin: string, ...flags: string[]): Promise<unknown> => {
      const { out } = await run(['import', 'Beta', '-', '--json', ...flags], stdin);
      return JSON.parse(out).data?.added;
    };
    expect(await added('auth0|1\nauth0|2\n', '--delimiter', 'none')).toBe(2);
    expect(await added('name\nada\n', '--no-header')).toBe(2);
    expect(await added('wer;was\nbob;x\n', '--header', '--column', '1')).toBe(1);
    expect(await added('wer;was\ncy;x\n', '--column', 'WER', '--delimiter', 'semicolon')).toBe(1);
    expect(await added('[not json\n', '--format', 'csv')).toBe(1);
    expect((await run(['import', 'Beta', '-', '--delimiter', 'slash'], 'ada\n')).code).toBe(2);
    expect((await run(['import', 'Beta', '-', '--encoding', 'klingon'], 'ada\n')).code).toBe(2);
  });

  it('rejected rows are written with their reasons to a file that can be corrected and imported', async () => {
    await run(['create', '--name', 'Beta']);
    writeFileSync(join(cli.cwd, 'in.csv'), 'Kundennummer;Name\n1;"Lee; Ann"\n;Bob\nnull;Cy\n');
    expect((await run(['import', 'Beta', 'in.csv', '--errors', 'in.csv'])).code).toBe(2);
    const first = await run(['import', 'Beta', 'in.csv', '--errors', 'rejected.csv']);
    expect([first.code, first.out]).toEqual([
      7,
      'Added 1 users to Beta; 0 were already members.\n2 rows were rejected: rejected.csv.\n',
    ]);
    const rejected = readFileSync(join(cli.cwd, 'rejected.csv'), 'utf8');
    expect(rejected).toBe(
      'rejected_line,rejected_reason,Kundennummer,Name\n3,has no user id,,Bob\n' +
        '4,"is a placeholder such as ""undefined"" or ""null"", not the id of a user",null,Cy\n',
    );
    writeFileSync(join(cli.cwd, 'rejected.csv'), rejected.replace(',,Bob', ',2,Bob').replace(',null,', ',3,'));
    const again = await run(['import', 'Beta', 'rejected.csv', '--errors', 'rest.csv']);
    expect([again.code, again.out]).toEqual([0, 'Added 2 users to Beta; 0 were already members.\n']);
    expect(readFileSync(join(cli.cwd, 'rest.csv'), 'utf8').split('\n')).toHaveLength(2);
  });
});
