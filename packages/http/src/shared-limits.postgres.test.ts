import { type Beckon, createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPostgresDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './create-handler.ts';

const PROCESSES = 2;
/**
 * What a process may use without synchronizing: twice a fiftieth of the burst. Source: docs/internals/rate-limits.md.
 */
const unsynced = (burst: number): number => 2 * Math.floor(burst / 50);

describe('rate limits of processes on one PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof newPostgresDatabase>>;
  const beckons: Beckon[] = [];
  let handlers: Handler[];
  const keys = { public: '', secret: '' };

  beforeAll(async () => {
    database = await newPostgresDatabase();
    const masterKey = newMasterKey();
    for (let at = 0; at < PROCESSES; at += 1) beckons.push(await createBeckon({ db: database.url, masterKey }));
    handlers = beckons.map((beckon) => createHandler(beckon));
    const { tenancy } = beckons[0] ?? (await createBeckon({ db: database.url, masterKey }));
    const { id: orgId } = await tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await tenancy.createProject({ orgId, name: 'App' });
    const grants = [{ orgId, projectId }];
    for (const kind of ['public', 'secret'] as const)
      keys[kind] = (await tenancy.createKey({ kind, environment: 'prod', grants })).secret;
  });
  afterAll(async () => {
    await Promise.all(beckons.map((beckon) => beckon.close()));
    await database.drop();
  });

  type Asking = { readonly path: string; readonly key: string; readonly body?: string };
  const ask = async (handler: Handler | undefined, { path, key, body }: Asking, address: string): Promise<number> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    const request = new Request(`http://127.0.0.1/api/v1${path}`, init);
    return (await handler?.fetch(request, { address }))?.status ?? 0;
  };

  it('a client that calls all processes at once gets hardly more than from one process', async () => {
    const start = performance.now();
    const responses = handlers.flatMap((handler) =>
      Array.from({ length: 300 }, () => ask(handler, { path: '/api-keys', key: keys.secret }, '203.0.113.7')),
    );
    const passed = (await Promise.all(responses)).filter((status) => status === 200).length;
    const refilled = Math.ceil((performance.now() - start) / 300);
    const over = (PROCESSES - 1) * unsynced(200);
    console.log(
      `limits: ${PROCESSES} processes let ${passed} of ${responses.length} calls pass; limit 200, refilled ${refilled}, bound over it ${over}`,
    );
    expect(passed).toBeGreaterThanOrEqual(200);
    expect(passed).toBeLessThanOrEqual(200 + refilled + over);
  });

  it('a client that sends events to all processes gets hardly more than from one process', async () => {
    const batch = Array.from({ length: 100 }, (_, at) => ({ module: 'm', eventType: 'e', userId: `u${at}` }));
    const asking = { path: '/events/batch', key: keys.public, body: JSON.stringify({ batch }) };
    const start = performance.now();
    const responses = handlers.flatMap((handler) =>
      Array.from({ length: 80 }, () => ask(handler, asking, '203.0.113.8')),
    );
    const events = (await Promise.all(responses)).filter((status) => status === 200).length * batch.length;
    const refilled = Math.ceil(performance.now() - start);
    const over = (PROCESSES - 1) * unsynced(5_000);
    console.log(
      `limits: ${PROCESSES} processes let ${events} of ${responses.length * batch.length} events pass; limit 5000, refilled ${refilled}, bound over it ${over}`,
    );
    expect(events).toBeGreaterThanOrEqual(5_000);
    expect(events).toBeLessThanOrEqual(5_000 + refilled + over);
  });

  it('a process learns what a client used at processes that it had not heard from', async () => {
    const [here, there] = handlers;
    const asking = { path: '/api-keys', key: keys.secret };
    const asks = (handler: Handler | undefined, times: number): Promise<number[]> =>
      Promise.all(Array.from({ length: times }, () => ask(handler, asking, '203.0.113.9')));
    await asks(here, 210);
    expect((await asks(there, 100)).filter((status) => status === 429).length).toBeGreaterThan(50);
  });
});
