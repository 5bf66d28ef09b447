// Optional cases of the transport contract. Each needs a part of the stand-in; a subject without the part gives the
// reason in `without`, or the case fails.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import type { Log } from '../../../foundation/log.ts';
import type { SendOutcome } from '../port.ts';
import type { Changes, Oddity, StandIn, TransportCase, TransportSubject, TransportUnderTest } from './stand-in.ts';
import { pause, turns, turnsUntil } from './turns.ts';

/** Maximum delay of an outcome after an abort or a limit, in milliseconds. Source: transports, Contract suite (3). */
export const GRACE_MS = 100;
/** The transport's own time limit in milliseconds, for sends that are not aborted. */
const OWN_LIMIT_MS = 150;
/** Source: transports, Contract suite (6). */
const RESTARTED = 200;
/** Sends during which a transport is closed. Chosen. */
export const CLOSED_AMONG = 200;
const ODD_ANSWERS = ['garbage', 'empty', 'huge'] as const satisfies readonly Oddity[];
/** Maximum bytes kept of an answer of 10 MB. Chosen: far below it, and above other memory growth of the process. */
const KEPT_BYTES = 4_000_000;

/** Fixture of one case: a stand-in, and transports that close with the test. */
export type World<M, S> = {
  readonly standIn: StandIn<M>;
  readonly subject: TransportSubject<M, S>;
  make(changes?: Changes): TransportUnderTest<M, S>;
};

const never = new AbortController().signal;

const hand = <M, S>(to: TransportUnderTest<M, S>, message: M, signal: AbortSignal = never): Promise<SendOutcome> =>
  to.send(message, { signal, attempt: 1 });

/** Returns a part that a case needs. Throws if the subject lacks it. */
export const part = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`There is no \`${name}\`; say why in the subject's \`without\`.`);
  return value;
};

const odd = <M, S>({ standIn }: World<M, S>, oddity: Oddity, id = 'm-1'): M => part(standIn.odd, 'odd')(id, oddity);

/** Waits until a value is reached in a later turn of the event loop; the last check is the assertion. */
const eventually = async (look: () => number, expected: number): Promise<void> => {
  for (let turn = 0; turn < 100 && look() !== expected; turn += 1) await pause(10);
  expect(look()).toBe(expected);
};

const abortedIn = async <M, S>(
  world: World<M, S>,
  transport: TransportUnderTest<M, S>,
  message: M,
): Promise<SendOutcome> => {
  const controller = new AbortController();
  const sending = hand(transport, message, controller.signal);
  await turns(60);
  controller.abort();
  expect(await turnsUntil(sending)).toBeLessThan(GRACE_MS);
  const outcome = await sending;
  await eventually(part(world.standIn.open, 'open'), 0);
  return outcome;
};

/** Bytes in use after garbage collection. */
const usedBytes = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Bytes in use beyond `before`, once a stand-in in the same process has released what it wrote. */
const keptBytes = async (before: number): Promise<number> => {
  for (let turn = 0; turn < 30 && usedBytes() - before >= KEPT_BYTES; turn += 1) await pause(100);
  return usedBytes() - before;
};

const listening = (): { readonly log: Log; readonly lines: () => string } => {
  const lines: string[] = [];
  const keep = (fields: object, text: string): void => {
    const told = Object.entries(fields).map(([key, value]) => `${key}=${value instanceof Error ? value.stack : value}`);
    lines.push(text, JSON.stringify(fields), ...told);
  };
  return { log: { info: keep, warn: keep, error: keep }, lines: () => lines.join('\n') };
};

type Case = { readonly title: string; readonly run: <M, S>(world: World<M, S>) => Promise<void> };

