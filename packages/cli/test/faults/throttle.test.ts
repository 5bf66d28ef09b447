import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { newCustomer, quantile, steadySender } from './hanging.ts';
import { onStage } from './stage.ts';
import { until } from './wait.ts';

const MESSAGES = 2_000;
/** Duration of the throttling, share of rejected requests, and their Retry-After. */
const BUSY_MS = 5_000;
const REFUSED = 0.7;
const WAIT_SECONDS = 2;
/** Tolerance of timers against another clock, in milliseconds. Chosen. */
const ROUNDING_MS = 20;
/** Maximum attempts per message: one per wait within the throttling, and one after it. */
const MOST_REQUESTS = Math.ceil(BUSY_MS / (WAIT_SECONDS * 1_000)) + 1;
/** Pushes of another organization meanwhile, and their maximum delay. Source: the fault matrix (queue age). */
const OTHERS = 200;
const PROMPT_MS = 5_000;

const seed = killSeed();

describe('a provider that asks to wait', () => {
  it.for(ENGINES)(
    'a throttling provider gets no request before its Retry-After and each message once, on %s',
    (engine) =>
      onStage(engine, async (stage) => {
        const { beckon, deployment, gateways } = stage;
        const random = randomOf(`throttle ${engine} ${seed}`);
        const [customer, other] = [await newCustomer(stage, 'busy'), await newCustomer(stage, 'other')];
        const sender = steadySender(stage, other);
        /** Per message: time of the last rejection, and earliest time of the next attempt. */
        const refused = new Map<string, number>();
        const requests = new Map<string, number>();
        let busyUntil = Number.POSITIVE_INFINITY;
        let refusals = 0;
        let early = 0;
        gateways.apns.play(({ id, token, keyId }) => {
          if (keyId === other.keyId) {
            sender.arrived(token);
            return null;
          }
          const now = Date.now();
          if (refused.size === 0) busyUntil = now + BUSY_MS;
          requests.set(id, (requests.get(id) ?? 0) + 1);
          if (now < (refused.get(id) ?? 0) - ROUNDING_MS) early += 1;
          if (now > busyUntil || random() >= REFUSED) return null;
          refusals += 1;
          // Half of the responses name a date, in whole seconds.
          const moment = new Date(now + WAIT_SECONDS * 1_000).toUTCString();
          const isMoment = random() < 0.5;
          refused.set(id, isMoment ? Date.parse(moment) : now + WAIT_SECONDS * 1_000);
          return { reason: 'TooManyRequests', retryAfter: isMoment ? moment : `${WAIT_SECONDS}` };
        });
        beckon.worker.start();
        await sender.measure(20, 30_000);
        for (let from = 0; from < MESSAGES; from += 1_000)
          await beckon.push.send(customer.scope, {
            title: 'News',
            body: 'There is news.',
            tokens: Array.from({ length: 1_000 }, (_, at) => apnsToken('ok', `throttle ${from + at}`)),
          });
        const latencies = await sender.measure(OTHERS, 30_000);
        await until(
          'every send has ended',
          async () =>
            (await deployment.query('select 1 as one from sends where finished_at is null limit 1')).length === 0,
          { everyMs: 100, withinMs: 60_000 },
        );
        const accepted = new Map<string, number>();
        for (const { headers } of gateways.apns.arrived()) {
          const id = `${headers['apns-id']}`;
          accepted.set(id, (accepted.get(id) ?? 0) + 1);
        }
        const rows = await deployment.query<{ id: string; status: string; attempt: number }>(
          `select id, status, attempt from messages where scope_id = ${customer.scope.scopeId}`,
        );
        await beckon.worker.stop();

        const figures = {
          messages: rows.length,
          sent: rows.filter(({ status }) => status === 'sent').length,
          refused: refusals,
          lost: rows.filter(({ id }) => !accepted.has(id)).length,
          twice: [...accepted.values()].filter((times) => times > 1).length,
          early,
          requestsPerMessage: ([...requests.values()].reduce((sum, times) => sum + times, 0) / rows.length).toFixed(2),
          mostRequests: Math.max(...requests.values()),
          otherP50Ms: quantile(latencies, 0.5).toFixed(0),
          otherMostMs: Math.max(...latencies).toFixed(0),
        };
        print('throttle', engine, figures, seed);
        expect(figures).toMatchObject({ messages: MESSAGES, sent: MESSAGES, lost: 0, twice: 0, early: 0 });
        expect(refusals).toBeGreaterThan(MESSAGES * REFUSED);
        expect(figures.mostRequests).toBeLessThanOrEqual(MOST_REQUESTS);
        expect(Math.max(...latencies)).toBeLessThan(PROMPT_MS);
      }),
  );
});
