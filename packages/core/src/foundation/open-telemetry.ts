// Connects to the OpenTelemetry that the host has set up, through `@opentelemetry/api`.

import type {
  Span as ApiSpan,
  Context,
  MeterProvider,
  SpanContext,
  SpanKind,
  TracerProvider,
} from '@opentelemetry/api';
import { isObject } from './json.ts';
import type { Log } from './log.ts';
import { COUNTERS, type Counts, containedMeter, type Meter, TIMER_BUCKETS, TIMERS, type Times } from './meter.ts';
import { PROGRAM_VERSION } from './program-version.ts';
import type { SpanOptions, SpanReference, Telemetry, TraceSpan, Tracing } from './telemetry.ts';

type Api = typeof import('@opentelemetry/api');

/** Where every version 1 of the API keeps what a host registers. Source: @opentelemetry/api, global-utils. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');
/** The name of this library in spans and metrics. */
const NAME = '@beckon/core';
/** Maximum links of a span. Source: OpenTelemetry specification, Span limits. */
const MAX_LINKS = 128;

/** The form of codes. Transports of the host choose their own, and an address must not become an attribute. */
const CODE = /^[\w.-]{1,64}$/;
/** `error.type` of everything else. Source: semantic conventions, Error attributes. */
const OTHER = '_OTHER';

/** The name of an error for `error.type`: its code or its class, never its message, which may hold a tenant's data. */
const errorTypeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return OTHER;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;

const tracingOver = (api: Api, provider: TracerProvider, report: (error: unknown) => void): Tracing => {
  const { context, propagation, ROOT_CONTEXT, trace } = api;
  const tracer = provider.getTracer(NAME, PROGRAM_VERSION);

  const tolerant = <Result>(work: () => Result, otherwise: Result): Result => {
    try {
      return work();
    } catch (error) {
      report(error);
      return otherwise;
    }
  };

  const contextOf = ({ parent, header }: SpanOptions): Context => {
    if (parent !== undefined) return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const active = context.active();
    if (header === undefined || trace.getSpan(active)) return active;
    return propagation.extract(active, null, { get: (_, name) => header(name), keys: () => [] });
  };
  const kindOf = (kind: SpanOptions['kind'], outside: Context): SpanKind => {
    if (kind === 'client') return api.SpanKind.CLIENT;
    const parent = trace.getSpanContext(outside);
    // Inside a span of the host's HTTP server, a request is a part of that span's request.
    const isPart = parent !== undefined && parent.isRemote !== true;
    return kind === 'server' && !isPart ? api.SpanKind.SERVER : api.SpanKind.INTERNAL;
  };
  const start = (name: string, options: SpanOptions): { readonly span: ApiSpan; readonly inside: Context } => {
    const outside = contextOf(options);
    const settings = {
      kind: kindOf(options.kind, outside),
      attributes: { ...options.attributes },
      links: (options.links ?? []).slice(0, MAX_LINKS).map((link) => ({ context: link })),
    };
    const span = tracer.startSpan(name, settings, outside);
    return { span, inside: trace.setSpan(outside, span) };
  };

  const spanOver = (span: ApiSpan): TraceSpan => ({
    add: (attributes) => void tolerant(() => span.setAttributes({ ...attributes }), span),
    fail: (type) =>
      tolerant(() => {
        span.setAttribute('error.type', CODE.test(type) ? type : OTHER);
        span.setStatus({ code: api.SpanStatusCode.ERROR });
      }, undefined),
    traceparent: () =>
      tolerant(() => {
        const reference = span.spanContext();
        return api.isSpanContextValid(reference) ? traceparentOf(reference) : null;
      }, null),
  });

  return {
    trace: (name, options, work) => {
      const started = tolerant(() => start(name, options), null);
      if (started === null) return work({ add: () => undefined, fail: () => undefined, traceparent: () => null });
      const span = spanOver(started.span);
      const end = (): void => tolerant(() => started.span.end(), undefined);
      const failed = (error: unknown): void => {
        span.fail(errorTypeOf(error));
        end();
      };
      return context.with(started.inside, () => {
        try {
          const result = work(span);
          if (result instanceof Promise) result.then(end, failed);
          else end();
          return result;
        } catch (error) {
          failed(error);
          throw error;
        }
      });
    },
    active: () => tolerant((): SpanReference | null => trace.getSpanContext(context.active()) ?? null, null),
    detached: (work) => context.with(ROOT_CONTEXT, work),
  };
};

const meterOver = (provider: MeterProvider): Meter => {
  const meter = provider.getMeter(NAME, PROGRAM_VERSION);
  const counted = (of: keyof Counts) => {
    const { name, description } = COUNTERS[of];
    return meter.createCounter(name, { description });
  };
  const timed = (of: keyof Times) => {
    const { name, description } = TIMERS[of];
    return meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: TIMER_BUCKETS },
    });
  };
  const counts = {
    events: counted('events'),
    messages: counted('messages'),
    calls: counted('calls'),
    placeholders: counted('placeholders'),
  };
  const times = { flush: timed('flush'), commit: timed('commit'), call: timed('call'), request: timed('request') };
  return {
    count: (name, by, labels) => {
      if (by > 0) counts[name].add(by, { ...labels });
    },
    time: (name, seconds, labels) => times[name].record(seconds, { ...labels }),
  };
};

/**
 * The tracer and meter that the host has registered; null: none, and `@opentelemetry/api` is not loaded. Measured: it
 * takes 24 to 31 ms to load. Logs a warning if it cannot be used. Throws nothing.
 */
export const loadTelemetry = async (log: Pick<Log, 'warn'>): Promise<Telemetry | null> => {
  const registry: unknown = Reflect.get(globalThis, REGISTRY);
  if (!isObject(registry) || (registry['trace'] === undefined && registry['metrics'] === undefined)) return null;
  try {
    const api = await import('@opentelemetry/api');
    const tracers = api.trace.getTracerProvider();
    const meters = api.metrics.getMeterProvider();
    const hasTracers = registry['trace'] !== undefined;
    const hasMeters = registry['metrics'] !== undefined;
    // A copy of the API ignores what an older one has registered.
    if ((hasTracers && tracers !== registry['trace']) || (hasMeters && meters !== registry['metrics'])) {
      log.warn(
        { registered: registry['version'] },
        'OpenTelemetry is not used: the host registered it with an older copy of @opentelemetry/api than Beckon loads. Install one version for both',
      );
      return null;
    }
    const report = (error: unknown): void => log.warn({ error }, 'OpenTelemetry threw');
    return {
      tracing: hasTracers ? tracingOver(api, tracers, report) : null,
      meter: hasMeters ? containedMeter([meterOver(meters)], report) : null,
    };
  } catch (error) {
    log.warn({ error }, 'OpenTelemetry is not used: install @opentelemetry/api beside @beckon/core');
    return null;
  }
};
