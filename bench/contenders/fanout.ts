// A push to a segment until all of its messages are rows: by the product's expansion, or by hand. Nothing is sent, so
// that expansion never waits.
import Database from 'better-sqlite3';
import { write } from '../../packages/core/src/database/commit/write-set.ts';
import { openDatabase } from '../../packages/core/src/database/open.ts';
import type { Storage } from '../../packages/core/src/database/storage.ts';
import { systemClock } from '../../packages/core/src/foundation/clock.ts';
import { uuidV7Ids } from '../../packages/core/src/foundation/ids.ts';
import { emailChannel } from '../../packages/core/src/messaging/email/email.ts';
import { pushChannel } from '../../packages/core/src/messaging/push/channel.ts';
import { planSends } from '../../packages/core/src/messaging/sends/accept/accept.ts';
import { expander } from '../../packages/core/src/messaging/sends/expand/expand.ts';
import { finalizer } from '../../packages/core/src/messaging/sends/finalize/finalize.ts';
import type { SendRequest } from '../../packages/core/src/messaging/sends/schema.ts';
import { sendingStore } from '../../packages/core/src/messaging/sends/store.ts';
import { smsChannel } from '../../packages/core/src/messaging/sms/sms.ts';
import { audiencesForSends } from '../../packages/core/src/people/audiences/sends/sends.ts';
import { processContext } from '../../packages/core/test/support/jobs/process-context.ts';
import { answerParent } from '../lib/child.ts';
import { atRate } from '../lib/pace.ts';
import type { Tail } from '../lib/statistics.ts';
import { rawPostgres, rawSqlite } from './fanout/raw.ts';
import { AUDIENCE, countMessages, emptyMessages, fillPeople, SCOPE } from './fanout/rows.ts';
import { rowMaker, vocabularyOf } from './store/rows.ts';

export type Side = 'raw' | 'plain' | 'product';
export type Make = { readonly url: string; readonly people: number };
export type Start = Make & { readonly side: Side };
export type Done = {
  readonly wallMs: number;
  readonly cpuUs: number;
  /** Longest batch: the time in which the writer does nothing else. */
  readonly longestMs: number;
  /** From acceptance to the first messages. */
  readonly firstMs: number;
  /** Delay of an event's commit, at a fixed rate beside it; NaN without events. */
  readonly eventP99Ms: number;
  readonly allP99Ms: number;
};

/** Events per second beside the expansion. Chosen: some tenth of the capacity of two cores. */
const EVENTS_PER_SECOND = 400;
const LEASE_MS = 600_000;
const clock = systemClock;
const ids = uuidV7Ids(clock);

type Running = {
  readonly storage: Storage;
  readonly people: number;
  expand(took: (ms: number) => void): Promise<void>;
  /** Deletes the rows of a turn, and flushes to disk now, not in the next turn. */
  settle(): Promise<void>;
  count(): Promise<readonly [number, number]>;
  event(): Promise<void>;
};
let running: Running | undefined;

