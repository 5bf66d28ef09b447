import { expect, it } from 'vitest';
import { type Answer, CONNECTIONS, pause, percentile, type Served, serving } from './asking.ts';
import { DATABASES } from './databases.ts';

const EACH = 50;
/** Concurrent requests that keep the service busy without overloading it. */
const BUSY = 32;
const MEASURE_MS = 2_500;
const OVERLOAD_MS = 6_000;
const TIMES = 3;
const TICK_MS = 10;
/** Time within which it must accept everything again. */
const RECOVERY_MS = 15_000;

let count = 0;
const batch = (): object => ({
  batch: Array.from({ length: EACH }, () => {
    count += 1;
    return { module: 'm', eventType: 'm.e', userId: `user-${count % 5_000}`, properties: { at: count } };
  }),
});
const isStored = ({ status }: Answer): boolean => status === 200;

/** Requests a second that are answered while each client waits for its response. */
const capacityOf = async (send: () => Promise<Answer>): Promise<number> => {
  const until = performance.now() + MEASURE_MS;
  let done = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) if (isStored(await send())) done += 1;
  };
  await Promise.all(Array.from({ length: BUSY }, client));
  return (done * 1_000) / MEASURE_MS;
};

/** Sends this many requests a second, whatever their result. */
const press = async (send: () => Promise<Answer>, rate: number): Promise<Answer[]> => {
  const requests: Promise<Answer>[] = [];
  const start = performance.now();
  for (let ms = 0; ms < OVERLOAD_MS; ms = performance.now() - start) {
    while (requests.length < (rate * ms) / 1_000) requests.push(send());
    await pause(TICK_MS);
  }
  return Promise.all(requests);
};

/** Milliseconds until a plain event is accepted, and until nothing is rejected. */
const recovery = async ({ ask, keys }: Served) => {
  const start = performance.now();
  let firstMs: number | null = null;
  let stored = 0;
  for (;;) {
    const ms = performance.now() - start;
    const [{ status }, { body }] = await Promise.all([
      ask('POST', '/api/v1/events', keys[1], { module: 'm', eventType: 'm.e', userId: 'after' }),
      ask('GET', '/readyz'),
    ]);
    if (status === 200) {
      firstMs ??= ms;
      stored += 1;
    }
    if (ms > RECOVERY_MS || (firstMs !== null && body.includes('"status":"ok"'))) return { firstMs, allMs: ms, stored };
    await pause(100);
  }
};

it.each(['sqlite', 'postgres'] as const)(
  'at three times its capacity the service accepts events at capacity, rejects the others and loses none (%s)',
  async (engine) => {
    const database = await DATABASES[engine]();
    const served = await serving(database.url);
    const all: Answer[] = [];
    const send = async (): Promise<Answer> => {
      const answer = await served.ask('POST', '/api/v1/events/batch', served.keys[0], batch());
      all.push(answer);
      return answer;
    };
    try {
      // Node accepts one connection per turn of its event loop: under load, opening connections would be the delay.
      await Promise.all(Array.from({ length: CONNECTIONS }, () => served.ask('GET', '/healthz')));
      const capacity = await capacityOf(send);
      const pressed = await press(send, TIMES * capacity);
      const { firstMs, allMs, stored: single } = await recovery(served);
      const accepted = pressed.filter(isStored);
      const shed = pressed.filter(({ code }) => code === 'OVERLOADED' || code === 'DEADLINE_EXCEEDED');
      const lost = all.filter(isStored).length * EACH + single - (await database.events());
      const others = pressed.filter((one) => !isStored(one) && !shed.includes(one)).map(({ status }) => status);
      console.log(
        `fault overload ${engine}: capacity ${Math.round(capacity * EACH)} events/s, asked ${pressed.length * EACH}, ` +
          `accepted ${accepted.length * EACH}, shed ${shed.length * EACH}, other ${others.length * EACH} (${[...new Set(others)].join(', ')}); ` +
          `accepted p50 ${percentile(
            accepted.map(({ ms }) => ms),
            0.5,
          )} p99 ${percentile(
            accepted.map(({ ms }) => ms),
            0.99,
          )} ms, ` +
          `shed p99 ${percentile(
            shed.map(({ ms }) => ms),
            0.99,
          )} ms, lost ${lost}; ` +
          `first plain event after ${Math.round(firstMs ?? -1)} ms, nothing refused after ${Math.round(allMs)} ms`,
      );
      expect(shed.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
      expect(others).toEqual([]);
      expect(accepted.length).toBeGreaterThan(0);
      // Nor was a rejected event stored.
      expect(lost).toBe(0);
      expect(firstMs).not.toBe(null);
      expect(allMs).toBeLessThan(RECOVERY_MS);
    } finally {
      await served.stop();
      await database.drop();
    }
  },
  60_000,
);
