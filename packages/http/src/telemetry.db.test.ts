import { type Beckon, createBeckon, newMasterKey, type Scope } from '@beckon/core';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { registerTelemetry, type TestTelemetry } from '../../core/test/support/telemetry.ts';
import { createHandler, type Handler } from './create-handler.ts';

const EVENT = { module: 'shop', eventType: 'ordered', userId: 'ann@example.com' };
const TRACE = '11111111111111111111111111111111';
const PARENT = '2222222222222222';

describe('OpenTelemetry of requests', () => {
  let database: TestDatabase;
  let telemetry: TestTelemetry;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  const open = async (): Promise<void> => {
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey() });
    onTestFinished(() => beckon.close());
    handler = createHandler(beckon);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    ({ secret: key } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants }));
    telemetry.reset();
  };
  beforeEach(async () => {
    database = await openTestDatabase();
    telemetry = registerTelemetry();
  });
  afterEach(async () => {
    telemetry.remove();
    await database.close();
  });

  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    handler.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );

  it('a request is one server span with its route and status, and its flush is within the span', async () => {
    await open();
    const response = await request('POST', '/api/v1/events?note=hidden', EVENT);
    const [span, ...others] = telemetry.named('POST /api/v1/events');
    expect(others).toEqual([]);
    expect(span?.kind).toBe(SpanKind.SERVER);
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    expect(span?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/events',
      'http.response.status_code': 200,
      'beckon.request_id': response.headers.get('x-request-id'),
      'beckon.org_id': scope.orgId,
      'beckon.project_id': scope.projectId,
      'beckon.environment': 'test',
    });
    const flushes = telemetry.named('flush events').map(({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(flushes).toEqual([span?.spanContext().spanId]);
  });

  it('the header traceparent of a request is the parent of its span', async () => {
    await open();
    await request('POST', '/api/v1/events', EVENT, { traceparent: `00-${TRACE}-${PARENT}-01` });
    const [span] = telemetry.named('POST /api/v1/events');
    expect(span?.kind).toBe(SpanKind.SERVER);
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext?.spanId).toBe(PARENT);
  });

  it("a request inside a span of the host's server is its child, even if a header names another parent", async () => {
    await open();
    await telemetry.inSpan('POST', () =>
      request('POST', '/api/v1/events', EVENT, { traceparent: `00-${TRACE}-${PARENT}-01` }),
    );
    const [host] = telemetry.named('POST');
    const [span] = telemetry.named('POST /api/v1/events');
    expect(span?.kind).toBe(SpanKind.INTERNAL);
    expect(span?.parentSpanContext?.spanId).toBe(host?.spanContext().spanId);
  });

  it('names and attributes of spans have no part of a path, query, body, key or unknown method', async () => {
    await open();
    await request('GET', '/api/v1/profiles/ann@example.com?cursor=hidden');
    await request('GET', '/api/v1/nowhere/hidden');
    await request('BREW', '/api/v1/events');
    await request('POST', '/api/v1/events', { ...EVENT, properties: { note: 'hidden' } }, { 'user-agent': 'hidden' });
    const spans = telemetry.spans();
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['GET /api/v1/profiles/:userId', 'GET', 'HTTP', 'POST /api/v1/events']),
    );
    const [unmatched] = telemetry.named('GET');
    expect(unmatched?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 404,
      'beckon.request_id': expect.any(String),
    });
    expect(telemetry.named('HTTP')[0]?.attributes).toMatchObject({ 'http.request.method': '_OTHER' });
    const written = JSON.stringify(spans.map(({ name, attributes, events }) => [name, attributes, events]));
    expect(written).not.toMatch(/hidden|ann@|BREW|sk_test|127\.0\.0\.1/);
  });

  it('a failure of the server marks the span as failed, and an error of the caller does not', async () => {
    await open();
    await request('POST', '/api/v1/events', {});
    expect(telemetry.named('POST /api/v1/events')[0]).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'http.response.status_code': 400 },
    });
    telemetry.reset();
    const get = vi.spyOn(beckon.events, 'list').mockRejectedValue(new Error('ann@example.com is broken'));
    onTestFinished(() => get.mockRestore());
    await request('GET', '/api/v1/events');
    const [failed] = telemetry.named('GET /api/v1/events');
    expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(failed?.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
  });

  it('requests are counted in the metrics of OpenTelemetry by route, method and status', async () => {
    await open();
    await request('POST', '/api/v1/events', EVENT);
    await request('BREW', '/api/v1/nowhere');
    const points = (await telemetry.points()).filter(({ name }) => name === 'beckon.http.request');
    expect(points).toEqual([
      { name: 'beckon.http.request', labels: { route: '/events', method: 'POST', status: 200 }, value: 1 },
      { name: 'beckon.http.request', labels: { route: 'none', method: 'other', status: 404 }, value: 1 },
    ]);
  });

  it('without a tracer of the host a request makes no span', async () => {
    telemetry.remove();
    const getTracer = vi.spyOn(trace, 'getTracer');
    onTestFinished(() => getTracer.mockRestore());
    await open();
    expect((await request('POST', '/api/v1/events', EVENT)).status).toBe(200);
    expect(telemetry.begun()).toBe(0);
    expect(getTracer).not.toHaveBeenCalled();
  });
});
