import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { emptyCli } from '../../test/support/empty.ts';
import { fakeIo } from '../../test/support/fake-io.ts';

describe('docs', () => {
  it('`docs` serves the site on loopback until SIGTERM, then exits 0', async () => {
    const site = fakeIo();
    const { run, io } = emptyCli({ services: { docsFolder: () => site.cwd } });
    writeFileSync(join(site.cwd, 'index.html'), 'home');
    const exit = run('docs', '--port', '0');
    const url = await vi.waitFor(() => {
      const said = /http:\/\/127\.0\.0\.1:[1-9]\d*$/m.exec(io.out())?.[0];
      if (said === undefined) throw new Error('nothing said yet');
      return said;
    });
    expect(await (await fetch(url)).text()).toBe('home');
    io.signal('SIGTERM');
    expect(await exit).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    io.remove();
    site.remove();
  });

  it('`docs` prints the build command if the site is not built', async () => {
    const { run, io } = emptyCli({ services: { docsFolder: () => '/nowhere' } });
    expect(await run('docs')).toBe(1);
    expect(io.err()).toBe('beckon: The documentation is not built in this checkout.\nBuild it: npm run docs\n');
    io.remove();
  });

  it('`docs` rejects an invalid port', async () => {
    const { run, io } = emptyCli();
    expect(await run('docs', '--port', '70000')).toBe(2);
    expect(io.err()).toContain('Invalid --port "70000": pass a number from 0 to 65535.');
    io.remove();
  });
});
