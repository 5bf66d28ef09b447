import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { DataPointType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

class TestReader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** Values of a metric: a sum, or how often a histogram was recorded. */
export type MetricPoint = { readonly name: string; readonly labels: object; readonly value: number };

export type TestTelemetry = {
  /** Ended spans in the order of their ends. */
  spans(): readonly ReadableSpan[];
  /** Those with this name. */
  named(name: string): readonly ReadableSpan[];
  /** Spans that were begun. */
  begun(): number;
  /** Forgets the spans so far. */
  reset(): void;
  points(): Promise<readonly MetricPoint[]>;
  /** Runs work in a span of the host. */
  inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Removes everything from the process. Idempotent. */
  remove(): void;
};

/** Registers OpenTelemetry as a host does, with exporters in memory. */
export const registerTelemetry = ({
  processors = [],
  sampler,
}: {
  readonly processors?: readonly SpanProcessor[];
  readonly sampler?: Sampler;
} = {}): TestTelemetry => {
  const exporter = new InMemorySpanExporter();
  const reader = new TestReader();
  let begun = 0;
  const counter: SpanProcessor = {
    onStart: () => {
      begun += 1;
    },
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new TracerProvider({
    spanProcessors: [counter, new SimpleSpanProcessor({ exporter }), ...processors],
    ...(sampler && { sampler }),
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  return {
    spans: () => exporter.getFinishedSpans(),
    named: (name) => exporter.getFinishedSpans().filter((span) => span.name === name),
    begun: () => begun,
    reset: () => {
      exporter.reset();
      begun = 0;
    },
    points: async () => {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics.flatMap((scope) =>
        scope.metrics.flatMap((metric) =>
          metric.dataPointType === DataPointType.SUM || metric.dataPointType === DataPointType.GAUGE
            ? metric.dataPoints.map(({ attributes, value }) => ({
                name: metric.descriptor.name,
                labels: attributes,
                value,
              }))
            : metric.dataPoints.map(({ attributes, value }) => ({
                name: metric.descriptor.name,
                labels: attributes,
                value: value.count,
              })),
        ),
      );
    },
    inSpan: (name, work) =>
      trace.getTracer('host').startActiveSpan(name, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      }),
    remove: () => {
      for (const api of [trace, context, propagation, metrics]) api.disable();
    },
  };
};
