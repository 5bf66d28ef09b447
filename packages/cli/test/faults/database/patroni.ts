import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../../../core/test/support/free-ports.ts';
import { until } from '../wait.ts';
import { ownFolder, type Program, programAt, startProgram } from './programs.ts';

/** Folders of PostgreSQL servers in Debian, newest last. */
const SERVERS = '/usr/lib/postgresql';
/** TTL of the leader key. Patroni's minimum. Source: Patroni, dynamic configuration settings. */
const TTL_S = 20;
/** Timeout for the creation of two servers, one as a copy of the other. */
const READY_WITHIN_MS = 90_000;

type Node = { readonly port: number; readonly rest: number; readonly data: string; program: Program };

/** Two PostgreSQL servers, one of which is the leader. */
export type Patroni = {
  /** The URL of the leader, for a superuser. */
  url(): string;
  /** Calls `listener` with the port of each new leader, as load balancers query Patroni. */
  onLeader(listener: (port: number) => void): void;
  /** Kills the leader and its Patroni, as a power loss does; resolves when there is another leader. */
  killLeader(): Promise<void>;
  remove(): Promise<void>;
};

/** What is not installed, as text; null: nothing is missing. */
export const missingOfPatroni = (): string | null => {
  for (const name of ['patroni', 'etcd']) if (programAt(name) === null) return `${name} is not installed`;
  return existsSync(SERVERS) ? null : 'no PostgreSQL of the system is installed';
};

const settingsOf = (at: number, { port, rest, data }: Omit<Node, 'program'>, etcd: number, bin: string): string =>
  JSON.stringify({
    scope: 'beckon',
    name: `node${at}`,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ttl: TTL_S, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
        postgresql: { parameters: { max_connections: 60, shared_buffers: '32MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, bin_dir: bin },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      authentication: {
        superuser: { username: 'beckon', password: 'beckon' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      parameters: { unix_socket_directories: '' },
    },
  });

/** Kills a server that may already have ended with its Patroni. */
const endAtOnce = (pidFile: string): void => {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGQUIT');
  } catch {
    // Already ended.
  }
};

/** Starts etcd and two servers; resolves when one is the leader and the other is in sync. */
export const startPatroni = async (): Promise<Patroni> => {
  const { folder, remove } = ownFolder();
  const [etcdPort = 0, etcdPeer = 0, ...ports] = await freePorts(6);
  const bin = join(SERVERS, readdirSync(SERVERS).toSorted().at(-1) ?? '', 'bin');
  const isRole = async ({ rest }: Node, role: string): Promise<boolean> =>
    fetch(`http://127.0.0.1:${rest}/${role}`, { signal: AbortSignal.timeout(500) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const etcd = startProgram(folder, programAt('etcd') ?? '', [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...[
      '--listen-client-urls',
      `http://127.0.0.1:${etcdPort}`,
      '--advertise-client-urls',
      `http://127.0.0.1:${etcdPort}`,
    ],
    ...[
      '--listen-peer-urls',
      `http://127.0.0.1:${etcdPeer}`,
      '--initial-advertise-peer-urls',
      `http://127.0.0.1:${etcdPeer}`,
    ],
    ...['--initial-cluster', `default=http://127.0.0.1:${etcdPeer}`],
  ]);
  await until('etcd answers', async () =>
    fetch(`http://127.0.0.1:${etcdPort}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const startNode = (at: number): Node => {
    const place = { port: ports[2 * at] ?? 0, rest: ports[2 * at + 1] ?? 0, data: join(folder, `data${at}`) };
    const settings = join(folder, `node${at}.yml`);
    writeFileSync(settings, settingsOf(at, place, etcdPort, bin));
    return { ...place, program: startProgram(folder, programAt('patroni') ?? '', [settings]) };
  };
  const nodes: Node[] = [];
  let leader: Node | undefined;
  const listeners: ((port: number) => void)[] = [];
  const look = async (): Promise<void> => {
    for (const node of nodes) {
      if (node === leader || !(await isRole(node, 'primary'))) continue;
      leader = node;
      for (const listener of listeners) listener(node.port);
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), 200);
  const removeAll = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all(nodes.map(({ program }) => program.end()));
    await etcd.end();
    remove();
  };
  try {
    const first = startNode(0);
    nodes.push(first);
    const patience = { withinMs: READY_WITHIN_MS, everyMs: 200 };
    await until('a server leads', () => leader === first, patience);
    const second = startNode(1);
    nodes.push(second);
    await until('the other one follows it', () => isRole(second, 'synchronous'), patience);
  } catch (error) {
    const output = nodes.map(({ program }) => program.output()).join('\n');
    await removeAll();
    throw new Error(`Patroni did not start:\n${etcd.output()}\n${output}`, { cause: error });
  }
  return {
    url: () => `postgres://beckon@127.0.0.1:${leader?.port}/postgres`,
    onLeader: (listener) => void listeners.push(listener),
    killLeader: async () => {
      const dead = leader;
      if (!dead) throw new Error('nobody leads');
      await dead.program.kill();
      endAtOnce(join(dead.data, 'postmaster.pid'));
      nodes.splice(nodes.indexOf(dead), 1);
      await until('another one leads', () => leader !== dead, { withinMs: READY_WITHIN_MS, everyMs: 50 });
    },
    remove: removeAll,
  };
};
