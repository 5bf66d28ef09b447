import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Place, place, preload } from './beckon.ts';
import { BIN } from './program.ts';

const made: Place[] = [];
const here = (): Place => {
  const one = place();
  made.push(one);
  return one;
};
afterEach(async () => {
  for (const one of made.splice(0)) await one.remove();
});

const oldNode = (version: string): string[] =>
  preload(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`);

// Prints the slow packages that are loaded to stderr.
const SPY = preload(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ resolve(specifier, context, next) {
    if (/^(@beckon\\/|pino$|zod$|better-sqlite3$|pg$)/.test(specifier)) writeSync(2, 'LOADED ' + specifier + '\\n');
    return next(specifier, context);
  } });
`);

describe('beckon', () => {
  it.each(['20.20.2', '22.18.0', '18.0.0'])('the program rejects Node %s with one message', async (version) => {
    const { code, out, err } = await here().run(['serve', '--dev'], { node: oldNode(version), program: BIN });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^[^\n]+\.\n$/);
    expect(err).toContain(version);
  });

  it.each(['22.19.0', '24.0.0'])('the program accepts Node %s', async (version) => {
    expect((await here().run(['--version'], { node: oldNode(version), program: BIN })).code).toBe(0);
  });

  it.each([['--version'], ['--help'], ['serve', '--help'], ['keys', 'create', '--nonsense']])(
    'the program loads neither core nor HTTP nor the log for %s %s',
    async (...args) => {
      const { err } = await here().run(args, { node: SPY });
      expect(err).not.toContain('LOADED');
    },
  );

  it('a command that needs core loads it', async () => {
    const { err } = await here().run(['version'], { node: SPY });
    expect(err).toContain('LOADED @beckon/core');
  });

  it('the program exits 0 silently if the reader of stdout closes', async () => {
    const running = here().start(['version', '--json']);
    running.child.stdout.destroy();
    const { code, err } = await running.ended;
    expect([code, err]).toEqual([0, '']);
  });

  it('version prints the versions of program, Node, SQLite and schema', async () => {
    const { code, out } = await here().run(['version', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      success: true,
      data: {
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        node: process.versions.node,
        sqlite: expect.stringMatching(/^3\.\d+/),
        schema: expect.any(Number),
      },
    });
  });
});

describe('npm start', () => {
  const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
  // skip: Windows has no signal that ends a shell without its child.
  it.skipIf(process.platform === 'win32')('`npm start` ends its server when the shell of npm ends', async () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.scripts.start).toMatch(/^node scripts\/start\.mjs /);
    const [, file, ...args] = manifest.scripts.start.split(' ');
    const command = [process.execPath, join(ROOT, file), ...args, '--port', '0'].map((word) => `'${word}'`).join(' ');
    // A second command keeps the shell from replacing itself by the program, as some shells do.
    const shell = spawn('sh', ['-c', `${command}; true`], { cwd: here().cwd });
    const out = Promise.withResolvers<string>();
    let written = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        written += text;
        const url = /listening on (http:\S+)\s/.exec(written)?.[1];
        if (url) out.resolve(url);
      });
    const closed = once(shell.stdout, 'close');
    // A server that does not start fails the test with its output.
    void closed.then(() => out.reject(new Error(`it ended: ${written}`)));
    const url = await out.promise;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    shell.kill('SIGTERM');
    // The server keeps the pipe open while it runs. Its port is not checked, because another test may use it by then.
    await closed;
  });
});
