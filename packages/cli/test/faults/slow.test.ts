import { describe, expect, it } from 'vitest';
import { untilDrained } from '../kill/drained.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { lostOf, readLedger, repeats, wrongSends } from './ledger.ts';
import { pushToAndroid } from './sends.ts';
import { onStage } from './stage.ts';

/** FCM accepts 100 concurrent requests, so these take eight times as long as one. */
const MESSAGES = 800;
/** Response time. Far below the call timeout (10 s), which all eight batches together exceed. */
const TAKES_MS = 2_000;

const seed = killSeed();

describe.concurrent('FCM that is slow', () => {
  it.for(ENGINES)('slow FCM gets every push once, however long pushes wait for a permit, on %s', (engine) =>
    onStage(engine, async (stage) => {
      const { deployment, gateways, work } = stage;
      gateways.pace.fcm = TAKES_MS;
      await pushToAndroid(stage, 'slow', MESSAGES);
      const worker = await work();
      const began = performance.now();
      await untilDrained(deployment, worker);
      const seconds = (performance.now() - began) / 1_000;
      const exit = await worker.stop();
      const entries = await readLedger(stage);
      const figures = {
        messages: entries.length,
        sent: entries.filter(({ status }) => status === 'sent').length,
        lost: lostOf(entries).length,
        twice: repeats(entries),
        attempts: entries.reduce((sum, { attempt }) => sum + attempt, 0),
        drainedS: seconds.toFixed(1),
      };
      print('slow', engine, figures, seed);
      expect(exit).toBe(0);
      expect(figures).toMatchObject({ messages: MESSAGES, sent: MESSAGES, lost: 0, twice: 0, attempts: MESSAGES });
      expect(await wrongSends(stage)).toEqual([]);
    }),
  );
});
