import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Deployment, deploy } from './kill/deployment.ts';
import { type Held, hold } from './kill/held-open.ts';
import type { Answer, Client } from './kill/http.ts';

const CLIENTS = 50;
/** Maximum pending events, and events per batch. Source: performance design (pending list); contract (batch). */
const MAX_PENDING = 20_000;
const BATCH = 500;
/** Real pause in which a premature response would arrive. */
const SILENCE_MS = 90;

const event = (at: number) => ({ module: 'shop', eventType: 'seen', userId: `u${at}`, messageId: `m${at}` });
const noSpace = (): never => {
  throw Object.assign(new Error('no space left'), { code: 'SQLITE_FULL' });
};

describe.each(['sqlite', 'postgres'] as const)('order of commit and response on %s', (engine) => {
  let deployment: Deployment;
  let held: Held;
  let http: Client;
  let release = (): void => undefined;
  beforeEach(async () => {
    deployment = await deploy(engine, []);
    held = await hold(deployment);
    http = await held.serve(CLIENTS);
    await http.call('POST', '/api/v1/events', { module: 'shop', eventType: 'first', userId: 'first' });
  });
  afterEach(async () => {
    held.faults.beforeCommit = undefined;
    release();
    await held.close();
    await deployment.remove();
  });

  const stored = async (eventType: string): Promise<number> => {
    const [row] = await deployment.query<{ found: number }>(
      `select cast(count(*) as integer) as found from events where event_type = '${eventType}'`,
    );
    return row?.found ?? 0;
  };
  /** Blocks commits until `release`; resolves when one is blocked. */
  const holdCommit = (): Promise<void> => {
    const released = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    release = released.resolve;
    held.faults.beforeCommit = () => {
      reached.resolve();
      return released.promise;
    };
    return reached.promise;
  };
  const postAll = (): Promise<Answer>[] =>
    Array.from({ length: CLIENTS }, (_, at) => http.call('POST', '/api/v1/events', event(at)));

  it('fifty requests get no response while their commit is blocked, and all of them after it', async () => {
    const holding = holdCommit();
    let answered = 0;
    const all = postAll().map(async (answer) => {
      const { status } = await answer;
      answered += 1;
      return status;
    });
    await holding;
    await sleep(SILENCE_MS);
    expect([answered, await stored('seen')]).toEqual([0, 0]);
    release();
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    expect(await stored('seen')).toBe(CLIENTS);
  });

  it('after a failed commit every request gets an error, nothing is stored, and the server continues', async () => {
    held.faults.beforeCommit = noSpace;
    const failed = await Promise.all(postAll());
    expect(failed.filter(({ status }) => status !== 500 && status !== 503)).toEqual([]);
    expect(failed.filter(({ status, headers }) => status === 503 && !Number(headers['retry-after']))).toEqual([]);
    expect(await stored('seen')).toBe(0);
    held.faults.beforeCommit = undefined;
    const retried = await Promise.all(postAll());
    expect(new Set(retried.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stored('seen')).toBe(CLIENTS);
  });

  it('batches beyond the pending list are rejected as a whole with Retry-After', async () => {
    const batch = (eventType: string) => ({
      batch: Array.from({ length: BATCH }, (_, at) => ({ module: 'shop', eventType, userId: `u${at % 100}` })),
    });
    void holdCommit();
    const names = Array.from({ length: MAX_PENDING / BATCH + 1 }, (_, at) => `batch${at}`);
    const shed = Promise.withResolvers<{ name: string; answer: Answer }>();
    const all = names.map(async (name) => {
      const answer = await http.call('POST', '/api/v1/events/batch', batch(name));
      shed.resolve({ name, answer });
      return { name, status: answer.status };
    });
    const { name, answer } = await shed.promise;
    expect([answer.status, answer.headers['retry-after'], answer.code]).toEqual([503, '1', 'OVERLOADED']);
    const single = await http.call('POST', '/api/v1/events', event(0));
    expect([single.status, single.headers['retry-after'], single.code]).toEqual([503, '1', 'OVERLOADED']);
    release();
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([{ name, status: 503 }]);
    expect([await stored(name), await stored('seen')]).toEqual([0, 0]);
    const [rows] = await deployment.query<{ found: number }>(
      "select cast(count(*) as integer) as found from events where event_type like 'batch%'",
    );
    expect(rows).toEqual({ found: MAX_PENDING });
    expect((await http.call('POST', '/api/v1/events/batch', batch(name))).status).toBe(200);
    expect(await stored(name)).toBe(BATCH);
  });
});