/** Title and test of each case. A title is a promise of the port. */
export const cases: Readonly<Record<TransportCase, Case>> = {
  retryAfter: {
    title: 'the wait of a busy provider is read as seconds or as a date',
    run: async (world) => {
      const transport = world.make();
      for (const oddity of ['wait-seconds', 'wait-date'] as const) {
        const outcome = await hand(transport, odd(world, oddity));
        expect(outcome).toMatchObject({ result: 'retry', retryAfterMs: expect.any(Number) });
        const { retryAfterMs = 0 } = outcome.result === 'retry' ? outcome : {};
        expect(retryAfterMs).toBeGreaterThan(28_000);
        expect(retryAfterMs).toBeLessThanOrEqual(31_000);
      }
    },
  },
  hangingBody: {
    title: 'an answer that does not end is left within 100 ms of an abort, with an unknown outcome',
    run: async (world) => {
      const outcome = await abortedIn(world, world.make(), odd(world, 'hang-body'));
      expect(outcome).toMatchObject({ result: 'retry', processed: 'unknown' });
    },
  },
  silentPeer: {
    title: 'a silent peer is left within 100 ms of an abort, with nothing handed over',
    run: async (world) => {
      await part(world.standIn.silence, 'silence')();
      const outcome = await abortedIn(world, world.make(), world.standIn.message('m-1', 'accept'));
      expect(outcome).toMatchObject({ result: 'retry', processed: 'no' });
    },
  },
  refusedConnection: {
    title: 'a refused connection proves that nothing was handed over',
    run: async (world) => {
      await part(world.standIn.vanish, 'vanish')();
      const outcome = await hand(world.make(), world.standIn.message('m-1', 'accept'));
      expect(outcome).toMatchObject({ result: 'retry', processed: 'no' });
    },
  },
  resets: {
    title: 'a connection that ends before or while the message is read gives a retry',
    run: async (world) => {
      const transport = world.make();
      for (const oddity of ['reset-early', 'reset-midway'] as const) {
        expect(await hand(transport, odd(world, oddity))).toMatchObject({ result: 'retry' });
      }
      expect(world.standIn.arrived()).toEqual([]);
    },
  },
  oddAnswers: {
    title: 'garbage, empty and 10 MB answers cause no exception and are not kept',
    run: async (world) => {
      const transport = world.make();
      const before = usedBytes();
      for (const oddity of ODD_ANSWERS) {
        const outcome = await hand(transport, odd(world, oddity, `m-${oddity}`));
        expect(['accepted', 'retry', 'failed']).toContain(outcome.result);
        expect(JSON.stringify(outcome).length).toBeLessThan(1_000);
      }
      expect(await keptBytes(before)).toBeLessThan(KEPT_BYTES);
      expect(await hand(transport, world.standIn.message('after', 'accept'))).toMatchObject({ result: 'accepted' });
    },
  },
  restart: {
    title: '200 messages during two restarts of the peer are neither lost nor duplicated',
    run: async (world) => {
      const transport = world.make();
      const restart = part(world.standIn.restart, 'restart');
      const ids = Array.from({ length: RESTARTED }, (_, at) => `m-${at}`);
      const sending = ids.map(async (id, at) => {
        await pause(Math.floor(at / 20) * 4);
        const message = world.standIn.message(id, 'accept');
        const first = await hand(transport, message);
        // Retries under the same id, as the work layer does.
        return first.result === 'retry' && first.processed === 'no' ? hand(transport, message) : first;
      });
      for (const _ of [1, 2]) {
        await pause(15);
        await restart();
      }
      const outcomes = await Promise.all(sending);
      const arrived = world.standIn.arrived().map(({ messageId }) => messageId);
      const accepted = ids.filter((_, at) => outcomes[at]?.result === 'accepted');
      const unknown = outcomes.filter((outcome) => outcome.result === 'retry' && outcome.processed === 'unknown');
      expect(accepted.length + unknown.length).toBe(RESTARTED);
      expect(unknown).toEqual([]);
      expect(arrived.toSorted()).toEqual(ids.toSorted());
    },
  },
  ownLimit: {
    title: "a call without an abort ends at the transport's own limit",
    run: async (world) => {
      const transport = world.make({ limitMs: OWN_LIMIT_MS });
      const began = performance.now();
      const sending = hand(transport, world.standIn.message('m-1', 'hang'));
      expect(await turnsUntil(sending)).toBeLessThan(OWN_LIMIT_MS + GRACE_MS);
      expect(performance.now() - began).toBeGreaterThan(OWN_LIMIT_MS - 10);
      expect(await sending).toMatchObject({ result: 'retry' });
    },
  },
  sockets: {
    title: 'closing among many sends leaves no connection and no timer',
    run: async (world) => {
      const connections = part(world.standIn.connections, 'connections');
      const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
      const before = timers();
      const transport = world.make();
      const { many = CLOSED_AMONG } = world.subject;
      const sending = Array.from({ length: Math.min(many, CLOSED_AMONG) }, (_, at) =>
        hand(transport, world.standIn.message(`m-${at}`, 'accept')),
      );
      await pause(5);
      await transport.close();
      await Promise.all(sending);
      expect(timers()).toBeLessThanOrEqual(before);
      await eventually(connections, 0);
    },
  },
  brokenSettings: {
    title: 'each fault in settings names its field and no value',
    run: async (world) => {
      const transport = world.make();
      const check = part(transport.check, 'check').bind(transport);
      const broken = part(world.subject.broken, 'broken');
      expect(broken.length).toBeGreaterThan(0);
      for (const { settings, field } of broken) {
        const problems = check(settings);
        expect(problems.map((problem) => problem.field)).toContain(field);
        for (const secret of world.standIn.secrets) expect(JSON.stringify(problems)).not.toContain(secret);
      }
    },
  },
  logs: {
    title: 'no log line contains address, text or secret',
    run: async (world) => {
      const { log, lines } = listening();
      const transport = world.make({ log });
      const { standIn } = world;
      for (const behaviour of ['accept', 'bounce', 'refuse', 'throttle', 'drop'] as const) {
        await hand(transport, standIn.message(`m-${behaviour}`, behaviour, 'the text of the message'));
      }
      if (standIn.odd) for (const oddity of ODD_ANSWERS) await hand(transport, standIn.odd(`m-${oddity}`, oddity));
      const wrong = world.subject.without?.wrongCredential ? [] : [world.make({ log, credential: 'wrong' })];
      for (const one of wrong) await hand(one, standIn.message('m-wrong', 'accept'));
      for (const word of ['the text of the message', ...standIn.secrets]) expect(lines()).not.toContain(word);
    },
  },
  wrongCredential: {
    title: 'an unknown credential is refused, and the address is not blamed',
    run: async (world) => {
      const transport = world.make({ credential: 'wrong' });
      const outcome = await hand(transport, world.standIn.message('m-1', 'accept'));
      expect(outcome).toMatchObject({ result: 'credential', code: expect.any(String) });
      expect(world.standIn.arrived()).toEqual([]);
    },
  },
  sharing: {
    title: 'two credentials share neither connection nor credential',
    run: async (world) => {
      const cameBy = part(world.standIn.cameBy, 'cameBy');
      const used = async (credential: 'first' | 'second') => {
        const transport = world.make({ credential });
        const ids = Array.from({ length: 20 }, (_, at) => `${credential}-${at}`);
        await Promise.all(ids.map((id) => hand(transport, world.standIn.message(id, 'accept'))));
        const ways = ids.map((id) => cameBy(id));
        return new Set(ways.flatMap(({ connection, credential: by }) => [`c:${connection}`, `k:${by}`]));
      };
      const [first, second] = await Promise.all([used('first'), used('second')]);
      expect(first.size).toBeGreaterThanOrEqual(2);
      expect([...first].filter((way) => second.has(way))).toEqual([]);
    },
  },
  size: {
    title: 'a message at the size limit is sent, and one byte more fails without a request',
    run: async (world) => {
      const sized = part(world.standIn.sized, 'sized');
      const transport = world.make();
      expect(await hand(transport, sized('m-fits', 0))).toMatchObject({ result: 'accepted' });
      expect(await hand(transport, sized('m-over', 1))).toMatchObject({ result: 'failed' });
      expect(world.standIn.arrived().map(({ messageId }) => messageId)).toEqual(['m-fits']);
    },
  },
};