const productOf = (storage: Storage, { tables, hot: all }: ReturnType<typeof vocabularyOf>) => {
  const hot = all.sending;
  const scopes = {
    load: async () => {
      throw new Error('nobody is asked for by a raw token');
    },
  };
  const push = pushChannel({ storage, tables, scopes });
  const channels = { push, email: emailChannel(), sms: smsChannel() };
  const audiences = audiencesForSends({ storage, tables });
  const store = sendingStore({ db: storage.db, dialect: storage.dialect, tables });
  const plan = planSends(hot, channels);
  const emission = {
    hasSubscribers: () => false,
    emit: () => ({ writes: [], wakes: [] }),
    publish: () => ({ writes: [], wakes: [] }),
  };
  const lookup = { addresses: () => new Map(), missing: () => null, refusal: () => null, emission };
  const makeWork = (timed: Storage) =>
    expander({
      ...{ storage: timed, tables, store, hot, clock, ids, channels, audiences },
      loadProfiles: async () => new Map(),
      backlog: { cleared: async () => undefined },
      finalize: finalizer({ storage: timed, hot, reactions: [] }),
      endSend: async () => ({ writes: [], wakes: [] }),
    });
  return async (took: (ms: number) => void): Promise<void> => {
    const request: SendRequest = {
      channel: 'push',
      source: 'audience',
      class: 'marketing',
      title: 'Hi',
      content: { title: 'Hi' },
      variables: {},
      recipients: [],
      audienceId: AUDIENCE,
    };
    const members = (await audiences.find(SCOPE, AUDIENCE))?.members ?? 0;
    const { writes } = plan(SCOPE, request, { profiles: new Map(), lookup, addressCount: members }, clock.now(), ids);
    await storage.commit({ writes });
    const timed: Storage = {
      ...storage,
      commit: async (set) => {
        const start = performance.now();
        const done = await storage.commit(set);
        if (set.writes.some(({ bulk }) => bulk.id === 'sending.fill')) took(performance.now() - start);
        return done;
      },
    };
    const work = makeWork(timed);
    const rows = await storage.claim(work.claim, 1, LEASE_MS);
    await work.process(rows, () => undefined, processContext());
  };
};

/** Creates the database and closes it, so that it can be copied without connections. */
const make = async ({ url, people }: Make): Promise<void> => {
  const { storage, dialect, migrate } = await openDatabase({ url });
  await migrate();
  await fillPeople(storage, vocabularyOf(dialect).tables, url, people);
  await storage.close();
};

/** Checkpoints the whole WAL of a file, and truncates it. */
const toDisk = (file: string): void => {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
};

const start = async ({ side, url, people }: Start): Promise<void> => {
  const { storage, dialect } = await openDatabase({ url });
  const vocabulary = vocabularyOf(dialect);
  const { tables, hot } = vocabulary;
  const rows = rowMaker();
  const isPlain = side === 'plain';
  const raw =
    side === 'product'
      ? null
      : dialect === 'sqlite'
        ? rawSqlite(url.slice('sqlite:'.length), isPlain)
        : await rawPostgres(url, isPlain);
  const product = productOf(storage, vocabulary);
  running = {
    storage,
    people,
    expand: (took) => (raw ? raw.run(ids.next(), people, took) : product(took)),
    settle: async () => {
      await emptyMessages(storage, tables);
      if (dialect === 'sqlite') toDisk(url.slice('sqlite:'.length));
    },
    count: () => countMessages(storage, tables),
    event: async () => {
      const [row] = rows.events(1);
      if (row) await storage.commit({ writes: [write(hot.events.insertEvent, row)] });
    },
  };
};

const run = async ({ isBusy }: { readonly isBusy: boolean }): Promise<Done> => {
  if (!running) throw new Error('not started');
  const ended = isBusy ? atRate(EVENTS_PER_SECOND, running.event) : null;
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  let [longestMs, firstMs] = [0, Number.NaN];
  await running.expand((ms) => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - startMs;
    longestMs = Math.max(longestMs, ms);
  });
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  const { p99: eventP99Ms, ofAll: allP99Ms } = ended ? await ended() : { p99: Number.NaN, ofAll: Number.NaN };
  const [rows, people] = await running.count();
  if (rows !== running.people || people !== rows) throw new Error(`${rows} messages of ${people} people were made`);
  return { wallMs, cpuUs: user + system, longestMs, firstMs, eventP99Ms, allP99Ms };
};

/** Events alone, for this time. */
const idle = async ({ ms }: { readonly ms: number }): Promise<Tail> => {
  if (!running) throw new Error('not started');
  const ended = atRate(EVENTS_PER_SECOND, running.event);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ended();
};

const settle = async (): Promise<void> => running?.settle();

answerParent({ make, start, settle, run, idle });
