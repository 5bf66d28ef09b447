import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../testing/real.ts';

describe('audiences', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const run = (argv: readonly string[], stdin?: string) =>
    cli.run(['audiences', ...argv, '--env', 'test'], stdin === undefined ? {} : { stdin });

  it('are made of a predicate in a file, previewed, shown, explained, changed and deleted', async () => {
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

  it('take users from a file and write them into one, and tell of lines that name nobody', async () => {
    await run(['create', '--name', 'Beta']);
    const first = await run(['import', 'Beta', '-'], 'userId,plan\nada,pro\n,free\n"b,c",pro\n');
    expect([first.code, first.out]).toEqual([7, '2 users were put on Beta; 0 were there.\n1 lines were left out.\n']);
    expect(first.err).toContain('line 3 names no user');
    expect((await run(['import', 'Beta', '-', '--format', 'ndjson'], '{"userId":"ada"}\n"dee"\n')).out).toContain(
      '1 users were put on Beta; 1 were there.',
    );
    const at = cli.clock.now().toISOString();
    const table = await run(['export', 'Beta']);
    expect([table.code, table.out]).toEqual([0, `userId,joinedAt\nada,${at}\n"b,c",${at}\ndee,${at}\n`]);
    expect((await run(['export', 'Beta', '--format', 'ndjson'])).out.split('\n')[0]).toBe(
      JSON.stringify({ userId: 'ada', joinedAt: at }),
    );
    expect((await run(['import', 'Beta', '-', '--remove'], table.out)).out).toContain('3 users were taken off Beta.');
    expect((await run(['import', 'Beta', '-'], '\n')).code).toBe(5);
    expect((await run(['import', 'Nobody', '-'], 'ada\n')).code).toBe(1);
  });

  it('leave out lines of a file with a placeholder for a user', async () => {
    await run(['create', '--name', 'Beta']);
    const done = await run(['import', 'Beta', '-'], 'userId\nada\nNULL\n\nundefined\nbob\n');
    expect([done.code, done.out]).toEqual([7, '2 users were put on Beta; 0 were there.\n2 lines were left out.\n']);
    expect(done.err).toContain('line 3 is a placeholder such as "undefined"');
    expect((await run(['import', 'Beta', '-', '--remove'], 'undefined\nada\n')).out).toContain(
      '1 users were taken off',
    );
  });
});
