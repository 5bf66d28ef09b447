import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, place, type Running } from './beckon.ts';

const folder = fileURLToPath(new URL('../../../examples/quickstart/', import.meta.url));

/** Programs of the quickstart pages. One whose interpreter is missing here is not run. */
const PROGRAMS = [
  { name: 'Python', version: ['python3', '--version'], run: ['python3', 'quickstart.py'] },
  { name: 'PHP', version: ['php', '--version'], run: ['php', 'quickstart.php'] },
  { name: 'Go', version: ['go', 'version'], run: ['go', 'run', 'quickstart.go'] },
] as const;

describe('quickstarts of other languages', () => {
  let at: Place;
  let server: Running;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    at = place();
    const init = await at.run(['init', '--org', 'Acme', '--project', 'Shop', '--json']);
    const keys: { name: string; secret: string }[] = JSON.parse(init.out).data.keys;
    const key = keys.find(({ name }) => name === 'sk_test')?.secret;
    server = at.start(['serve', '--port', '0']);
    const [, url = ''] = await server.says(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
    env = { ...process.env, KEY: key, BECKON_URL: url, GOCACHE: at.cwd, GOFLAGS: '-mod=mod' };
  });
  afterAll(async () => {
    await server.stop();
    await at.remove();
  });

  for (const { name, version, run } of PROGRAMS) {
    const [tool, ...flags] = version;
    const isMissing = spawnSync(tool, flags).status !== 0;
    // skip: the interpreter is not installed on this machine.
    it.skipIf(isMissing)(`the program of the ${name} quickstart sends an email`, async () => {
      const [command, ...args] = run;
      const ended = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
      expect([ended.status, ended.stderr]).toEqual([0, '']);
      expect(ended.stdout).toMatch(/^send [0-9a-f-]{36}\n/);
    });
  }
});
