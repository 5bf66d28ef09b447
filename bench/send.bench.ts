// A whole send to stand-ins for each provider, against a loop that only calls the same transport.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Peers, worldOf } from './contenders/send/fixtures.ts';
import { RECEIVERS } from './contenders/send/hooks.ts';
import type { Bench, Setting } from './lib/bench.ts';
import type { Benched } from './lib/benched.ts';
import { startContender } from './lib/contender.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Figures, type Results, series, takeTurns } from './lib/rounds.ts';
import { type Course, openBare, openProduct, type Sender } from './lib/senders.ts';
import { isUnstable, median, ratios } from './lib/statistics.ts';

type Line = {
  readonly provider: Benched;
  readonly says: string;
  /** Messages per turn. Chosen: one or two seconds of the product. */
  readonly count: number;
  /** Of the rate of the transport alone. Source: performance design, G14. */
  readonly limits: { readonly limit: number; readonly stretch: number } | null;
  /** The library of the transport, by itself. */
  readonly library: string;
  /** A package that does the same, if it is installed. */
  readonly peer: string | null;
  readonly isAlsoOnPostgres: boolean;
  /** Of the rate of the transport alone with every gate on. Source: performance design, G14. */
  readonly gated: { readonly limit: number; readonly stretch: number } | null;
};

const ALONE = { peer: null, isAlsoOnPostgres: false, gated: null };
const GATED = { limit: 0.55, stretch: 0.7 };
const LINES: readonly Line[] = [
  {
    ...{ provider: 'apns', says: 'APNs', count: 6_000, limits: { limit: 0.6, stretch: 0.75 } },
    ...{ library: 'node:http2', peer: '@parse/node-apn', isAlsoOnPostgres: true, gated: GATED },
  },
  {
    ...{ provider: 'fcm', says: 'FCM', count: 6_000, limits: { limit: 0.6, stretch: 0.75 } },
    ...{ library: 'node:http2', peer: 'firebase-admin', isAlsoOnPostgres: false, gated: GATED },
  },
  {
    ...{ provider: 'webpush', says: 'Web Push', count: 1_800, limits: { limit: 0.75, stretch: 0.85 } },
    ...{ library: 'web-push sendNotification', ...ALONE },
  },
  {
    ...{ provider: 'smtp', says: 'SMTP', count: 800, limits: { limit: 0.8, stretch: 0.9 } },
    ...{ library: 'nodemailer pool', ...ALONE },
  },
  { ...{ provider: 'twilio', says: 'SMS', count: 2_000, limits: null, library: 'undici form POST' }, ...ALONE },
  {
    ...{ provider: 'webhook', says: 'Webhooks', count: 4_000, limits: { limit: 0.6, stretch: 0.7 } },
    ...{ library: 'undici Pool', peer: null, isAlsoOnPostgres: true, gated: null },
  },
];
/** Share of a turn's messages in turns without gates, and in a quick run. */
const UNGATED_SHARE = 0.4;
const QUICK_SHARE = 0.2;

const nameOf = ({ says }: Line, what: string): string => `${says}: ${what}`;
const TRANSPORT = 'the transport alone';
const SQLITE = 'beckon, sqlite';
const EVERY_GATE = 'beckon, sqlite, quiet hours, a cap and an A/B test on';
const POSTGRES = 'beckon, postgres';

const isInstalled = (name: string): boolean => existsSync(join(places.peers, 'node_modules', name));

/** Opens the senders of a line, one after the other. `opened` contains each opened one, even if another fails. */
const openAll = async (line: Line, course: Course, { options, postgres }: Setting, opened: Sender[]): Promise<void> => {
  const onFile = (what: string, root: string, isGated = false) =>
    openProduct(course, {
      ...{ root, name: nameOf(line, what), isGated },
      file: join(places.work, `send-${what.replaceAll(/\W+/g, '-')}-${line.provider}.db`),
    });
  const fewer = { ...course, count: Math.round(course.count * UNGATED_SHARE) };
  opened.push(await openBare(course, 'transport', nameOf(line, TRANSPORT)));
  opened.push(await onFile(SQLITE, places.root));
  if (line.gated) opened.push(await onFile(EVERY_GATE, places.root, true));
  if (options.also !== undefined) opened.push(await onFile(`also ${options.also}`, options.also));
  if (line.isAlsoOnPostgres && typeof postgres !== 'string') {
    const url = await postgres.create('bench_send');
    opened.push(await openProduct(fewer, { root: places.root, name: nameOf(line, POSTGRES), server: postgres, url }));
  }
  opened.push(await openBare(fewer, 'library', nameOf(line, line.library)));
  if (line.peer !== null && isInstalled(line.peer)) opened.push(await openBare(fewer, 'peer', nameOf(line, line.peer)));
};

const ratioTo = (results: Results, line: Line, name: string, of: string): number[] =>
  ratios(series(results, name, of), series(results, nameOf(line, TRANSPORT), of));
