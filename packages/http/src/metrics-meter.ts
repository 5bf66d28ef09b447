import { COUNTERS, type Meter, TIMER_BUCKETS, TIMERS } from '@beckon/core';
import type { Registry } from 'prom-client';

/** Receives the result of one request and its duration in seconds. `route` is the route's path, not the request's. */
export type Answered = (route: string, method: string, status: number, seconds: number) => void;

/** Methods with their own label: a client may send any word, and each would stay in memory. */
const METHODS = new Set<string>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The label of a method. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : 'other');

/** A name of Prometheus, whose parts are joined by underscores. */
const named = (name: string, unit: string): string => `${name.replaceAll('.', '_')}_${unit}`;

/** The meter of the service and of its requests, in one registry. Throws nothing. */
export const meterOver = (
  { Counter, Histogram }: Pick<typeof import('prom-client'), 'Counter' | 'Histogram'>,
  registry: Registry,
): { readonly meter: Meter; readonly answered: Answered } => {
  const registers = [registry];
  const counted = (of: keyof typeof COUNTERS) => {
    const { name, description: help, labels: labelNames } = COUNTERS[of];
    return new Counter<string>({ name: named(name, 'total'), help, labelNames, registers });
  };
  const timed = (of: keyof typeof TIMERS) => {
    const { name, description: help, labels: labelNames } = TIMERS[of];
    return new Histogram<string>({ name: named(name, 'seconds'), help, labelNames, buckets: TIMER_BUCKETS, registers });
  };
  const counts = {
    events: counted('events'),
    messages: counted('messages'),
    calls: counted('calls'),
    placeholders: counted('placeholders'),
  };
  const times = { flush: timed('flush'), commit: timed('commit'), call: timed('call'), request: timed('request') };
  return {
    meter: {
      count: (name, by, labels) => {
        if (by > 0) counts[name].inc({ ...labels }, by);
      },
      time: (name, seconds, labels) => times[name].observe({ ...labels }, seconds),
    },
    answered: (route, method, status, seconds) =>
      times.request.observe({ route, method: methodLabel(method), status }, seconds),
  };
};
