import { readFileSync } from 'node:fs';
import { type Beckon, createBeckon, newMasterKey, type Scope } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './create-handler.ts';
import { listenMetrics } from './listen-metrics.ts';
import { createMetrics, type Metrics } from './metrics.ts';

describe('metrics', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let metrics: Metrics;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  beforeEach(async () => {
    database = await openTestDatabase();
    metrics = await createMetrics();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), meter: metrics.meter });
    handler = createHandler(beckon, { onAnswered: metrics.answered });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    ({ secret: key } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants }));
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const post = (body: unknown) =>
    handler.fetch(
      new Request('http://127.0.0.1/api/v1/events', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const lines = async () => (await metrics.text(beckon)).split('\n');

  it('metrics count results of events, messages, calls and requests, and time them', async () => {
    const event = { module: 'shop', eventType: 'ordered', userId: 'zoe', traits: { email: 'zoe@example.com' } };
    for (const messageId of ['m1', 'm2', 'm2']) await post({ ...event, messageId });
    await post({});
    await beckon.email.send(scope, { subject: 's', text: 't', userIds: ['zoe', 'nobody'] });
    await beckon.worker.drain();
    const reported = await lines();
    for (const line of [
      'beckon_events_total{outcome="stored"} 2',
      'beckon_events_total{outcome="duplicate"} 1',
      'beckon_messages_total{channel="email",status="sent"} 1',
      'beckon_messages_total{channel="email",status="suppressed"} 1',
      'beckon_provider_calls_total{channel="email",provider="sandbox",result="accepted"} 1',
      'beckon_provider_call_seconds_count{channel="email",provider="sandbox"} 1',
      'beckon_ingest_flush_seconds_count 3',
      'beckon_http_request_seconds_count{route="/events",method="POST",status="200"} 2',
      'beckon_http_request_seconds_count{route="/events",method="POST",status="409"} 1',
      'beckon_http_request_seconds_count{route="/events",method="POST",status="400"} 1',
      'beckon_database_up 1',
    ])
      expect(reported).toContain(line);
    expect(reported.find((line) => line.startsWith('beckon_commit_seconds_count'))).toMatch(/ [1-9]\d*$/);
    // Metrics name no user: everyone in the operator's network may read them.
    expect(reported.join('\n')).not.toMatch(/zoe|example/);
  });

  it('unknown methods and paths create no new series', async () => {
    for (const method of ['BREW', 'PROPFIND', 'GET'])
      for (const path of ['/api/v1/events', '/nowhere/1', '/nowhere/2'])
        await handler.fetch(new Request(`http://127.0.0.1${path}`, { method }));
    const reported = (await lines()).filter((line) => line.startsWith('beckon_http_request_seconds_count{'));
    expect(reported).toHaveLength(4);
    expect(reported).toContain('beckon_http_request_seconds_count{route="none",method="other",status="404"} 4');
    expect(reported.join('\n')).not.toMatch(/BREW|PROPFIND|nowhere/);
  });

  it('metrics report the size and age of each queue', async () => {
    await post({ module: 'shop', eventType: 'seen', userId: 'ann', traits: { email: 'ann@example.com' } });
    await beckon.email.send(scope, { subject: 's', text: 't', userIds: ['ann', 'ann2'] });
    expect(await lines()).toContain('beckon_queue_due{queue="messages"} 1');
    expect((await lines()).find((line) => line.startsWith('beckon_queue_oldest_seconds{queue="messages"}'))).toMatch(
      / \d+(\.\d+)?$/,
    );
    await beckon.worker.drain();
    const reported = await lines();
    for (const queue of ['messages', 'sends', 'runs', 'erasures'])
      expect(reported).toContain(`beckon_queue_due{queue="${queue}"} 0`);
  });

  it('metrics report the number of rejected kinds and whether events are paused', async () => {
    for (const name of ['beckon_refused_kinds', 'beckon_ingest_paused']) expect(await lines()).toContain(`${name} 0`);
    metrics.loaded({ level: 2, isIngestPaused: true, reason: 'late' });
    const reported = await lines();
    for (const line of ['beckon_refused_kinds 2', 'beckon_ingest_paused 1']) expect(reported).toContain(line);
  });

  it('metrics leave the queues out while the database is unavailable', async () => {
    const away = { queues: () => Promise.reject(new Error('away')) };
    const reported = await metrics.text(away);
    expect(reported).toContain('beckon_database_up 0');
    expect(reported).not.toContain('beckon_queue_due{');
    expect(reported).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('the metrics port serves requests with the token only', async () => {
    const listener = await listenMetrics(metrics, beckon, { port: 0, token: 'secret' });
    try {
      const get = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(listener.url.replace('/metrics', path), init);
        return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
      };
      const headers = { authorization: 'Bearer secret' };
      expect(await get('/metrics', { headers })).toMatchObject({
        status: 200,
        text: expect.stringContaining('beckon_database_up 1'),
        type: metrics.contentType,
      });
      expect(await get('/metrics')).toMatchObject({ status: 401, text: '' });
      expect(await get('/metrics', { headers: { authorization: 'Bearer secret2' } })).toMatchObject({ status: 401 });
      expect(await get('/metrics', { headers, method: 'POST' })).toMatchObject({ status: 405 });
      expect(await get('/', { headers })).toMatchObject({ status: 404 });
    } finally {
      await listener.close();
    }
  });

  it('every series of the example dashboard exists', async () => {
    const dashboard = readFileSync(new URL('../../../examples/grafana/beckon.json', import.meta.url), 'utf8');
    const names = new Set(dashboard.match(/\b(?:beckon|nodejs|process)_[a-z0-9_]+/g));
    expect(names.size).toBeGreaterThan(8);
    const reported = await metrics.text(beckon);
    for (const name of names) {
      const metric = name.replace(/_(?:bucket|sum|count)$/, '');
      expect(reported.includes(`# TYPE ${name} `) || reported.includes(`# TYPE ${metric} histogram`), name).toBe(true);
    }
  });
});
