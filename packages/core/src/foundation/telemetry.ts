// The parts of OpenTelemetry that Beckon uses. They are null, and nothing is created, if the host has not set it up.
// Spans carry ids, names and counts. They never carry addresses, tokens, bodies, query strings or messages of errors.

import type { Meter } from './meter.ts';
import type { InScope } from './scope.ts';

/** Attributes of a span by name. Undefined: absent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The span in which work was requested. */
export type SpanReference = { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };

export type SpanOptions = {
  /** `client`: a call to another program. `server`: a request of another program. Default: work of this process. */
  readonly kind?: 'client' | 'server' | undefined;
  readonly attributes: SpanAttributes;
  /** Adds the ids of this scope's organization and project. */
  readonly scope?: InScope | undefined;
  /** The parent; null: none. Default: the active span. */
  readonly parent?: SpanReference | null | undefined;
  /** Spans that also caused this work. */
  readonly links?: readonly SpanReference[] | undefined;
  /** Reads a header of the request, whose trace context is the parent unless a span is active. */
  readonly header?: ((name: string) => string | undefined) | undefined;
};

/** A span that has begun. Its functions throw nothing. */
export type TraceSpan = {
  add(attributes: SpanAttributes): void;
  /** Marks the span as failed. `type` is one of few values, such as an error code. */
  fail(type: string): void;
  /** The value of the header `traceparent` for requests made in this span; null: it has no valid ids. */
  traceparent(): string | null;
};

export type Tracing = {
  /**
   * Runs `work` in a new span, which is active in it, and returns its result. The span ends with `work`, or when the
   * promise that it returned is settled. An error of `work` marks the span as failed and is passed on.
   */
  trace<Result>(name: string, options: SpanOptions, work: (span: TraceSpan) => Result): Result;
  /** The active span; null: none is active. Throws nothing. */
  active(): SpanReference | null;
  /** Runs `work` without an active span: for loops that outlive the span in which they start. */
  detached<Result>(work: () => Result): Result;
};

/** What the host has set up. */
export type Telemetry = { readonly tracing: Tracing | null; readonly meter: Meter | null };
