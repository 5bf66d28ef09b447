import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { makeCluster } from '../../../../core/test/support/postgres-server.ts';
import { type Deployment, deploy } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { unevenRuns } from './apply-fault.ts';
import { fullOnSignal } from './full-sqlite.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';
import { countingWorkflow, runFault, type Stand, serveOn } from './stand.ts';

const FULL_MS = 4_000;
const SQLITE_MB = 12;
/** Size of the disk. An empty database already has about 10 MB. */
const POSTGRES_MB = 48;
/** User of the PostgreSQL server if the tests run as root: `nobody`. */
const SERVER_USER = 65_534;
const NO_MOUNT = 'skipped: only a privileged user of Linux may mount a small disk';

/** Runs a server through `fault`: reads work, writes fail, and all work completes afterwards. */
const survive = async (
  deployment: Deployment,
  name: string,
  fault: (stand: Stand) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const stand = await serveOn(deployment, env);
  const { reads, codes } = await runFault(stand, name, () => fault(stand));
  await untilDrained(deployment, stand.server);
  expect(codes['503 OVERLOADED']).toBeGreaterThan(0);
  const [good, all] = reads.split('/');
  expect(good).toBe(all);
  expect(await unevenRuns(deployment)).toEqual([]);
  expect(await stand.server.stop()).toBe(0);
};

const filled = async (disk: SmallDisk): Promise<void> => {
  disk.fill();
  await sleep(FULL_MS);
  disk.free();
};

const withDisk = async (
  megabytes: number,
  owner: number | undefined,
  play: (disk: SmallDisk) => Promise<void>,
): Promise<boolean> => {
  const place = mkdtempSync(join(tmpdir(), 'beckon-disk-'));
  // The server runs as another user, who needs access to the folder.
  chmodSync(place, 0o755);
  const disk = smallDisk(join(place, 'disk'), megabytes, owner);
  try {
    if (disk) await play(disk);
    return disk !== null;
  } finally {
    disk?.remove();
    rmSync(place, { recursive: true, force: true });
  }
};

describe('a server that works on a full disk', () => {
  it('the server answers writes with 503 and keeps reading while a SQLite file cannot grow', async () => {
    const deployment = await deploy('sqlite', [countingWorkflow]);
    try {
      const fault = async ({ server }: Stand): Promise<void> => {
        server.child.kill('SIGUSR2');
        await sleep(FULL_MS);
        server.child.kill('SIGUSR2');
      };
      await survive(deployment, 'full (max_page_count)', fault, { NODE_OPTIONS: fullOnSignal });
      expect(await deployment.damage()).toEqual([]);
    } finally {
      await deployment.remove();
    }
  });

  it('the server answers writes with 503 and keeps reading while the disk of a SQLite file is full', async (context) => {
    const isMounted = await withDisk(SQLITE_MB, undefined, async (disk) => {
      const deployment = await deploy('sqlite', [countingWorkflow], { folder: () => disk.folder });
      try {
        await survive(deployment, 'full (tmpfs)', () => filled(disk));
        expect(await deployment.damage()).toEqual([]);
      } finally {
        await deployment.remove();
      }
    });
    if (isMounted) return;
    console.log(`fault database full (tmpfs) sqlite: ${NO_MOUNT}`);
    // skip: mounting a small disk needs a privileged Linux user.
    context.skip();
  });

  it('the server answers writes with 503 and keeps reading while the tablespace of PostgreSQL is full', async (context) => {
    const isMounted = await withDisk(POSTGRES_MB, SERVER_USER, async (disk) => {
      const cluster = await makeCluster();
      try {
        await cluster.start();
        const deployment = await deploy('postgres', [countingWorkflow], { server: cluster.url });
        const client = new pg.Client({ connectionString: cluster.url });
        client.on('error', () => undefined);
        await client.connect();
        const name = new URL(deployment.url).pathname.slice(1);
        await client.query(`create tablespace small location '${disk.folder}'`);
        await client.query(`alter database ${name} set tablespace small`);
        await client.end();
        await survive(deployment, 'full (tablespace)', () => filled(disk));
        await deployment.remove();
      } finally {
        await cluster.remove();
      }
    });
    if (isMounted) return;
    console.log(`fault database full (tablespace) postgres: ${NO_MOUNT}`);
    // skip: mounting a small disk needs a privileged Linux user.
    context.skip();
  });
});
