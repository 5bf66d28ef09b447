import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { registerTelemetry, type TestTelemetry } from '../../test/support/telemetry.ts';
import { openReceiver, type Receiver } from '../../test/support/webhooks/receiver.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';
import type { BeckonOptions } from './options.ts';

const EVENT = { module: 'shop', eventType: 'ordered', userId: 'ann' };
/** Values that no span may have. */
const SECRETS = /ann@|example\.com|Bearer|hidden|Dear|whsec|127\.0\.0\.1|\/hook/;

const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().spanId;

describe('OpenTelemetry', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let status: number;
  let telemetry: TestTelemetry;
  let beckon: Beckon;
  let scope: Scope;
  const warn = vi.fn();

  const open = async (options: Partial<BeckonOptions> = {}): Promise<void> => {
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock: virtualClock('2026-03-01T10:00:00.000Z'),
      outbound: { allowCidrs: ['127.0.0.0/8'] },
      sandbox: { deliverWebhookSteps: true },
      log: { info: () => undefined, warn, error: () => undefined },
      ...options,
    });
    onTestFinished(() => beckon.close());
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    telemetry.reset();
  };
  /** A workflow that sends an email and posts to the receiver, and a webhook for the sent email. */
  const prepare = async (): Promise<void> => {
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    await beckon.workflows.create(scope, {
      name: 'Orders',
      description: null,
      isActive: true,
      trigger: { eventType: 'ordered' },
      steps: [
        { type: 'send_email', config: { subject: 'Dear {{user.userId}}', text: 'Thank you.' } },
        {
          type: 'webhook',
          config: { url: `${receiver.url}?token=hidden`, headers: { authorization: 'Bearer hidden' } },
        },
      ],
    });
    await beckon.webhooks.create(scope, { url: `${receiver.url}?key=hidden`, events: ['workflow.run_started'] });
    telemetry.reset();
  };
  const tenant = () => ({
    'beckon.org_id': scope.orgId,
    'beckon.project_id': scope.projectId,
    'beckon.environment': 'test',
  });

  beforeEach(async () => {
    warn.mockClear();
    status = 200;
    database = await openTestDatabase();
    receiver = await openReceiver(() => ({ status }));
    telemetry = registerTelemetry();
  });
  afterEach(async () => {
    telemetry.remove();
    await receiver.close();
    await database.close();
  });

  it('a flush is a span within the span of its request, and its commit is a span within the flush', async () => {
    await open();
    await telemetry.inSpan('request', () => beckon.events.track(scope, EVENT));
    const [request] = telemetry.named('request');
    const [flush, ...others] = telemetry.named('flush events');
    expect(others).toEqual([]);
    expect(parentOf(flush)).toBe(idOf(request));
    expect(flush?.kind).toBe(SpanKind.INTERNAL);
    expect(flush?.attributes).toEqual({
      ...tenant(),
      'messaging.batch.message_count': 1,
      'beckon.events.stored': 1,
      'beckon.events.duplicate': 0,
      'beckon.events.refused': 0,
    });
    const commits = telemetry.named('COMMIT');
    expect(commits.map(parentOf)).toEqual([idOf(flush)]);
    expect(commits[0]?.kind).toBe(SpanKind.CLIENT);
    expect(commits[0]?.attributes).toEqual({
      'db.system.name': database.storage.dialect.name === 'sqlite' ? 'sqlite' : 'postgresql',
      'db.operation.name': 'COMMIT',
      'beckon.commit.rows': expect.any(Number),
    });
  });

  it('a flush of several requests is a root span with a link to each', async () => {
    await open();
    await Promise.all(['one', 'two'].map((name) => telemetry.inSpan(name, () => beckon.events.track(scope, EVENT))));
    const [flush, ...others] = telemetry.named('flush events');
    expect(others).toEqual([]);
    expect(parentOf(flush)).toBeUndefined();
    const requests = [...telemetry.named('one'), ...telemetry.named('two')];
    expect(flush?.links.map((link) => link.context.spanId).toSorted()).toEqual(requests.map(idOf).toSorted());
    expect(flush?.attributes).toMatchObject({ 'messaging.batch.message_count': 2, 'beckon.events.stored': 2 });
  });

  it('a flush with an event that came outside of any span is a root span', async () => {
    await open();
    await Promise.all([
      telemetry.inSpan('request', () => beckon.events.track(scope, EVENT)),
      beckon.events.track(scope, EVENT),
    ]);
    const [flush] = telemetry.named('flush events');
    expect(parentOf(flush)).toBeUndefined();
    expect(flush?.links.map((link) => link.context.spanId)).toEqual(telemetry.named('request').map(idOf));
  });

  it('steps, provider calls and webhook attempts are root spans with the ids of their rows', async () => {
    await open();
    await prepare();
    await beckon.events.track(scope, EVENT);
    await telemetry.inSpan('host', () => beckon.worker.drain());
    const [listed] = (await beckon.runs.list(scope, { userId: 'ann' })).data;
    const run = await beckon.runs.get(scope, listed?.id ?? '');
    const sendId = run.steps[0]?.sendId ?? '';
    const [message] = (await beckon.sends.messages(scope, 'email', sendId)).data;

    const emails = telemetry.named('step send_email');
    expect(emails.map(({ attributes }) => attributes)).toEqual([
      {
        ...tenant(),
        'beckon.run_id': run.id,
        'beckon.workflow_id': run.workflowId,
        'beckon.step.path': '0',
        'beckon.step.type': 'send_email',
        'beckon.attempt': 1,
      },
    ]);
    const calls = telemetry.named('send email');
    expect(calls.map(({ attributes }) => attributes)).toEqual([
      {
        ...tenant(),
        'beckon.channel': 'email',
        'beckon.provider': 'sandbox',
        'beckon.send_id': sendId,
        'beckon.message_id': message?.id,
        'beckon.attempt': 1,
        'beckon.result': 'accepted',
      },
    ]);
    expect(calls.map(({ kind }) => kind)).toEqual([SpanKind.CLIENT]);
    const posts = telemetry.named('POST webhook');
    const common = {
      ...tenant(),
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'beckon.attempt': 1,
    };
    const ids = { 'beckon.delivery_id': expect.any(String), 'beckon.event_id': expect.any(String) };
    expect(posts.map(({ attributes }) => attributes)).toEqual(
      expect.arrayContaining([
        { ...common, ...ids, 'beckon.run_id': run.id, 'beckon.step.path': '1' },
        { ...common, ...ids, 'beckon.webhook_id': expect.any(String) },
      ]),
    );
    expect(posts.map(({ kind }) => kind)).toEqual([SpanKind.CLIENT, SpanKind.CLIENT]);
    expect([...emails, ...calls, ...posts].map(parentOf)).toEqual([undefined, undefined, undefined, undefined]);
    expect(telemetry.spans().every(({ status: { code } }) => code === SpanStatusCode.UNSET)).toBe(true);
  });

  it('webhook requests carry the traceparent of the span of their attempt', async () => {
    await open();
    await prepare();
    await beckon.events.track(scope, EVENT);
    await beckon.worker.drain();
    const expected = telemetry.named('POST webhook').map((span) => {
      const { traceId, spanId } = span.spanContext();
      return `00-${traceId}-${spanId}-01`;
    });
    expect(expected).toHaveLength(2);
    expect(receiver.got.map(({ headers }) => headers['traceparent']).toSorted()).toEqual(expected.toSorted());
    expect(receiver.got.some(({ headers }) => 'baggage' in headers || 'tracestate' in headers)).toBe(false);
  });

  it('a header traceparent that a webhook configures replaces that of the attempt', async () => {
    await open();
    const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';
    const { id } = await beckon.webhooks.create(scope, {
      url: receiver.url,
      events: ['workflow.run_started'],
      headers: { Traceparent: traceparent },
    });
    await beckon.webhooks.test(scope, id);
    await beckon.worker.drain();
    expect(receiver.got.map(({ headers }) => headers['traceparent'])).toEqual([traceparent]);
  });

  it('a failed webhook attempt marks its span as failed with its error code', async () => {
    await open();
    status = 503;
    const { id } = await beckon.webhooks.create(scope, { url: receiver.url, events: ['workflow.run_started'] });
    await beckon.webhooks.test(scope, id);
    await beckon.worker.drain();
    const [post] = telemetry.named('POST webhook');
    expect(post?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(post?.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': 'http_503' });
  });

  it('a failed provider call marks its span as failed with the code and without the message', async () => {
    await open({
      transports: {
        email: {
          name: 'own',
          from: { email: 'news@shop.test', name: null },
          make: () => ({
            name: 'own',
            maxInFlight: 1,
            send: async () => ({ result: 'failed', code: 'no_mailbox', message: 'ann@example.com has no mailbox' }),
            close: async () => undefined,
          }),
        },
      },
    });
    const prod = await beckon.tenancy.scope({ orgId: scope.orgId, projectId: scope.projectId, environment: 'prod' });
    await beckon.email.send(prod, { to: 'ann@example.com', subject: 'Dear Ann', text: 'Hello' });
    await beckon.worker.drain();
    const [call] = telemetry.named('send email');
    expect(call?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(call?.attributes).toMatchObject({
      'beckon.environment': 'prod',
      'beckon.provider': 'own',
      'beckon.result': 'failed',
      'error.type': 'no_mailbox',
    });
    expect(JSON.stringify(call?.attributes)).not.toMatch(SECRETS);
  });

  it('no span has an address, a token, a body, a URL or the message of an error', async () => {
    await open();
    await prepare();
    status = 500;
    await beckon.events.track(scope, { ...EVENT, properties: { note: 'hidden' } });
    await beckon.worker.drain();
    const spans = telemetry.spans();
    expect(spans.length).toBeGreaterThan(6);
    expect(
      JSON.stringify(
        spans.map(({ name, attributes, events, links, status: own }) => [name, attributes, events, links, own]),
      ),
    ).not.toMatch(SECRETS);
  });

  it('a worker that starts in a span of the host works outside of it', async () => {
    await telemetry.inSpan('start', async () => {
      await open();
      beckon.worker.start();
    });
    await prepare();
    await beckon.events.track(scope, EVENT);
    await vi.waitFor(() => expect(telemetry.named('POST webhook')).toHaveLength(2), { timeout: 20_000 });
    await beckon.worker.stop();
    const roots = telemetry.spans().filter((span) => parentOf(span) === undefined);
    const spanIds = new Set(telemetry.spans().map(idOf));
    const inner = telemetry.spans().filter((span) => !roots.includes(span));
    expect(inner.filter((span) => !spanIds.has(parentOf(span)))).toEqual([]);
  });

  it('metrics of OpenTelemetry count what those of Prometheus count', async () => {
    await open();
    await prepare();
    for (const messageId of ['m1', 'm1']) await beckon.events.track(scope, { ...EVENT, messageId }).catch(() => null);
    await beckon.worker.drain();
    const points = await telemetry.points();
    for (const point of [
      { name: 'beckon.events', labels: { outcome: 'stored' }, value: 2 },
      { name: 'beckon.events', labels: { outcome: 'duplicate' }, value: 1 },
      { name: 'beckon.messages', labels: { channel: 'email', status: 'sent' }, value: 1 },
      {
        name: 'beckon.provider.calls',
        labels: { channel: 'email', provider: 'sandbox', result: 'accepted' },
        value: 1,
      },
      { name: 'beckon.provider.call', labels: { channel: 'email', provider: 'sandbox' }, value: 1 },
      { name: 'beckon.ingest.flush', labels: {}, value: 3 },
    ])
      expect(points).toContainEqual(point);
    expect(points.find(({ name }) => name === 'beckon.commit')?.value).toBeGreaterThan(3);
    expect(JSON.stringify(points)).not.toMatch(/\bann\b|example/);
  });

  it('a meter of the options and the meter of OpenTelemetry both count', async () => {
    const count = vi.fn();
    await open({ meter: { count, time: () => undefined } });
    await beckon.events.track(scope, EVENT);
    expect(count).toHaveBeenCalledWith('events', 1, { outcome: 'stored' });
    expect(await telemetry.points()).toContainEqual({ name: 'beckon.events', labels: { outcome: 'stored' }, value: 1 });
  });

  it('without a tracer of the host no span is made and the API of OpenTelemetry is never called', async () => {
    telemetry.remove();
    const calls = [
      vi.spyOn(trace, 'getTracer'),
      vi.spyOn(trace, 'getTracerProvider'),
      vi.spyOn(trace, 'setSpan'),
      vi.spyOn(trace, 'getSpanContext'),
      vi.spyOn(context, 'active'),
      vi.spyOn(context, 'with'),
      vi.spyOn(metrics, 'getMeter'),
      vi.spyOn(metrics, 'getMeterProvider'),
    ];
    onTestFinished(() => {
      for (const call of calls) call.mockRestore();
    });
    await open();
    await prepare();
    await beckon.events.batch(scope, { batch: Array.from({ length: 10 }, () => EVENT) });
    await beckon.worker.drain();
    expect(beckon.telemetry).toBeNull();
    expect(receiver.got.length).toBeGreaterThan(10);
    expect(receiver.got.some(({ headers }) => 'traceparent' in headers)).toBe(false);
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    expect(telemetry.begun()).toBe(0);
  });

  it('with only a meter of the host no span is made', async () => {
    trace.disable();
    await open();
    await beckon.events.track(scope, EVENT);
    expect(beckon.telemetry).toMatchObject({ tracing: null, meter: {} });
    expect(telemetry.begun()).toBe(0);
    expect(await telemetry.points()).toContainEqual({ name: 'beckon.events', labels: { outcome: 'stored' }, value: 1 });
  });

  it('a span processor that throws is logged and fails no work', async () => {
    telemetry.remove();
    const broken = (): never => {
      throw new Error('the exporter is broken');
    };
    const ended = async (): Promise<void> => undefined;
    telemetry = registerTelemetry({
      processors: [{ onStart: broken, onEnd: broken, forceFlush: ended, shutdown: ended }],
    });
    await open();
    await prepare();
    await beckon.events.track(scope, EVENT);
    await beckon.worker.drain();
    expect((await beckon.outbox.list(scope)).data).toHaveLength(1);
    expect(receiver.got).toHaveLength(2);
    expect(warn).toHaveBeenCalledWith({ error: expect.any(Error) }, 'OpenTelemetry threw');
  });

  it('a tracer that was registered with an older copy of the API is not used, with a warning', async () => {
    telemetry.remove();
    const key = Symbol.for('opentelemetry.js.api.1');
    const before: unknown = Reflect.get(globalThis, key);
    Reflect.set(globalThis, key, { version: '1.0.0', trace: { getTracer: () => null } });
    onTestFinished(() => void Reflect.set(globalThis, key, before));
    await open();
    expect(beckon.telemetry).toBeNull();
    expect(warn).toHaveBeenCalledWith({ registered: '1.0.0' }, expect.stringContaining('Install one version for both'));
  });
});
