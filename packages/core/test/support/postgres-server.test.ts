import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres } from './postgres-server.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const foldersOf = (pid: number | undefined): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`beckon-pg-${pid}-`));

describe('startPostgres', () => {
  it('startPostgres starts a server with its settings and fsync on, and leaves nothing behind when stopped', async () => {
    const before = foldersOf(process.pid);
    const server = await startPostgres({ settings: { work_mem: '1MB' } });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('work_mem') as work_mem, current_setting('fsync') as fsync, current_setting('max_connections') as connections`,
    );
    await client.end();
    await server.stop();
    expect(rows).toEqual([{ work_mem: '1MB', fsync: 'on', connections: '200' }]);
    expect(isAlive(server.pid)).toBe(false);
    expect(foldersOf(process.pid)).toEqual(before);
  });

  it('startPostgres stops its server when the requesting process is killed', async () => {
    const module = new URL('./postgres-server.ts', import.meta.url).href;
    const code = `const { startPostgres } = await import('${module}'); console.log((await startPostgres({ own: true })).pid);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', `${code} setInterval(() => {}, 1000);`]);
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 540_000 }).toBe(false);
  });

  it('startPostgres reports why a server does not start', async () => {
    await expect(startPostgres({ settings: { shared_buffers: 'none' } })).rejects.toThrow(/shared_buffers/);
  });

  it('startPostgres uses the server of BECKON_TEST_PG_URL and stops nothing', async () => {
    const earlier = process.env['BECKON_TEST_PG_URL'];
    process.env['BECKON_TEST_PG_URL'] = 'postgres://given';
    try {
      const server = await startPostgres();
      expect(server).toMatchObject({ url: 'postgres://given', pid: Number.NaN });
      await server.stop();
    } finally {
      if (earlier === undefined) delete process.env['BECKON_TEST_PG_URL'];
      else process.env['BECKON_TEST_PG_URL'] = earlier;
    }
  });
});
