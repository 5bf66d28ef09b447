import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { untilDrained } from '../kill/drained.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { newCustomer, quantile, steadySender } from './hanging.ts';
import { memoryOf, registerMany } from './many-tokens.ts';
import { onStage } from './stage.ts';
import { until } from './wait.ts';

/** Source: the fault matrix (one user with 100,000 tokens). */
const TOKENS = 100_000;
const OTHERS = 50;
/** Maximum delay of other users' messages. Source: the fault matrix (queue age). */
const PROMPT_MS = 5_000;
/** Maximum duration of acceptance. Chosen: two statements over the tokens, on a busy machine. */
const ACCEPT_MS = 2_000;
/** Maximum additional memory of the worker, in mebibytes. Chosen: garbage of any busy worker. */
const GROWTH_MIB = 400;

const seed = killSeed();

describe('one user with a hundred thousand devices', () => {
  it.for(ENGINES)('a user with 100,000 devices gets a push on each without delaying other users, on %s', (engine) =>
    onStage(engine, async (stage) => {
      const { beckon, deployment, gateways, scope, work } = stage;
      const { apns } = gateways;
      const customer = await newCustomer(stage, 'other');
      const sender = steadySender(stage, customer);
      const vast = Array.from({ length: TOKENS }, (_, at) => apnsToken('ok', `vast ${at}`));
      const others = Array.from({ length: OTHERS }, (_, at) => ({
        userId: `user-${at}`,
        token: apnsToken('ok', `user ${at}`),
      }));
      const devices = new Map<string, readonly string[]>([['vast', vast]]);
      for (const { userId, token } of others) devices.set(userId, [token]);
      await registerMany(deployment.url, scope, devices);
      if (engine === 'postgres') await deployment.query('analyze');
      const arrived = new Map<string, number>();
      const times = new Map<string, number>();
      apns.play(({ keyId, token }) => {
        if (keyId === customer.keyId) sender.arrived(token);
        times.set(token, (times.get(token) ?? 0) + 1);
        if (!arrived.has(token)) arrived.set(token, performance.now());
        return null;
      });
      const worker = await work();
      await sender.measure(20, 30_000);
      const pid = worker.child.pid ?? 0;
      const before = memoryOf(pid);

      const began = performance.now();
      const userIds = ['vast', ...others.map(({ userId }) => userId)];
      const sent = await beckon.push.send(scope, { userIds, title: 'News', body: 'There is news.' });
      const acceptedMs = performance.now() - began;
      const latencies = await sender.measure(300, 60_000);
      await until('every device has its push', () => arrived.size >= TOKENS + OTHERS + 320, {
        withinMs: 150_000,
        everyMs: 50,
      });
      const tookMs = performance.now() - began;
      await untilDrained(deployment, worker);
      const memory = memoryOf(pid);
      if ('dryRun' in sent) throw new Error('it was a dry run');
      const send = await beckon.sends.get(scope, 'push', sent.id);
      expect(await worker.stop()).toBe(0);

      const waits = others.map(({ token }) => (arrived.get(token) ?? Number.POSITIVE_INFINITY) - began);
      const figures = {
        tokens: TOKENS,
        acceptedMs: acceptedMs.toFixed(0),
        sent: send.counts.sent,
        lost: vast.filter((token) => !times.has(token)).length,
        twice: [...times.values()].filter((count) => count > 1).length,
        seconds: (tookMs / 1_000).toFixed(1),
        sameSendMostMs: Math.max(...waits).toFixed(0),
        otherOrgP50Ms: quantile(latencies, 0.5).toFixed(0),
        otherOrgMostMs: Math.max(...latencies).toFixed(0),
        rssBeforeMib: before.nowMib,
        rssPeakMib: memory.peakMib,
        growthMib: memory.peakMib - before.nowMib,
      };
      print('many tokens', engine, figures, seed);
      expect(figures).toMatchObject({ sent: TOKENS + OTHERS, lost: 0, twice: 0 });
      expect(send).toMatchObject({ status: 'sent', tokenCount: TOKENS + OTHERS });
      expect(acceptedMs).toBeLessThan(ACCEPT_MS);
      expect(Math.max(...waits)).toBeLessThan(PROMPT_MS);
      expect(Math.max(...latencies)).toBeLessThan(PROMPT_MS);
      expect(figures.growthMib).toBeLessThan(GROWTH_MIB);
    }),
  );
});
