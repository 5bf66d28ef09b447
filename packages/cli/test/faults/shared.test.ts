import { describe, expect, it } from 'vitest';
import type { Running } from '../beckon.ts';
import { untilDrained } from '../kill/drained.ts';
import { killSeed } from '../kill/random.ts';
import { print } from './figures.ts';
import { deadlocksOf, lostOf, MOST_DEADLOCKS, readLedger, repeats, wrongSends } from './ledger.ts';
import { pushToAndroid, pushToIos } from './sends.ts';
import { onStage, type Stage } from './stage.ts';

const WORKERS = 4;
const EACH = 10_000;
/** Response time of the gateways. */
const TAKES = { apns: 50, fcm: 50 };
/** Minimum share of one worker. Chosen: below the even quarter, for a busy machine. */
const LEAST_SHARE = 0.05;
const DRAIN_MS = 150_000;

const seed = killSeed();

/** Messages per connection, largest first; a worker has one connection per gateway. */
const byConnection = (arrivals: readonly { readonly connection: string }[]): number[] =>
  [...Map.groupBy(arrivals, ({ connection }) => connection).values()]
    .map(({ length }) => length)
    .toSorted((a, b) => b - a);

describe('workers that share one PostgreSQL', () => {
  it('workers on one PostgreSQL send every message once and share the work', () =>
    onStage('postgres', async (stage: Stage) => {
      const { deployment, gateways, work } = stage;
      const { apns, fcm } = gateways;
      Object.assign(gateways.pace, TAKES);
      const workers: Running[] = await Promise.all(Array.from({ length: WORKERS }, work));
      const began = performance.now();
      await Promise.all([pushToIos(stage, 'shared', EACH), pushToAndroid(stage, 'shared', EACH)]);
      const [first] = workers;
      if (first) await untilDrained(deployment, first, DRAIN_MS);
      const seconds = (performance.now() - began) / 1_000;
      const exits = await Promise.all(workers.map((worker) => worker.stop()));
      const entries = await readLedger(stage);
      const shares = { apns: byConnection(apns.arrived()), fcm: byConnection(fcm.arrived()) };
      const inPercent = (counts: readonly number[]): string =>
        counts.map((count) => `${Math.round((count / EACH) * 100)}%`).join('/');
      const figures = {
        workers: WORKERS,
        messages: entries.length,
        sent: entries.filter(({ status }) => status === 'sent').length,
        lost: lostOf(entries).length,
        twice: repeats(entries),
        apnsShares: inPercent(shares.apns),
        fcmShares: inPercent(shares.fcm),
        deadlocks: await deadlocksOf(stage),
        drainedS: seconds.toFixed(1),
      };
      print('shared', stage.engine, figures, seed);
      expect(exits).toEqual(Array(WORKERS).fill(0));
      expect(figures).toMatchObject({ messages: 2 * EACH, sent: 2 * EACH, lost: 0, twice: 0 });
      for (const counts of Object.values(shares)) {
        expect(counts).toHaveLength(WORKERS);
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(EACH * LEAST_SHARE);
      }
      expect(figures.deadlocks).toBeLessThanOrEqual(MOST_DEADLOCKS);
      expect(await wrongSends(stage)).toEqual([]);
    }));
});
