import type { Meter } from '@beckon/core';
import type { Registry } from 'prom-client';

/** Receives the result of one request and its duration in seconds. `route` is the route's path, not the request's. */
export type Answered = (route: string, method: string, status: number, seconds: number) => void;

/** Upper bounds of the duration buckets, in seconds. Chosen: from a hot cache to the longest time budget. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Methods with their own label: a client may send any word, and each would stay in memory. */
const METHODS = new Set<string>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const counters = {
  events: ['beckon_events_total', 'Events and identify calls by what became of them', ['outcome']],
  messages: ['beckon_messages_total', 'Changes of messages by the status that they led to', ['channel', 'status']],
  calls: ['beckon_provider_calls_total', 'Calls of providers by how they ended', ['channel', 'provider', 'result']],
  placeholders: [
    'beckon_placeholder_user_ids_total',
    'Placeholder user ids such as "undefined" that clients sent, by where they sent them',
    ['source'],
  ],
} as const satisfies Record<Parameters<Meter['count']>[0], readonly [string, string, readonly string[]]>;

const timers = {
  flush: ['beckon_ingest_flush_seconds', 'One flush of ingest, from its first read to its commit', []],
  commit: ['beckon_commit_seconds', 'One commit', []],
  call: ['beckon_provider_call_seconds', 'One call of a provider', ['channel', 'provider']],
} as const satisfies Record<Parameters<Meter['time']>[0], readonly [string, string, readonly string[]]>;

/** The meter of the service and of its requests, in one registry. Throws nothing. */
export const meterOver = (
  { Counter, Histogram }: Pick<typeof import('prom-client'), 'Counter' | 'Histogram'>,
  registry: Registry,
): { readonly meter: Meter; readonly answered: Answered } => {
  const registers = [registry];
  const counted = (name: keyof typeof counters) => {
    const [metric, help, labelNames] = counters[name];
    return new Counter<string>({ name: metric, help, labelNames, registers });
  };
  const timed = (name: keyof typeof timers) => {
    const [metric, help, labelNames] = timers[name];
    return new Histogram<string>({ name: metric, help, labelNames, buckets: BUCKETS, registers });
  };
  const counts = {
    events: counted('events'),
    messages: counted('messages'),
    calls: counted('calls'),
    placeholders: counted('placeholders'),
  };
  const times = { flush: timed('flush'), commit: timed('commit'), call: timed('call') };
  const requests = new Histogram<'route' | 'method' | 'status'>({
    name: 'beckon_http_request_seconds',
    help: 'Requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers,
  });
  return {
    meter: {
      count: (name, by, labels) => {
        if (by > 0) counts[name].inc({ ...labels }, by);
      },
      time: (name, seconds, labels) => times[name].observe({ ...labels }, seconds),
    },
    answered: (route, method, status, seconds) =>
      requests.observe({ route, method: METHODS.has(method) ? method : 'other', status }, seconds),
  };
};
