import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCluster, makeStandby, type PostgresCluster } from '../../../../core/test/support/postgres-server.ts';
import { type Deployment, deploy } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { randomOf } from '../../kill/random.ts';
import { until } from '../wait.ts';
import { unevenRuns } from './apply-fault.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { countingWorkflow, runFault, type Stand, seed, serveOn } from './stand.ts';

/** Duration of an outage; the fault matrix requires 30 s, which BECKON_FAULT_OUTAGE_S=30 sets. */
const GONE_MS = Number(process.env['BECKON_FAULT_OUTAGE_S'] ?? 8) * 1_000;
/** Longer than the deadline of an event, so that requests end on their own. Source: semantics, Deadlines. */
const SILENT_MS = 8_000;
const SHORT_MS = 3_000;
/** Delay per direction; an event needs about ten round trips. */
const DELAY_MS = 60;
const TERMINATIONS = 3;
const TERMINATE_EVERY_MS = 2_000;
const CUT_WITHIN_BYTES = 3_000;
/** Connection limit. Chosen: one test can use all of them. */
const CONNECTIONS = 30;
const TERMINATE =
  'select pg_terminate_backend(pid) from pg_stat_activity ' +
  "where backend_type = 'client backend' and pid <> pg_backend_pid()";

describe('a server that works while PostgreSQL fails', () => {
  const random = randomOf(`database ${seed}`);
  const closing: (() => Promise<void>)[] = [];
  let primary: PostgresCluster;
  let proxy: DatabaseProxy;
  /** The test's own connection, which bypasses the faults. */
  let direct: DatabaseProxy;
  let deployment: Deployment;
  let stand: Stand;

  const connected = async (application_name = 'test', connectionString = primary.url): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString, application_name });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const onServer = async (text: string, url?: string): Promise<Record<string, unknown>[]> => {
    const client = await connected('test', url);
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  const reload = (setting: string): Promise<unknown> =>
    onServer(`alter system ${setting}`).then(() => onServer('select pg_reload_conf()'));

  beforeAll(async () => {
    primary = await makeCluster({ max_connections: String(CONNECTIONS), wal_keep_size: '256MB' });
    closing.push(primary.remove);
    await primary.start();
    proxy = await startProxy(primary.port);
    direct = await startProxy(primary.port);
    closing.push(proxy.close, direct.close);
    const server = direct.through(primary.url);
    deployment = await deploy('postgres', [countingWorkflow], { server, seenAs: proxy.through });
    closing.push(deployment.remove);
    stand = await serveOn(deployment);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  it('the server works while every database response is slow', async () => {
    const { codes } = await runFault(stand, 'slow', async () => {
      await proxy.setWeather({ kind: 'pass', delayMs: DELAY_MS });
      await sleep(SHORT_MS);
      await proxy.setWeather({ kind: 'pass' });
    });
    expect(codes['200']).toBeGreaterThan(0);
  });

  it('the server answers 503 while PostgreSQL refuses connections', () =>
    runFault(stand, 'refused', async () => {
      await proxy.setWeather({ kind: 'refuse' });
      proxy.drop('end');
      await sleep(SHORT_MS);
      await proxy.setWeather({ kind: 'pass' });
    }));

  it('the server answers in time while packets to PostgreSQL are dropped', () =>
    runFault(stand, 'silent', async () => {
      await proxy.setWeather({ kind: 'blackhole' });
      await sleep(SILENT_MS);
      await proxy.setWeather({ kind: 'pass' });
    }));

  it('the server survives reset connections', () =>
    runFault(stand, 'reset', async () => {
      for (let at = 0; at < 10; at += 1) {
        proxy.drop('reset');
        await sleep(random() * 500);
      }
    }));

  it('the server survives connections that break within a response', () =>
    runFault(stand, 'cut', async () => {
      await proxy.setWeather({ kind: 'cut', afterBytes: () => 600 + Math.floor(random() * CUT_WITHIN_BYTES) });
      proxy.drop('end');
      await sleep(SHORT_MS);
      await proxy.setWeather({ kind: 'pass' });
    }));

  it('the server survives terminated sessions', () =>
    runFault(stand, 'terminated', async () => {
      for (let at = 0; at < TERMINATIONS; at += 1) {
        if (at > 0) await sleep(TERMINATE_EVERY_MS);
        await onServer(TERMINATE);
      }
    }));

  it('the server answers 503 while PostgreSQL has no free connection', async () => {
    const { codes } = await runFault(stand, 'connections taken', async () => {
      const admin = await connected('taker');
      const takers: pg.Client[] = [];
      const taking = { isOver: false };
      const take = async (): Promise<void> => {
        while (!taking.isOver) {
          const taker = await connected('taker').catch(() => null);
          if (taker) takers.push(taker);
          else await sleep(1);
        }
      };
      const all = Promise.all([take(), take(), take()]);
      const endMs = performance.now() + SHORT_MS;
      while (performance.now() < endMs) {
        await admin.query(`${TERMINATE} and application_name <> 'taker'`);
        await sleep(20);
      }
      taking.isOver = true;
      await all;
      await Promise.all([admin, ...takers].map((one) => one.end()));
    });
    expect(codes['503 OVERLOADED']).toBeGreaterThan(30);
  });

  it('the server keeps reading and answers writes with 503 while PostgreSQL is read-only', async () => {
    const { reads, codes } = await runFault(stand, 'read only', async () => {
      await reload('set default_transaction_read_only = on');
      await sleep(SHORT_MS);
      const admin = await connected();
      await admin.query('set default_transaction_read_only = off');
      await admin.query('alter system reset default_transaction_read_only');
      await admin.query('select pg_reload_conf()');
      await admin.end();
    });
    expect(codes['503 OVERLOADED']).toBeGreaterThan(0);
    const [good, all] = reads.split('/');
    expect(good).toBe(all);
  });

  it('the server survives a fast restart of PostgreSQL', () =>
    runFault(stand, 'restarted fast', async () => {
      await primary.stop('fast');
      await primary.start();
    }));

  it('the server survives a crash of PostgreSQL', () =>
    runFault(stand, 'restarted immediate', async () => {
      await primary.stop('immediate');
      await primary.start();
    }));

  it('the server recovers as soon as PostgreSQL is back', () =>
    runFault(
      stand,
      'gone',
      async () => {
        await primary.stop('fast');
        await sleep(GONE_MS);
        await primary.start();
      },
      { goneS: GONE_MS / 1_000 },
    ));

  it('the server continues on a promoted standby and leaves one that is not promoted', async () => {
    const standby = await makeStandby(primary, async (copy) => {
      const client = await connected();
      await client.query("select pg_backup_start('standby', true)");
      copy();
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      await client.end();
      return rows[0]?.labelfile ?? '';
    });
    // Removed last, because the primary replicates earlier removals to it.
    closing.unshift(standby.remove);
    await standby.start();
    await reload("set synchronous_standby_names = '*'");
    await until('the standby has what the primary has', async () => {
      const rows = await onServer('select sync_state from pg_stat_replication');
      return rows[0]?.['sync_state'] === 'sync';
    });
    await runFault(stand, 'led to a standby', async () => {
      proxy.lead(standby.port);
      proxy.drop('end');
      await sleep(SHORT_MS);
      // Connections to the standby stay open, as behind a load balancer that does not close them.
      proxy.lead(primary.port);
    });
    await runFault(stand, 'failed over', async () => {
      await primary.stop('immediate');
      for (const each of [proxy, direct]) each.lead(standby.port);
      await onServer("alter system set synchronous_standby_names = ''", standby.url);
      await onServer('select pg_promote()', standby.url);
    });
  });

  it('one process survived all failures and did everything once', async () => {
    await untilDrained(deployment, stand.server);
    expect(await unevenRuns(deployment)).toEqual([]);
    expect(stand.server.child.exitCode).toBeNull();
    expect(await stand.server.stop()).toBe(0);
  });
});
