import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { places } from './places.ts';
import type { Postgres } from './postgres.ts';
import type { QueuePlan } from './queues.ts';
import type { Redis } from './redis.ts';

export const GRAPHILE = 'graphile-worker';
export const BULLMQ = 'bullmq';

/** Another queue, if it is installed. */
type Peer = {
  readonly name: string;
  readonly packages: readonly string[];
  /** Program of `contenders`. */
  readonly program: string;
  readonly needs: 'postgres' | 'redis' | 'file';
  /** Each with its jobs per turn; slower ones have fewer. */
  readonly ways: readonly { readonly way: string; readonly jobs: number }[];
  /** Latencies per turn, few if polling decides; null: they are not measured. */
  readonly starts: number | null;
};

const PEERS: readonly Peer[] = [
  {
    name: GRAPHILE,
    packages: [GRAPHILE],
    program: 'worker-graphile',
    needs: 'postgres',
    ways: [
      { way: 'default', jobs: 800 },
      { way: 'tuned', jobs: 12_000 },
    ],
    starts: 15,
  },
  {
    name: 'pg-boss',
    packages: ['pg-boss'],
    program: 'worker-pg-boss',
    needs: 'postgres',
    ways: [{ way: 'batches', jobs: 10_000 }],
    starts: null,
  },
  {
    name: BULLMQ,
    packages: [BULLMQ, 'ioredis'],
    program: 'worker-bullmq',
    needs: 'redis',
    ways: [{ way: 'default', jobs: 4_000 }],
    starts: 40,
  },
  {
    name: 'plainjob',
    packages: ['plainjob'],
    program: 'worker-plainjob',
    needs: 'file',
    ways: [{ way: 'default', jobs: 3_000 }],
    starts: 15,
  },
];

/** The name of a contender in a gate. */
export const peerName = (name: string, way: string): string => `${name}, ${way}`;

const folderOf = (name: string): string => join(places.peers, 'node_modules', name);

/** The version in the folder of peers. Throws if there is none. */
export const peerVersion = (name: string): string =>
  // Safe: npm writes it.
  (JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as { version: string }).version;

type Resource = Pick<QueuePlan, 'server'> & { url(way: string): Promise<string> };

/** Where a peer stores its jobs, or why it cannot. */
const resourceOf = ({ name, needs }: Peer, postgres: Postgres | string, redis: Redis | string): Resource | string => {
  switch (needs) {
    case 'postgres':
      if (typeof postgres === 'string') return postgres;
      return { server: postgres, url: (way) => postgres.create(`bench_${name.replaceAll('-', '_')}_${way}`) };
    case 'redis':
      return typeof redis === 'string' ? redis : { server: redis, url: async () => redis.url };
    case 'file':
      return { url: async (way) => `sqlite:${join(places.work, `${name}-${way}.db`)}` };
  }
};

/** Plans for the peers that can run, and a sentence for each that cannot. */
export const peerPlans = async (
  postgres: Postgres | string,
  redis: Redis | string,
): Promise<{ readonly plans: readonly QueuePlan[]; readonly skips: readonly string[] }> => {
  const plans: QueuePlan[] = [];
  const skips: string[] = [];
  for (const peer of PEERS) {
    const { name, packages, program, ways, starts } = peer;
    const missing = packages.filter((one) => !existsSync(folderOf(one)));
    const resource =
      missing.length > 0 ? `${missing.join(' and ')} not installed in bench/peers` : resourceOf(peer, postgres, redis);
    if (typeof resource === 'string') skips.push(`${name}: ${resource}`);
    else
      for (const { way, jobs } of ways) {
        const [first] = ways;
        const one = { name: peerName(name, way), program, way, url: await resource.url(way), jobs };
        plans.push({ ...one, starts: first?.way === way ? starts : null, server: resource.server });
      }
  }
  return { plans, skips };
};
