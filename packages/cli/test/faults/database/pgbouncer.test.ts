import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { freePorts } from '../../../../core/test/support/free-ports.ts';
import { deploy } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { until } from '../wait.ts';
import { unevenRuns } from './apply-fault.ts';
import { ownFolder, type Program, programAt, startProgram } from './programs.ts';
import { countingWorkflow, runFault, serveOn } from './stand.ts';

const AWAY_MS = 2_000;
/** Pool size. Chosen: smaller than that of one process. */
const SESSIONS = 4;

const settingsOf = (server: string, port: number): string => {
  const { hostname, port: serverPort, username } = new URL(server);
  return `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 200
`;
};

describe('PgBouncer in transaction mode', () => {
  it('the server works through PgBouncer, also after its restart, without named prepared statements', async (context) => {
    const path = programAt('pgbouncer');
    if (path === null) {
      console.log('fault database pgbouncer postgres: skipped: pgbouncer is not installed');
      // skip: a system package that `.ci/run` installs.
      return context.skip();
    }
    const { folder, remove } = ownFolder();
    const [port = 0] = await freePorts(1);
    const settings = join(folder, 'pgbouncer.ini');
    const server = inject('postgresUrl');
    writeFileSync(settings, settingsOf(server, port));
    const start = async (): Promise<Program> => {
      const program = startProgram(folder, path, [settings]);
      const url = new URL(server);
      url.port = String(port);
      await until('pgbouncer answers', async () => {
        const client = new pg.Client({ connectionString: url.href });
        client.on('error', () => undefined);
        const isThere = await client.connect().then(
          () => true,
          () => false,
        );
        if (isThere) await client.end();
        return isThere;
      });
      return program;
    };
    let bouncer = await start();
    const seenAs = (url: string): string => {
      const through = new URL(url);
      through.port = String(port);
      return through.href;
    };
    const deployment = await deploy('postgres', [countingWorkflow], { seenAs });
    try {
      const stand = await serveOn(deployment, { BECKON_POSTGRES_PREPARED_NAMES: 'false' });
      await runFault(stand, 'through pgbouncer', () => sleep(AWAY_MS));
      await runFault(stand, 'pgbouncer started anew', async () => {
        await bouncer.end();
        await sleep(AWAY_MS);
        bouncer = await start();
      });
      await untilDrained(deployment, stand.server);
      expect(await unevenRuns(deployment)).toEqual([]);
      const [sessions] = await deployment.query<{ most: number }>(
        'select count(*)::int as most from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      expect(sessions?.most).toBeLessThanOrEqual(SESSIONS + 2);
      expect(await stand.server.stop()).toBe(0);
    } finally {
      await bouncer.kill();
      await deployment.remove();
      remove();
    }
  });
});
