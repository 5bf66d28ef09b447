import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { proxyTo } from '../../../core/test/support/transports/proxy.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';

/** Maximum time from the first push into a dead connection to the first accepted push. Chosen: one call timeout plus 2 s. */
const WITHIN_MS = 12_000;
/** Between two pushes, in milliseconds. */
const EVERY_MS = 200;

const seed = killSeed();

const arrivedAt = ({ gateways: { apns } }: Stage): Set<string> =>
  new Set(apns.arrived().map(({ headers }) => `${headers[':path']}`.split('/').at(-1) ?? ''));

describe.concurrent('a connection to APNs that dies in silence', () => {
  it.for(ENGINES)('a dead APNs connection delays pushes by at most 12 s and loses none, on %s', async (engine) => {
    let apnsPort = 0;
    const proxy = await proxyTo(() => apnsPort);
    const play = async (stage: Stage): Promise<void> => {
      const { beckon, scope, gateways } = stage;
      apnsPort = Number(new URL(gateways.apns.origin).port);
      const tokens: string[] = [];
      const push = (): Promise<unknown> => {
        const token = apnsToken('ok', `${tokens.length}`);
        tokens.push(token);
        return beckon.push.send(scope, { title: 'News', body: 'There is news.', tokens: [token] });
      };
      beckon.worker.start();
      await push();
      await until('the first push arrives', () => arrivedAt(stage).size === 1);

      proxy.freeze();
      const began = performance.now();
      const pushing = setInterval(() => void push(), EVERY_MS);
      const soonMs = { withinMs: 60_000 };
      await until('another push arrives', () => arrivedAt(stage).size > 1, soonMs).finally(() =>
        clearInterval(pushing),
      );
      const firstMs = Math.round(performance.now() - began);
      await until('all arrive', () => tokens.every((token) => arrivedAt(stage).has(token)), soonMs);
      const allMs = Math.round(performance.now() - began);
      await beckon.worker.stop();
      print('silent', engine, { pushes: tokens.length, firstMs, allMs }, seed);
      expect(firstMs).toBeLessThan(WITHIN_MS);
    };
    try {
      const front = `https://127.0.0.1:${proxy.port}`;
      await onStage(engine, play, {
        outbound: (standIns) => ({ ...standIns, apns: { production: front, sandbox: front } }),
      });
    } finally {
      await proxy.stop();
    }
  });
});
