import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { World } from '../contenders/send/fixtures.ts';
import type { Ended } from '../contenders/send/service.ts';
import type { Start } from '../contenders/send.ts';
import type { Start as BareStart, Done } from '../contenders/send-bare.ts';
import type { Seen } from '../contenders/send-stand-in.ts';
import type { Benched } from './benched.ts';
import { type Contender, startContender } from './contender.ts';
import { places } from './places.ts';
import type { Postgres } from './postgres.ts';
import { type Figures, type Racer, VoidRun } from './rounds.ts';

/** Common parts of all senders of one line. */
export type Course = {
  readonly provider: Benched;
  /** Messages, or deliveries, per turn. */
  readonly count: number;
  readonly world: World;
  readonly standIn: Contender;
};

/** A sender in a separate process. */
export type Sender = Racer & {
  /** A discarded turn with half of the messages. */
  warmUp(): Promise<void>;
  stop(): Promise<void>;
};

/** Maximum duration of a turn's messages, in milliseconds. Chosen: far above any valid turn. */
const LIMIT_MS = 60_000;
const POLL_MS = 1;

/** The rows of a product, read directly. */
type Rows = {
  /** Messages that are still to be sent. */
  due(): Promise<number>;
  /** Messages that were sent at their first attempt. */
  sent(): Promise<number>;
  close(): Promise<void>;
};
const MESSAGES = {
  due: 'select count(*) from messages where due_at is not null',
  sent: "select count(*) from messages where status = 'sent' and attempt = 1",
};
const DELIVERIES = {
  due: 'select count(*) from webhook_deliveries where due_at is not null',
  sent: "select count(*) from webhook_deliveries where status = 'delivered' and attempts = 1",
};

const sqliteRows = (file: string, asked: typeof MESSAGES): Rows => {
  const database = new Database(file, { readonly: true });
  const [due, sent] = [asked.due, asked.sent].map((text) => database.prepare(text).pluck());
  return {
    due: async () => Number(due?.get()),
    sent: async () => Number(sent?.get()),
    close: async () => {
      database.close();
    },
  };
};
/** Over one connection, because the server's cost of opening another would count as the product's. */
const postgresRows = async (connectionString: string, asked: typeof MESSAGES): Promise<Rows> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const count = async (text: string): Promise<number> =>
    Number((await client.query<{ count: string }>(text)).rows[0]?.count);
  return { due: () => count(asked.due), sent: () => count(asked.sent), close: () => client.end() };
};

const expectArrived = (name: string, { total, distinct }: Seen, count: number): void => {
  if (total !== count || distinct !== count)
    throw new VoidRun(`${name}: ${count} messages were to be sent, ${total} arrived, ${distinct} of them different`);
};

const figuresOf = (count: number, wallMs: number, used: Done | Ended, seen: Seen, serverUs = 0): Figures => ({
  rate: (count * 1_000) / wallMs,
  cpuUs: (used.cpuUs + serverUs) / count,
  serverUs: serverUs / count,
  loopP99Ms: used.loopP99Ms,
  rssMb: used.maxRssMb,
  standInShare: (100 * seen.cpuUs) / (wallMs * 1_000),
});

/** Starts a program and returns it when it is ready; stops it if `ready` fails. */
const started = async <Ready>(program: string, ready: (contender: Contender) => Promise<Ready>): Promise<Ready> => {
  const contender = startContender(program);
  try {
    return await ready(contender);
  } catch (error) {
    await contender.stop();
    throw error;
  }
};

const half = (count: number): number => Math.ceil(count / 2);

/** A loop that only sends. */
export const openBare = (course: Course, over: BareStart['over'], name: string): Promise<Sender> =>
  started('send-bare', async (contender) => {
    const { provider, count, world, standIn } = course;
    const argument: BareStart = { provider, world, over, root: places.root, peers: places.peers };
    await contender.ask('start', argument);
    const turn = async (messages: number): Promise<Figures> => {
      await standIn.ask('begin');
      const used = await contender.ask<Done>('run', messages);
      const seen = await standIn.ask<Seen>('end');
      expectArrived(name, seen, messages);
      return figuresOf(messages, used.wallMs, used, seen);
    };
    return {
      name,
      turn: () => turn(count),
      warmUp: async () => {
        await turn(half(count));
      },
      stop: contender.stop,
    };
  });

/** The database of a product: a SQLite file, or a database of a server. */
export type Place = {
  readonly root: string;
  readonly name: string;
  /** Quiet hours, a frequency cap and an A/B test are on, and stop nothing. */
  readonly isGated?: boolean;
} & ({ readonly file: string } | { readonly server: Postgres; readonly url: string });

/** The built product. It sends already accepted messages until every outcome is on disk. */
export const openProduct = (course: Course, place: Place): Promise<Sender> => {
  const { provider, count, world, standIn } = course;
  const isHook = provider === 'webhook';
  return started(isHook ? 'send-webhooks' : 'send', async (contender) => {
    const { root, name, isGated = false } = place;
    const server = 'server' in place ? place.server : null;
    const db = 'file' in place ? `sqlite:${place.file}` : place.url;
    const common = { root, db, world };
    await contender.ask('start', isHook ? common : ({ ...common, provider, users: count, isGated } satisfies Start));
    const asked = isHook ? DELIVERIES : MESSAGES;
    const rows = 'file' in place ? sqliteRows(place.file, asked) : await postgresRows(place.url, asked);
    // As a server does by itself within a minute: without statistics it reads all devices for each user.
    const analyze = async (): Promise<void> => server?.analyze(db);
    await analyze();

    const settled = async (messages: number): Promise<void> => {
      const untilMs = performance.now() + LIMIT_MS;
      if (!(await standIn.ask<boolean>('reached', { count: messages, limitMs: LIMIT_MS }))) return;
      while ((await rows.due()) > 0 && performance.now() < untilMs) await sleep(POLL_MS);
    };
    const turn = async (messages: number): Promise<Figures> => {
      await contender.ask('accept', messages);
      const before = await rows.sent();
      await standIn.ask('begin');
      const serverBefore = server?.cpuUs() ?? 0;
      const startMs = performance.now();
      await contender.ask('begin');
      await settled(messages);
      const wallMs = performance.now() - startMs;
      const serverUs = (server?.cpuUs() ?? 0) - serverBefore;
      const used = await contender.ask<Ended>('end');
      const seen = await standIn.ask<Seen>('end');
      await contender.ask('rest');
      await server?.settle();
      const [problem] = used.problems;
      if (problem !== undefined) throw new VoidRun(`${name}: ${problem}`);
      expectArrived(name, seen, messages);
      const sent = (await rows.sent()) - before;
      if (sent !== messages)
        throw new VoidRun(`${name}: ${messages} messages arrived and ${sent} are recorded as sent`);
      return figuresOf(messages, wallMs, used, seen, serverUs);
    };
    return {
      name,
      turn: () => turn(count),
      warmUp: async () => {
        await turn(half(count));
        await analyze();
      },
      stop: async () => {
        await rows.close();
        await contender.stop();
      },
    };
  });
};
