// plainjob on its own SQLite file, with the pragmas that it sets itself.
import Database from 'better-sqlite3';
import { type Countdown, countdown, expectCount, type Payload, peerModule } from './worker/peer.ts';
import { answerAs, type Side, type Start } from './worker/side.ts';

type Job = { data: string };
/** The part of plainjob 0.0.14 that is used here. */
type Queue = {
  add(type: string, data: Payload): unknown;
  addMany(type: string, data: Payload[]): unknown;
  countJobs(which: { type: string; status: number }): number;
};
type Worker = { start(): Promise<void>; stop(): Promise<void> };
type Plainjob = {
  better(database: Database.Database): unknown;
  defineQueue(options: { connection: unknown; logger: unknown }): Queue;
  defineWorker(
    type: string,
    handler: (job: Job) => Promise<void>,
    options: { queue: Queue; logger: unknown; onCompleted?: () => void; onFailed?: (job: Job, error: string) => void },
  ): Worker;
};

const DONE = 2;
const none = (): void => undefined;
const logger = { error: none, warn: none, info: none, debug: none };

// Safe: the queue writes its input as JSON.
const payloadOf = ({ data }: Job): Payload => JSON.parse(data) as Payload;

const open = async ({ url, peers }: Start): Promise<Side> => {
  // Safe: the package is pinned, and the types above describe the used part.
  const { better, defineQueue, defineWorker } = peerModule(peers, 'plainjob') as Plainjob;
  const database = new Database(url.slice('sqlite:'.length));
  const queue = defineQueue({ connection: better(database), logger });
  let turn: Countdown | undefined;
  return {
    fill: async (count) => {
      database.exec('delete from plainjob_jobs');
      const jobs = Array.from({ length: count }, (_, at) => ({ at, key: '' }));
      queue.addMany('nothing', jobs);
    },
    run: async (count) => {
      const own = countdown(count);
      turn = own;
      const worker = defineWorker('nothing', async (job) => own.handled(payloadOf(job).at), {
        queue,
        logger,
        onCompleted: () => own.ended(1),
        onFailed: (_, error) => own.failed(new Error(error)),
      });
      const running = worker.start();
      await own.all.finally(() => worker.stop());
      await running;
      return own.total();
    },
    check: async (count) => {
      turn?.check();
      expectCount(queue.countJobs({ type: 'nothing', status: DONE }), count, 'jobs done');
    },
    idle: async (started) => {
      const worker = defineWorker('idle', async (job) => started(payloadOf(job).key), { queue, logger });
      const running = worker.start();
      return {
        add: async (key) => queue.add('idle', { at: 0, key }),
        stop: async () => {
          await worker.stop();
          await running;
        },
      };
    },
  };
};

answerAs(open);
