// pg-boss: batches fetched and completed by hand. Its own worker is not used: stopped and started between two rounds,
// it left an added job waiting for longer than 30 s.
import pg from 'pg';
import { type Countdown, countdown, expectCount, type Payload, peerModule } from './worker/peer.ts';
import { answerAs, type Side, type Start } from './worker/side.ts';

type Job = { id: string; data: Payload };
/** The part of pg-boss 12 that is used here. */
type Boss = {
  on(event: 'error', listener: (error: unknown) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  insert(name: string, jobs: { data: Payload }[]): Promise<unknown>;
  deleteAllJobs(name: string): Promise<void>;
  fetch(name: string, options: { batchSize: number }): Promise<Job[]>;
  complete(name: string, ids: string[]): Promise<unknown>;
};
type PgBoss = { PgBoss: new (options: { connectionString: string; max: number }) => Boss };

/** Source: performance design, the worker benchmark. */
const BATCH = 250;
const LOOPS = 4;
const QUEUE = 'nothing';

const open = async ({ url, peers }: Start): Promise<Side> => {
  // Safe: the package is pinned, and the types above describe the used part.
  const { PgBoss } = peerModule(peers, 'pg-boss') as PgBoss;
  const boss = new PgBoss({ connectionString: url, max: 10 });
  let failed: (error: unknown) => void = () => undefined;
  boss.on('error', (error) => failed(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  let turn: Countdown | undefined;
  const work = async (own: Countdown): Promise<void> => {
    for (;;) {
      const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
      if (jobs.length === 0) return;
      for (const { data } of jobs) own.handled(data.at);
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
    }
  };
  return {
    fill: async (count) => {
      await boss.deleteAllJobs(QUEUE);
      const jobs = Array.from({ length: count }, (_, at) => ({ data: { at, key: '' } }));
      for (let at = 0; at < count; at += 1_000) await boss.insert(QUEUE, jobs.slice(at, at + 1_000));
    },
    run: async (count) => {
      const own = countdown(count);
      turn = own;
      failed = own.failed;
      own.all.catch(() => undefined);
      await Promise.all(Array.from({ length: LOOPS }, () => work(own)));
      return own.total();
    },
    check: async (count) => {
      turn?.check();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const text = "select count(*) as n from pgboss.job where name = $1 and state = 'completed'";
      const { rows } = await client.query<{ n: string }>(text, [QUEUE]).finally(() => client.end());
      expectCount(rows[0]?.n, count, 'jobs completed');
    },
  };
};

answerAs(open);
