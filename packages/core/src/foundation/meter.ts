import { contained } from './contained.ts';
import type { PlaceholderSource } from './placeholder-user-id.ts';

/** Counters and their labels. */
export type Counts = {
  /** Events and identify calls by outcome. */
  readonly events: { readonly outcome: 'stored' | 'duplicate' | 'refused' };
  /** Messages by their new status. */
  readonly messages: { readonly channel: string; readonly status: string };
  /** Provider calls by result. */
  readonly calls: { readonly channel: string; readonly provider: string; readonly result: string };
  /** Placeholder user ids that clients sent, by route. */
  readonly placeholders: { readonly source: PlaceholderSource };
};

/** Timers and their labels, in seconds. */
export type Times = {
  /** One flush of ingest, from the first read to the commit. */
  readonly flush: Readonly<Record<never, never>>;
  /** One commit of a write set. */
  readonly commit: Readonly<Record<never, never>>;
  /** One call of a provider. */
  readonly call: { readonly channel: string; readonly provider: string };
  /** One HTTP request. `route` is the route's path, not the request's. The HTTP handler reports it, not core. */
  readonly request: { readonly route: string; readonly method: string; readonly status: number };
};

/** A metric's name, with dots between its parts, its description and the names of its labels. */
export type MetricText = {
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
};

/** The counters, for Prometheus and OpenTelemetry alike. */
export const COUNTERS = {
  events: {
    name: 'beckon.events',
    description: 'Events and identify calls by what became of them',
    labels: ['outcome'],
  },
  messages: {
    name: 'beckon.messages',
    description: 'Changes of messages by the status that they led to',
    labels: ['channel', 'status'],
  },
  calls: {
    name: 'beckon.provider.calls',
    description: 'Calls of providers by how they ended',
    labels: ['channel', 'provider', 'result'],
  },
  placeholders: {
    name: 'beckon.placeholder_user_ids',
    description: 'Placeholder user ids such as "undefined" that clients sent, by where they sent them',
    labels: ['source'],
  },
} as const satisfies Record<keyof Counts, MetricText>;

/** The timers, for Prometheus and OpenTelemetry alike. Unit: seconds. */
export const TIMERS = {
  flush: {
    name: 'beckon.ingest.flush',
    description: 'One flush of ingest, from its first read to its commit',
    labels: [],
  },
  commit: { name: 'beckon.commit', description: 'One commit', labels: [] },
  call: { name: 'beckon.provider.call', description: 'One call of a provider', labels: ['channel', 'provider'] },
  request: {
    name: 'beckon.http.request',
    description: 'Requests by route, method and status',
    labels: ['route', 'method', 'status'],
  },
} as const satisfies Record<keyof Times, MetricText>;

/** Upper bounds of the buckets of timers, in seconds. Chosen: from a hot cache to the longest time budget. */
export const TIMER_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Receives metrics. Called once per flush, commit or provider call. */
export type Meter = {
  count<Name extends keyof Counts>(name: Name, by: number, labels: Counts[Name]): void;
  time<Name extends keyof Times>(name: Name, seconds: number, labels: Times[Name]): void;
};

export const noMeter: Meter = { count: () => undefined, time: () => undefined };

/**
 * One meter for several. An error of one is reported, and neither reaches the commit or provider call around it nor
 * keeps the others from counting.
 */
export const containedMeter = (meters: readonly Meter[], report: (error: unknown) => void): Meter => ({
  count: (name, by, labels) => {
    for (const meter of meters) contained(() => meter.count(name, by, labels), report)();
  },
  time: (name, seconds, labels) => {
    for (const meter of meters) contained(() => meter.time(name, seconds, labels), report)();
  },
});
