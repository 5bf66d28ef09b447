import { describe, expect, it } from 'vitest';
import { untilDrained } from '../kill/drained.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { lostOf, readLedger, repeats, wrongSends } from './ledger.ts';
import { pushToAndroid } from './sends.ts';
import { onStage } from './stage.ts';

/** FCM takes 100 at once: these are done in eight times the time that one takes. */
const MESSAGES = 800;
/** Far below the time that one call may take (10 s), which the eight together are not. */
const TAKES_MS = 2_000;

const seed = killSeed();

describe.concurrent('FCM that is slow', () => {
  it.for(ENGINES)('is given every push once, however long others wait for their turn, on %s', (engine) =>
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
