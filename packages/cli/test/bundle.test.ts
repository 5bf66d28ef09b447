import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcomeBundle } from '../src/examples/welcome-bundle.ts';
import { type Ended, type Place, place } from './beckon.ts';
import { runInProcess } from './in-process.ts';

const LISTENING = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
const SECRET_KEY = /sk_prod_\w+/;

describe('beckon bundle', () => {
  const run = (at: Place, args: readonly string[], input?: string): Promise<Ended> =>
    runInProcess(at, args, input === undefined ? {} : { input });
  let from: Place;
  let to: Place;
  beforeAll(async () => {
    from = place();
    to = place();
    expect((await run(from, ['init'])).code).toBe(0);
    expect((await run(to, ['init'])).code).toBe(0);
    writeFileSync(join(from.cwd, 'welcome.json'), JSON.stringify(welcomeBundle));
    expect((await run(from, ['bundle', 'import', 'welcome.json', '--yes'])).code).toBe(0);
  });
  afterAll(async () => {
    await from.remove();
    await to.remove();
  });

  it('export and import copy workflows to another deployment unchanged', async () => {
    const exported = await run(from, ['bundle', 'export', '--stable']);
    expect(JSON.parse(exported.out)).toMatchObject({ version: 1, workflows: welcomeBundle.workflows });
    expect((await to.run(['bundle', 'import', '-', '--yes'], { input: exported.out })).code).toBe(0);
    expect((await run(to, ['bundle', 'export', '--stable'])).out).toBe(exported.out);
    const again = await run(to, ['bundle', 'import', '-', '--dry-run', '--exit-code'], exported.out);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('1 unchanged')]);
  });

  it('import writes nothing without --yes and without a terminal', async () => {
    const changed = JSON.stringify({ ...welcomeBundle, workflows: [{ ...welcomeBundle.workflows[0], name: 'Other' }] });
    expect((await run(to, ['bundle', 'import', '-'], changed)).code).toBe(9);
    expect((await run(to, ['bundle', 'export', '--workflow', 'Other'])).code).toBe(5);
  });

  it('import exits 5 and prints every invalid field', async () => {
    const wrong = {
      ...welcomeBundle,
      extra: 1,
      workflows: [{ ...welcomeBundle.workflows[0], steps: [{ type: 'wait', config: { minutes: -1 } }] }],
    };
    const { code, err } = await run(to, ['bundle', 'import', '-', '--yes'], JSON.stringify(wrong));
    expect(code).toBe(5);
    expect(err).toContain('extra: ');
    expect(err).toContain('`workflows.0.steps.0.config.minutes`: ');
  });

  it('import exits 3 for a bundle of another version', async () => {
    const { code } = await run(to, ['bundle', 'import', '-', '--yes'], '{"version":2}');
    expect(code).toBe(3);
  });

  it('import reads a file written by export', async () => {
    expect((await from.run(['bundle', 'export', '-f', 'out.json', '--compact'])).code).toBe(0);
    expect(readFileSync(join(from.cwd, 'out.json'), 'utf8').split('\n')).toHaveLength(2);
    expect((await run(from, ['bundle', 'import', 'out.json', '--yes'])).out).toContain('= same    Welcome');
  });

  it('bundle commands work with --url as with a database', async () => {
    const at = place();
    try {
      const [key = ''] = SECRET_KEY.exec((await run(at, ['init', '--print-keys'])).out) ?? [];
      const serve = at.start(['serve', '--port', '0']);
      const [, url = ''] = await serve.says(LISTENING);
      const remote = (...args: string[]) =>
        runInProcess(from, [...args, '--url', url], { env: { BECKON_API_KEY: key } });

      const planned = await remote('bundle', 'import', 'welcome.json', '--dry-run', '--exit-code');
      expect([planned.code, planned.err]).toEqual([1, '']);
      expect((await remote('bundle', 'import', 'welcome.json', '--yes')).out).toContain('+ create  Welcome');
      const local = await run(from, ['bundle', 'export', '--stable']);
      expect((await remote('bundle', 'export', '--stable')).out).toBe(local.out);
      expect((await remote('bundle', 'diff', 'welcome.json')).code).toBe(0);
      const none = JSON.stringify({ ...welcomeBundle, workflows: [] });
      const pruned = await from.run(['bundle', 'import', '-', '--prune', '--yes', '--url', url], {
        input: none,
        env: { BECKON_API_KEY: key },
      });
      expect(pruned.out).toContain('~ update  Welcome  isActive');
      expect((await remote('workflows', 'list', '--inactive')).out).toContain('Welcome');
      expect((await remote('workflows', 'show', 'Nobody')).code).toBe(1);

      const refused = await runInProcess(from, ['bundle', 'export', '--url', url], {
        env: { BECKON_API_KEY: 'sk_prod_no' },
      });
      expect([refused.code, refused.err.includes('sk_prod_no')]).toEqual([4, false]);
      expect(await serve.stop()).toBe(0);
    } finally {
      await at.remove();
    }
  });
});
