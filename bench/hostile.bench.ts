// How long one request with a public key can block the event loop.
import { join } from 'node:path';
import {
  FULL_PEOPLE,
  fillingCalls,
  type HostileRequest,
  hostileRequests,
} from '../packages/core/test/support/hostile.ts';
import type { Hold, Start, Started } from './contenders/hostile.ts';
import type { Bench } from './lib/bench.ts';
import { type Contender, startContender } from './lib/contender.ts';
import type { Gate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Racer, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { median } from './lib/statistics.ts';

/** Source: performance design, G27. */
const LIMIT_MS = 25;
const STRETCH_MS = 10;

const post = async ({ url, key }: Started, { path, body }: HostileRequest): Promise<number> => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body });
  await response.text();
  if (response.status >= 500) throw new VoidRun(`${path} was answered ${response.status}`);
  return response.status;
};

const racerOf = (service: Contender, started: Started, request: HostileRequest): Racer => ({
  name: request.says,
  turn: async () => {
    await service.ask('begin');
    const status = await post(started, request);
    return { ...(await service.ask<Hold>('end')), status };
  },
});

/** Longest blocks of the event loop by one request. Gate: G27. */
export const hostile: Bench = async ({ options, say }) => {
  const service = startContender('hostile');
  try {
    say('hostile: starting');
    const argument: Start = { root: places.root, db: `sqlite:${join(places.work, 'hostile.db')}` };
    const started = await service.ask<Started>('start', argument);
    for (let person = 0; person < FULL_PEOPLE; person += 1)
      for (const call of fillingCalls(person)) await post(started, call);
    const racers = hostileRequests.map((request) => racerOf(service, started, request));
    await takeTurns(racers, 1);
    const results = await takeTurns(racers, options.rounds);
    const holds = racers.map(({ name }) => ({ name, values: series(results, name, 'holdMs') }));
    const worst = Array.from({ length: options.rounds }, (_, round) =>
      Math.max(...holds.map(({ values }) => values[round] ?? Number.NaN)),
    );
    const gate: Gate = {
      id: 'G27',
      says: 'longest hold of the event loop by one request of a public key, ms: the worst of all, per round',
      ...{ values: worst, steady: worst, bound: 'at most', limit: LIMIT_MS, stretch: STRETCH_MS, unit: '' },
    };
    return {
      name: 'hostile',
      about: `rounds ${options.rounds}   longest hold of the event loop by one request with a public key, SQLite`,
      table: [
        ['request', 'hold ms', 'greatest', 'of it cpu', 'greatest', 'status'],
        ...holds.map(({ name, values }) => [
          name,
          ...[values, series(results, name, 'cpuMs')].flatMap((of) => [figure(median(of)), figure(Math.max(...of))]),
          String(median(series(results, name, 'status'))),
        ]),
      ],
      notes: [
        `profiles that are full: ${FULL_PEOPLE}, of 1,000 traits each`,
        'a commit, with its fsync, is part of a hold on SQLite',
        'cpu: of the thread of the event loop, the longest of any turn; what a busy machine adds is not in it',
      ],
      skips: [],
      gates: [gate],
      results,
    };
  } finally {
    await service.stop();
  }
};