const gateRatio = (results: Results, line: Line): number[] => ratioTo(results, line, nameOf(line, SQLITE), 'rate');

/** Measures one line; senders of the gate again with twice the rounds if the rounds diverge. */
const measure = async (line: Line, course: Course, setting: Setting): Promise<Results> => {
  const { rounds, isFull } = setting.options;
  const senders: Sender[] = [];
  try {
    await openAll(line, course, setting, senders);
    for (const sender of senders) await sender.warmUp();
    const results = await takeTurns(senders, rounds);
    if (!isFull || line.limits === null || !isUnstable(gateRatio(results, line))) return results;
    setting.say(`send: measuring again, with double rounds: ${line.says}`);
    const pair = senders.filter(({ name }) => [TRANSPORT, SQLITE].some((what) => name === nameOf(line, what)));
    return new Map([...results, ...(await takeTurns(pair, 2 * rounds))]);
  } finally {
    await Promise.all(senders.map((sender) => sender.stop()));
  }
};

const HEAD = ['sender', 'messages/s', 'ratio', 'cpu us', 'ratio', 'of it db', 'loop p99', 'rss MB', 'stand-in cpu %'];

const rowsOf = (results: Results, line: Line): string[][] =>
  [...results.keys()].map((name) => {
    const middle = (of: string): string => figure(median(series(results, name, of)));
    const ratio = (of: string): string => figure(median(ratioTo(results, line, name, of)));
    return [
      isUnstable(ratioTo(results, line, name, 'rate')) ? `${name} UNSTABLE` : name,
      ...[middle('rate'), ratio('rate'), middle('cpuUs'), ratio('cpuUs'), middle('serverUs')],
      ...[middle('loopP99Ms'), middle('rssMb'), middle('standInShare')],
    ];
  });

const gateOf = (results: Results, line: Line): Gate[] => {
  if (!line.limits) return [];
  const { limit, stretch } = line.limits;
  const says = `${line.says}, a whole send, of the transport alone: messages per second`;
  const whole = ratioGate(`G14.${line.provider}`, says, gateRatio(results, line), 'at least', limit, stretch);
  if (!line.gated) return [whole];
  const every = ratioTo(results, line, nameOf(line, EVERY_GATE), 'rate');
  const gatedSays = `${line.says}, with quiet hours, a cap and an A/B test on: messages per second`;
  const { limit: least, stretch: wanted } = line.gated;
  return [whole, ratioGate(`G14.${line.provider}.gated`, gatedSays, every, 'at least', least, wanted)];
};

const NOTES = [
  'a turn: messages to users with a profile and, for push, a device; accepted and expanded before it, 100 per send; from the start of the worker until every outcome is on disk (synchronous=FULL, postgres: synchronous_commit=on); counted in the database and at the stand-in',
  'the transport alone: the same transport in a loop, with as many calls at once as it takes; below it the library that it is made of, without limits of time and number, and other senders; whatever has no gate sends fewer messages',
  'the stand-in: a process of its own that takes everything, counts ids, verifies nothing and answers at once; it reads HTTP/2 and SMTP by hand, because node:http2 and smtp-server take half as long for a message as the client, or more',
  'quiet hours, a cap and an A/B test: on for every message, and none of them stops one',
  `webhooks: ${RECEIVERS} of them are told of each identify call, at most 8 calls at once to each; deliveries are written before the turn; the transport alone is the guarded client, which signs nothing`,
];

const skipsOf = ({ postgres }: Setting): string[] => [
  ...(typeof postgres === 'string' ? [`APNs and webhooks on postgres: ${postgres}`] : []),
  ...LINES.flatMap(({ peer }) => (peer === null || isInstalled(peer) ? [] : [`${peer}: not installed in bench/peers`])),
];

/** Messages per second and CPU of sending. Gate: G14. */
export const send: Bench = async (setting) => {
  const { rounds, isQuick } = setting.options;
  const countOf = (line: Line): number => Math.round(line.count * (isQuick ? QUICK_SHARE : 1));
  const all = new Map<string, readonly Figures[]>();
  const table: string[][] = [HEAD];
  const gates: Gate[] = [];
  const standIn = startContender('send-stand-in');
  try {
    const world = worldOf(await standIn.ask<Peers>('start'));
    for (const line of LINES) {
      const { provider, says } = line;
      setting.say(`send: ${says}, ${countOf(line)} messages a turn`);
      const results = await measure(line, { provider, count: countOf(line), world, standIn }, setting);
      for (const [name, turns] of results) all.set(name, turns);
      table.push(...rowsOf(results, line));
      gates.push(...gateOf(results, line));
    }
  } finally {
    await standIn.stop();
  }
  return {
    name: 'send',
    about: `rounds ${rounds} x ${LINES.map((line) => `${countOf(line)} ${line.says}`).join(', ')}   median of the rounds`,
    table,
    notes: NOTES,
    skips: skipsOf(setting),
    gates,
    results: all,
  };
};
