import { describe, expect, it } from 'vitest';
import { untilDrained } from '../kill/drained.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { deadlocksOf, lostOf, MOST_DEADLOCKS, readLedger, repeats, twiceOf, wrongSends } from './ledger.ts';
import { pushToIos } from './sends.ts';
import { onStage } from './stage.ts';
import { until } from './wait.ts';

const MESSAGES = 6_000;
/** Response time of APNs, so that hundreds of pushes are always in flight. */
const TAKES_MS = 300;
/** Minimum pushes in flight at a disconnect. Chosen: hundreds. */
const LEAST_UNDER_WAY = 200;
/** A more recent response may have been in transit at the disconnect. Chosen. */
const UNHEARD_MS = 250;
/** Arrivals before a disconnect, and its random delay. */
const EVENTS = [
  { kind: 'goaway', after: 700 },
  { kind: 'goaway', after: 1_900 },
  { kind: 'drop', after: 3_100 },
  { kind: 'drop', after: 4_300 },
] as const;
const AT_RANDOM = 400;

const seed = killSeed();

describe('APNs that ends connections under load', () => {
  it.for(ENGINES)('every push reaches APNs, and only those in flight at a disconnect arrive twice, on %s', (engine) =>
    onStage(engine, async (stage) => {
      const { deployment, gateways, work } = stage;
      const { apns, pace } = gateways;
      const random = randomOf(`goaway ${engine} ${seed}`);
      pace.apns = TAKES_MS;
      await pushToIos(stage, 'goaway', MESSAGES);
      const worker = await work();
      const began = performance.now();
      const underWay: number[] = [];
      const mayBeTwice = new Set<string>();
      let inHand = 0;
      let unheard = 0;
      let twiceByGoaway = 0;
      for (const { kind, after } of EVENTS) {
        const moment = after + Math.round(random() * AT_RANDOM);
        await until(
          `${moment} arrived and ${LEAST_UNDER_WAY} of them are under way`,
          () => apns.arrived().length >= moment && apns.unheard().size >= LEAST_UNDER_WAY,
        );
        underWay.push(apns.unheard().size);
        if (kind === 'goaway') apns.goaway();
        else {
          if (mayBeTwice.size === 0) twiceByGoaway = apns.arrived().length - apns.read.size;
          const lost = apns.unheard(UNHEARD_MS);
          inHand += apns.unheard().size;
          unheard += lost.size - apns.unheard().size;
          for (const id of lost) mayBeTwice.add(id);
          apns.reset();
        }
      }
      await untilDrained(deployment, worker);
      const drainMs = Math.round(performance.now() - began);
      const exit = await worker.stop();
      const entries = await readLedger(stage);
      const twice = twiceOf(entries);
      const figures = {
        messages: entries.length,
        sent: entries.filter(({ status }) => status === 'sent').length,
        lost: lostOf(entries).length,
        twice: repeats(entries),
        underWay: underWay.join('/'),
        inHandAtDrops: inHand,
        justAnswered: unheard,
        twiceByGoaway,
        // A resend without an update of the row would have no limit.
        uncounted: entries.filter(({ times, attempt }) => times > attempt).length,
        connections: apns.connected(),
        deadlocks: await deadlocksOf(stage),
        drainMs,
      };
      print('goaway', engine, figures, seed);
      expect(exit).toBe(0);
      expect(figures).toMatchObject({ messages: MESSAGES, sent: MESSAGES, lost: 0, twiceByGoaway: 0, uncounted: 0 });
      expect(figures.connections).toBeGreaterThanOrEqual(1 + EVENTS.length);
      expect(Math.min(...underWay)).toBeGreaterThanOrEqual(LEAST_UNDER_WAY);
      expect(twice.filter(({ id }) => !mayBeTwice.has(id))).toEqual([]);
      expect(figures.twice).toBeLessThanOrEqual(inHand + unheard);
      expect(figures.deadlocks).toBeLessThanOrEqual(MOST_DEADLOCKS);
      expect(await wrongSends(stage)).toEqual([]);
    }),
  );
});
