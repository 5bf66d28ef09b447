// BullMQ over the Redis server that the run starts.
import { type Countdown, countdown, expectCount, type Payload, peerModule } from './worker/peer.ts';
import { answerAs, type Side, type Start } from './worker/side.ts';

type Connection = { host: string; port: number; maxRetriesPerRequest: null };
type Job = { data: Payload };
/** The part of BullMQ 6 that is used here. */
type Queue = {
  waitUntilReady(): Promise<unknown>;
  obliterate(options: { force: true }): Promise<void>;
  add(name: string, data: Payload, options: Keep): Promise<unknown>;
  addBulk(jobs: { name: string; data: Payload; opts: Keep }[]): Promise<unknown>;
  getJobCounts(): Promise<Record<string, number>>;
};
type Worker = {
  on(event: 'completed', listener: () => void): void;
  on(event: 'failed' | 'error', listener: (...told: unknown[]) => void): void;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
};
type BullMq = {
  Queue: new (name: string, options: { connection: Connection }) => Queue;
  Worker: new (
    name: string,
    handler: (job: Job) => Promise<void>,
    options: { connection: Connection; concurrency: number; autorun: false },
  ) => Worker;
};
/** Finished jobs are deleted, which is cheaper than keeping them. */
type Keep = { removeOnComplete: true };
const KEEP: Keep = { removeOnComplete: true };

/** Source: performance design, the worker benchmark. */
const CONCURRENCY = 100;

const open = async ({ url, peers }: Start): Promise<Side> => {
  // Safe: the package is pinned, and the types above describe the used part.
  const { Queue, Worker } = peerModule(peers, 'bullmq') as BullMq;
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queueOf = async (name: string): Promise<Queue> => {
    const queue = new Queue(name, { connection });
    await queue.waitUntilReady();
    return queue;
  };
  const queue = await queueOf('nothing');
  const idleQueue = await queueOf('idle');
  const worker = async (name: string, handler: (job: Job) => Promise<void>): Promise<Worker> => {
    const made = new Worker(name, handler, { connection, concurrency: CONCURRENCY, autorun: false });
    await made.waitUntilReady();
    return made;
  };
  let turn: Countdown | undefined;
  let ready: Worker | undefined;
  return {
    fill: async (count) => {
      await queue.obliterate({ force: true });
      const jobs = Array.from({ length: count }, (_, at) => ({ name: 'job', data: { at, key: '' }, opts: KEEP }));
      for (let at = 0; at < count; at += 1_000) await queue.addBulk(jobs.slice(at, at + 1_000));
      const own = countdown(count);
      turn = own;
      ready = await worker('nothing', async ({ data }) => own.handled(data.at));
      ready.on('completed', () => own.ended(1));
      ready.on('failed', (_, error) => own.failed(error));
      ready.on('error', (error) => own.failed(error));
    },
    run: async () => {
      const own = turn;
      const one = ready;
      if (!own || !one) throw new Error('nothing was filled');
      one.run().catch(own.failed);
      await own.all;
      return own.total();
    },
    check: async () => {
      await ready?.close();
      turn?.check();
      const counts = await queue.getJobCounts();
      expectCount(
        Object.values(counts).reduce((sum, one) => sum + one, 0),
        0,
        'jobs left',
      );
    },
    idle: async (started) => {
      const one = await worker('idle', async ({ data }) => started(data.key));
      one.on('error', () => undefined);
      const running = one.run();
      return {
        add: (key) => idleQueue.add('job', { at: 0, key }, KEEP),
        stop: async () => {
          await one.close();
          await running;
        },
      };
    },
  };
};

answerAs(open);
