// graphile-worker: with defaults, and tuned for throughput according to its documentation.
import pg from 'pg';
import { type Countdown, countdown, expectCount, type Payload, peerModule } from './worker/peer.ts';
import { answerAs, type Side, type Start } from './worker/side.ts';

/** The part of graphile-worker 0.18 that is used here. */
type Options = {
  pgPool: pg.Pool;
  concurrency: number;
  noHandleSignals: true;
  logger: unknown;
  taskList: Readonly<Record<string, (payload: unknown) => Promise<void>>>;
  preset?: { worker: { localQueue: { size: number }; completeJobBatchDelay: number; failJobBatchDelay: number } };
};
type Runner = {
  events: { on(event: 'job:error', listener: (told: { error: unknown }) => void): void };
  addJob(task: string, payload: Payload): Promise<unknown>;
  stop(): Promise<void>;
};
type Utils = {
  migrate(): Promise<void>;
  addJobs(jobs: { identifier: string; payload: Payload }[]): Promise<unknown>;
};
type Graphile = {
  run(options: Options): Promise<Runner>;
  makeWorkerUtils(options: { pgPool: pg.Pool; logger: unknown }): Promise<Utils>;
  Logger: new (factory: () => () => void) => unknown;
};

/** Concurrent jobs, and a pool with a connection for each and one that listens. Source: performance design, peers. */
const CONCURRENCY = 24;
/** Source: performance design, the worker benchmark. */
const TUNED = { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } };
const TASK = 'nothing';
/** Chosen. */
const FILL_BATCH = 1_000;

const open = async ({ url, way, peers }: Start): Promise<Side> => {
  // Safe: the package is pinned, and the types above describe the used part.
  const graphile = peerModule(peers, 'graphile-worker') as Graphile;
  const logger = new graphile.Logger(() => () => undefined);
  const pgPool = new pg.Pool({ connectionString: url, max: CONCURRENCY + 2 });
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  const utils = await graphile.makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const preset = way === 'tuned' ? { preset: TUNED } : {};
  const start = (task: (payload: Payload) => void): Promise<Runner> => {
    // Safe: this file adds every payload.
    const taskList = { [TASK]: async (payload: unknown) => task(payload as Payload) };
    return graphile.run({ pgPool, concurrency: CONCURRENCY, noHandleSignals: true, logger, taskList, ...preset });
  };
  const left = async (): Promise<number> => {
    const { rows } = await pgPool.query<{ n: string }>('select count(*) as n from graphile_worker._private_jobs');
    return Number(rows[0]?.n);
  };
  /** Its events come before a finished job is deleted. */
  const emptied = async (): Promise<void> => {
    while ((await left()) > 0);
  };
  let turn: Countdown | undefined;
  return {
    fill: async (count) => {
      await pgPool.query('truncate graphile_worker._private_jobs');
      const jobs = Array.from({ length: count }, (_, at) => ({ identifier: TASK, payload: { at, key: '' } }));
      for (let at = 0; at < count; at += FILL_BATCH) await utils.addJobs(jobs.slice(at, at + FILL_BATCH));
      // Connections are opened before the turn, as in a running worker.
      const clients = await Promise.all(Array.from({ length: CONCURRENCY + 1 }, () => pgPool.connect()));
      for (const client of clients) client.release();
    },
    run: async (count) => {
      const own = countdown(count);
      turn = own;
      const runner = await start(({ at }) => {
        own.handled(at);
        own.ended(1);
      });
      runner.events.on('job:error', ({ error }) => own.failed(error));
      await own.all.then(emptied).finally(() => runner.stop());
      return own.total();
    },
    check: async () => {
      turn?.check();
      expectCount(await left(), 0, 'jobs left');
    },
    idle: async (started) => {
      const runner = await start(({ key }) => started(key));
      return { add: (key) => runner.addJob(TASK, { at: 0, key }), stop: () => runner.stop() };
    },
  };
};

answerAs(open);
