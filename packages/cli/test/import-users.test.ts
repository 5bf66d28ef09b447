import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type Place, place, preload, type Running } from './beckon.ts';
import { withDatabases } from './database-of.ts';

/** Users of one import. A campaign imports 100,000. */
const USERS = Number(process.env['BECKON_IMPORT_USERS'] ?? '3000');
const MIB = 1_024;
/** Most memory of a process, in MiB. Chosen: twice the measured peak; a program that reads the whole file exceeds it. */
const MAX_MIB = 700;

/** Writes the most memory that the process used to a file when it ends. */
const watched = (at: Place, name: string) => {
  const file = join(at.cwd, name);
  const source = `import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(file)},String(process.resourceUsage().maxRSS)));`;
  return { node: preload(source), peakMiB: () => Math.round(Number(readFileSync(file, 'utf8')) / MIB) };
};

const writeUsers = async (path: string): Promise<void> => {
  const file = createWriteStream(path);
  for (let at = 0; at < USERS; at += 1) {
    const row = {
      ...{ externalId: `u${at}`, email: `user${at}@example.com`, emailVerified: true, name: `User ${at}` },
      passwordHash: '$2b$10$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a',
      ...{ createdAt: '2024-01-02T03:04:05Z', locale: 'en', metadata: { plan: 'pro' } },
    };
    if (!file.write(`${JSON.stringify(row)}\n`)) await new Promise((resolve) => file.once('drain', resolve));
  }
  file.end();
  await finished(file);
};

/** PostgreSQL in campaigns only: the contract tests of the import run on both databases. */
const ENGINES = USERS >= 100_000 ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

it.for(ENGINES)(
  'a file of users is imported by the database and by a server, and exported, in bounded memory on %s',
  { timeout: 600_000 },
  async (engine) => {
    const at = place();
    onTestFinished(() => at.remove());
    await writeUsers(join(at.cwd, 'users.ndjson'));
    await withDatabases(at, engine, async (make) => {
      const figures: string[] = [];
      /** Runs a command and notes how many users per second it handled, and its memory. */
      const measure = async (what: string, db: string, args: readonly string[], env = {}): Promise<void> => {
        const { node, peakMiB } = watched(at, `${what}.rss`);
        const startedMs = performance.now();
        const { code, out, err } = await at.run([...args, ...(db === '' ? [] : ['--db', db, '--env', 'test']), '-q'], {
          ...{ node, env },
        });
        const perSecond = Math.round(USERS / ((performance.now() - startedMs) / 1_000));
        expect([code, err, out]).toEqual([0, '', expect.stringContaining(String(USERS))]);
        figures.push(`${what} ${perSecond} users/s ${peakMiB()} MiB`);
        expect(peakMiB()).toBeLessThan(MAX_MIB);
      };
      const database = await make();
      const init = await at.run(['init', '--db', database.url, '--json']);
      const keys: readonly { name: string; secret: string }[] = JSON.parse(init.out).data.keys;
      const key = keys.find(({ name }) => name === 'sk_prod')?.secret ?? '';
      await measure('file', database.url, ['users', 'import', 'users.ndjson', '--from', 'ndjson']);
      await measure('export', database.url, ['users', 'export', 'copy.ndjson']);
      expect(readFileSync(join(at.cwd, 'copy.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(USERS);

      const { node, peakMiB } = watched(at, 'server.rss');
      const server: Running = at.start(['serve', '--port', '0', '--worker', '--db', database.url], { node });
      const [, url = ''] = await server.says(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
      const remote = ['users', 'import', 'copy.ndjson', '--from', 'ndjson', '--url', url];
      await measure('api', '', remote, { BECKON_API_KEY: key });
      await server.stop();
      console.log(`import on ${engine}: ${figures.join(', ')}, server ${peakMiB()} MiB`);
      const [count] = await database.query('select count(*) from auth_passwords');
      expect(Number(count?.[0])).toBe(2 * USERS);
    });
  },
);
