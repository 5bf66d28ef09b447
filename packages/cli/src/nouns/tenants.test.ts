import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

/** Output on a terminal, which has no colours here. */
const widest = (out: string): number => Math.max(...out.split('\n').map((line) => line.length));
const dataOf = (out: string) => (JSON.parse(out) as { data: { id: string }[] }).data;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7/;

describe('orgs and projects', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
  });
  afterAll(() => cli.close());

  it('creating an organization, project and key works in order, and each command names the next', async () => {
    const own = await realCli();
    try {
      const org = (await own.run(['orgs', 'create', 'Second'])).out.trim();
      const hint = `beckon projects create <name> --org ${org}`;
      for (const command of [
        ['keys', 'create', '--env', 'test'],
        ['workflows', 'list'],
      ]) {
        const { code, err } = await own.run([...command, '--org', 'Second']);
        expect([code, err]).toEqual([1, expect.stringContaining(hint)]);
        expect(err).not.toContain('beckon init');
      }
      expect((await own.run(['projects', 'list', '--org', 'Second'])).err).toMatch(/ \(sqlite \S*beckon\.db\)\.\n$/);
      expect((await own.run(['projects', 'create', 'Shop', '--org', 'Second'])).err).toContain('beckon keys create');
      expect((await own.run(['keys', 'create', '--env', 'test', '--org', 'Second'])).code).toBe(0);
    } finally {
      await own.close();
    }
  });

  it('organizations and projects are created and listed', async () => {
    const org = await cli.run(['orgs', 'create', 'Other']);
    expect([org.code, org.out.trim()]).toEqual([0, expect.stringMatching(ID)]);
    const project = await cli.run(['projects', 'create', 'Shop', '--org', 'Other']);
    expect([project.code, project.err]).toEqual([0, expect.stringContaining('beckon keys create')]);
    expect((await cli.run(['projects', 'create', 'Shop'])).code).toBe(2);
    expect((await cli.run(['orgs', 'create', ''])).code).toBe(5);
    const orgs = await cli.run(['orgs', 'list'], { isTTY: true });
    expect([widest(orgs.out) <= 80, orgs.out.split('\n').length]).toEqual([true, 4]);
    const projects = await cli.run(['projects', 'list', '--org', 'Other'], { isTTY: true });
    expect(widest(projects.out)).toBeLessThanOrEqual(80);
    expect(projects.out).toContain(project.out.trim());
    expect(dataOf((await cli.run(['projects', 'list', '--json'])).out)).toHaveLength(2);
  });

  it('`orgs update --plan` sets a plan, which is listed and shown', async () => {
    const id = (await cli.run(['orgs', 'create', 'Paying'])).out.trim();
    expect((await cli.run(['orgs', 'show', 'Paying'])).out).toMatch(/^plan: unlimited$/m);
    expect((await cli.run(['orgs', 'update', id, '--plan', 'growth'])).out).toBe(`${id}: plan growth\n`);
    const shown = await cli.run(['orgs', 'show', id]);
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^events per month: 1000000$/m)]);
    expect((await cli.run(['orgs', 'list'], { isTTY: true })).out).toMatch(/Paying +growth/);
    expect((await cli.run(['orgs', 'update', id, '--plan', 'golden'])).err).toContain(
      'free, starter, growth, business',
    );
    expect((await cli.run(['orgs', 'update', id])).code).toBe(2);
    const rate = (text: string) => cli.run(['orgs', 'update', id, '--rate-limit', text]);
    expect((await rate('secret=600')).err).toContain('business');
    await cli.run(['orgs', 'update', id, '--plan', 'business']);
    expect((await rate('secret=600')).out).toBe(`${id}: rate limit secret 600 per minute\n`);
    expect((await cli.run(['orgs', 'show', id])).out).toMatch(/^requests per minute: secret=600$/m);
    expect((await rate('secret=default')).out).toBe(`${id}: rate limit secret reset\n`);
    for (const wrong of ['ingest=5', 'secret=0', 'secret', 'secret=1000001'])
      expect((await rate(wrong)).code, wrong).toBeGreaterThan(1);
    expect((await cli.run(['orgs', 'update', 'nobody', '--plan', 'free'])).code).toBe(1);
  });

  it('`orgs update` takes the name of an organization and rejects an ambiguous name with the ids', async () => {
    const id = (await cli.run(['orgs', 'create', 'Named'])).out.trim();
    const update = (...argv: string[]) => cli.run(['orgs', 'update', ...argv, '--plan', 'starter', '--json']);
    expect(JSON.parse((await update('Named')).out).data).toEqual({ id, plan: 'starter' });
    // Ids of the same millisecond are not ordered.
    cli.clock.advance(1);
    const other = (await cli.run(['orgs', 'create', 'Named'])).out.trim();
    for (const command of ['update', 'show']) {
      const argv = command === 'update' ? ['--plan', 'growth'] : [];
      const { code, err } = await cli.run(['orgs', command, 'Named', ...argv]);
      expect([code, err]).toEqual([
        2,
        `beckon: Several organizations have the name "Named". Pass an id:\n  ${id}  Named\n  ${other}  Named\n`,
      ]);
    }
    expect((await cli.run(['orgs', 'show', id])).out).toMatch(/^plan: starter$/m);
    expect((await cli.run(['orgs', 'update', 'Nobody', '--plan', 'growth'])).err).toContain(
      'No organization has the id or name "Nobody".',
    );
  });
});
